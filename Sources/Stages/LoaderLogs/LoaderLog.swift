package import LaunchCore

/// Reads the texts in which loaders and runtimes say how a launch was spent.
///
/// Blocks are found anywhere in a log. Any bytes are accepted, and the work is linear in their
/// number. The grammars are those of dyld (`DYLD_PRINT_STATISTICS` and `_DETAILS`), of glibc
/// (`LD_DEBUG=statistics` and `libs`), Go, Python, Node, the JVM, Vim, strace, perf trace and
/// systemd-analyze, and the patterns of the options. A profile of V8 is read as a whole.
package enum LoaderLog {
  /// Reads every block of a text.
  ///
  /// - Parameters:
  ///   - bytes: The text, in any encoding; what is not UTF-8 is replaced in names.
  ///   - name: What the text is called in the places of diagnostics, such as its path.
  ///   - options: How it is read.
  /// - Returns: The blocks in the order in which they begin, and what was not understood.
  package static func parse(
    _ bytes: [UInt8],
    name: String,
    options: LoaderLogOptions = LoaderLogOptions()
  ) -> LoaderLogResult {
    var session = LoaderLogParser(name: name, options: options)
    if session.readWhole(bytes) { return session.finish() }
    for line in TextLines(bytes) { session.read(line) }
    return session.finish()
  }
}

/// How a text of stages is read.
package struct LoaderLogOptions: Hashable, Sendable {
  package var mode: Mode

  /// The version of the glibc whose loader wrote the text, where it is known.
  package var glibc: GlibcVersion?

  /// How fast the counter ran in whose cycles the loader printed; nil leaves times in cycles.
  package var cyclesPerSecond: Double?

  /// What the loader's total must lie in, from marks of one's own; it settles how cycles scale.
  package var ownLoaderTotal: ClosedRange<Nanoseconds>?

  /// Tried on the lines that no grammar takes.
  package var patterns: [StagePattern]

  package init(
    mode: Mode = .lenient,
    glibc: GlibcVersion? = nil,
    cyclesPerSecond: Double? = nil,
    ownLoaderTotal: ClosedRange<Nanoseconds>? = nil,
    patterns: [StagePattern] = []
  ) {
    self.mode = mode
    self.glibc = glibc
    self.cyclesPerSecond = cyclesPerSecond
    self.ownLoaderTotal = ownLoaderTotal
    self.patterns = patterns
  }

  /// What is done with texts that no loader prints, such as imitations in documents.
  package enum Mode: String, Sendable {
    /// They are refused, and a block that is not complete is an error.
    case strict

    /// They are read, and marked as nonstandard.
    case lenient
  }
}

/// What a text says about stages.
package struct LoaderLogResult: Hashable, Sendable {
  /// What the text is called.
  package var name: String

  /// In the order in which they begin; empty when the text has none.
  package var blocks: [LoaderLogBlock]

  /// What the loader said it does, without times, in the order of the lines.
  package var events: [LoaderLogEvent]

  /// The numbers of the lines that were used, from 1, ascending.
  package var usedLines: [ClosedRange<Int>]

  /// The numbers of the lines that hold something and were not used, ascending.
  package var ignoredLines: [ClosedRange<Int>]

  package var diagnostics: [Diagnostic]

  /// Whether nothing was met that no loader prints.
  package var isStandard: Bool

  /// How many bytes were looked at, those looked at twice counted twice; a measure of the work.
  package var scannedBytes: Int

  /// Whether the text says nothing about stages.
  package var isEmpty: Bool { blocks.isEmpty && events.isEmpty }

  /// Whether no block lacks stages or is cut off.
  package var isComplete: Bool { blocks.allSatisfy(\.isComplete) }

  /// Whether something was refused.
  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// A line with which glibc tells what it is about to run.
package struct LoaderLogEvent: Hashable, Sendable {
  /// As printed, such as `calling init`.
  package var name: String

  /// What follows the colon and a space: a path, and for `calling fini` the namespace.
  package var text: String

  package var pid: Int64?

  package var line: Int
}

/// Takes what should be told about a text.
struct LoaderLogNotes {
  /// What the text is called.
  let name: String

  let mode: LoaderLogOptions.Mode

  private(set) var diagnostics: [Diagnostic] = []

  /// How many found no room.
  private var omitted = 0

  /// The most diagnostics of one text, so that a broken one does not give millions.
  private static let most = 200

  init(name: String, mode: LoaderLogOptions.Mode) {
    self.name = name
    self.mode = mode
  }

  /// Adds a diagnostic; a note whose words are there already is not repeated.
  mutating func add(
    _ severity: Diagnostic.Severity,
    _ id: String,
    line: Int?,
    _ problem: String,
    remedy: String? = nil
  ) {
    let isRepeated = severity == .note && diagnostics.contains { $0.problem == problem }
    guard !isRepeated else { return }
    guard diagnostics.count < Self.most else {
      omitted += 1
      return
    }
    let place = line.map { "\(name):\($0)" } ?? name
    diagnostics.append(
      Diagnostic(severity, id: id, problem: problem, place: place, remedy: remedy)
    )
  }

  /// Adds something that only strict reading takes for an error.
  mutating func addIfStrict(_ id: String, line: Int, _ problem: String, remedy: String? = nil) {
    add(mode == .strict ? .error : .warning, id, line: line, problem, remedy: remedy)
  }

  /// Everything, and how much was left out.
  func all() -> [Diagnostic] {
    guard omitted > 0 else { return diagnostics }
    let rest = Diagnostic(
      .note,
      id: "more",
      problem: "\(omitted) more of the same kinds are not shown",
      place: name
    )
    return diagnostics + [rest]
  }
}

/// A name as it may stand in a message: not too long.
func shortened(_ name: String) -> String {
  name.count <= 60 ? name : name.prefix(57) + "..."
}

/// A value of a text, and those that are part of it.
package struct LoaderLogNode: Hashable, Sendable {
  package var value: LoaderLogValue
  package var children: [LoaderLogNode]
}

extension LoaderLogBlock {
  /// The values as they are nested, in the order of the text; those without a depth are not.
  ///
  /// In a text with depths what is contained comes before what contains it: a module before the one
  /// that imports it, a function before its caller.
  package var tree: [LoaderLogNode] {
    var open: [(depth: Int, node: LoaderLogNode)] = []
    for value in stages {
      let depth = min(value.depth ?? 0, Self.deepest)
      var node = LoaderLogNode(value: value, children: [])
      while let last = open.last, last.depth > depth {
        node.children.append(last.node)
        open.removeLast()
      }
      node.children.reverse()
      open.append((depth, node))
    }
    return open.map(\.node)
  }

  /// So that no text makes a tree that is too deep to be walked.
  private static let deepest = 200
}
