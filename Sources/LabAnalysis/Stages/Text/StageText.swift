package import LabModel

/// Reads the texts in which loaders and runtimes say how a launch was spent.
///
/// Blocks are found anywhere in a log. Any bytes are accepted, and the work is linear in their
/// number. The grammars are those of dyld (`DYLD_PRINT_STATISTICS` and `_DETAILS`), of glibc
/// (`LD_DEBUG=statistics` and `libs`), Go, Python, Node, the JVM, Vim, strace, perf trace and
/// systemd-analyze, and the patterns of the options. A profile of V8 is read as a whole.
package enum StageText {
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
    options: StageTextOptions = StageTextOptions()
  ) -> StageTextResult {
    var session = StageTextSession(name: name, options: options)
    if session.readWhole(bytes) { return session.finish() }
    for line in TextLines(bytes) { session.read(line) }
    return session.finish()
  }
}

/// How a text of stages is read.
package struct StageTextOptions: Hashable, Sendable {
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
