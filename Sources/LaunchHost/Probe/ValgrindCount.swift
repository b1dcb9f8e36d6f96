import Foundation
package import LaunchCore
import SystemPackage

/// Counts the instructions of launches by valgrind, where no counter of the processor does.
///
/// What is counted is user mode only, in all processes that are there until the target has been
/// stopped. A process that executes another program is counted from there on; one that was forked
/// counts what its parent had done before as well. Both are the same for every build.
///
/// Of the tools that count, `cachegrind` without its simulations is the cheapest one that is no
/// experiment: it takes about a fifth longer than `none`, which counts nothing. `callgrind` counts for
/// each function.
package struct ValgrindCount: Sendable {
  /// How many times as long a target may take as without valgrind.
  package static let slowdown: Int64 = 50

  private let program: String
  private let directory: FilePath
  private let tool: Tool

  /// What is counted.
  package enum Tool: Sendable {
    /// All instructions, which ``instructions()`` gives.
    case cachegrind

    /// Those of each function, which ``functions()`` gives.
    case callgrind
  }

  /// Looks for valgrind.
  ///
  /// - Parameters:
  ///   - tool: What is counted.
  ///   - directory: That of the store, which the logs of a launch go below.
  /// - Throws: ``HostError/toolMissing(name:purpose:)`` when there is no valgrind in `PATH`.
  package init(_ tool: Tool = .cachegrind, below directory: String) throws(HostError) {
    guard let program = Self.program else { throw Self.missing }
    // It goes with the private directories of the laboratory, also after a kill.
    self.init(
      tool,
      program: program,
      directory: Workspace.homes(below: directory).appending("counts").string
    )
  }

  /// Counts by a valgrind that was found.
  ///
  /// - Parameters:
  ///   - tool: What is counted.
  ///   - program: The path of valgrind.
  ///   - directory: Absolute; it is emptied before each launch.
  package init(_ tool: Tool = .cachegrind, program: String, directory: String) {
    self.tool = tool
    self.program = program
    self.directory = FilePath(directory)
  }

  private static var program: String? {
    let variables = ProcessInfo.processInfo.environment
    return try? ExecutableLookup.resolve(
      command: "valgrind",
      path: variables["PATH"],
      directory: FileManager.default.currentDirectoryPath
    )
  }

  /// What is said where there is none.
  package static let missing = HostError.toolMissing(
    name: "valgrind",
    purpose: "count instructions, which no counter of the processor does here"
  )

  /// Whether there is a valgrind in `PATH`.
  package static var isInstalled: Bool { program != nil }

  // MARK: - What is launched

  /// The target with valgrind around its command, and with more time to become ready and to stop.
  ///
  /// - Parameter target: What is counted; it is told nothing but a few variables of valgrind's.
  /// - Returns: A target whose own files still hold the program.
  package func counting(_ target: Target) -> Target {
    var counted = target
    counted.command = command + target.words
    counted.timeout = Nanoseconds(target.timeout.count * Self.slowdown)
    counted.stop.grace = Nanoseconds(target.stop.grace.count * Self.slowdown)
    let found = try? ExecutableLookup.program(of: target)
    counted.files += [found].compactMap(\.self).filter { !target.files.contains($0) }
    return counted
  }

  /// With `--quiet` valgrind would not print its counts; `%p` is the number of each process.
  private var command: [String] {
    let logs = directory.string.replacing("%", with: "%%")
    let counting =
      switch tool {
      case .cachegrind:
        [
          "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no",
          "--cachegrind-out-file=/dev/null",
        ]
      case .callgrind:
        ["--tool=callgrind", "--callgrind-out-file=\(logs)/%p.callgrind"]
      }
    return [program, "--command-line-only=yes"] + counting
      + ["--trace-children=yes", "--vgdb=no", "--log-file=\(logs)/%p.log", "--"]
  }

  // MARK: - One launch

  /// Makes ready for a launch, by an empty directory for its logs.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func begin() throws(HostError) {
    if let made = OwnedDirectory.made(at: directory) { made.remove() }
    _ = try OwnedDirectory.make(directory, permissions: 0o700)
  }

  /// The sum over all processes of the launch that has ended.
  ///
  /// - Returns: Nil when a process was not counted, as after a kill, or none was.
  package func instructions() -> Int64? {
    let tree = HostTree(root: directory)
    let logs = tree.names(in: "").filter { $0.hasSuffix(".log") }
    guard !logs.isEmpty else { return nil }
    var sum: Int64 = 0
    for log in logs {
      guard let count = ValgrindLog.instructions(in: tree.text(at: log) ?? "") else { return nil }
      sum += count
    }
    return sum
  }

  /// The functions of all processes of the launch that has ended.
  ///
  /// - Returns: Nil when a process was not counted, as after a kill, or none was.
  package func functions() -> InstructionCounts? {
    let tree = HostTree(root: directory)
    let files = tree.names(in: "").filter { $0.hasSuffix(".callgrind") }
    guard !files.isEmpty else { return nil }
    var sum = InstructionCounts()
    for file in files {
      guard let counts = tree.bytes(at: file).flatMap(CallgrindFile.init)?.counts else {
        return nil
      }
      sum.add(counts)
    }
    let swift = SwiftNames(sum.own.keys.map(\.function)).readable
    return swift.isEmpty
      ? sum
      : sum.renamed { CodeFrame(file: $0.file, function: swift[$0.function] ?? $0.function) }
  }
}

/// What valgrind's tool `cachegrind` writes of one process.
///
/// Format: the lines `==PID== I   refs:      1,398,690` of valgrind 3.19 and `I refs:` of later ones,
/// which come when the process ends; cg_main.c, `fini`.
enum ValgrindLog {
  /// The instructions that a process executed in user mode.
  ///
  /// - Parameter text: The whole log of the process.
  /// - Returns: The last count of the log; nil when it has none, as of a process that was killed.
  static func instructions(in text: String) -> Int64? {
    text.split(whereSeparator: \.isNewline).reversed().lazy.compactMap(count).first
  }

  private static func count(in line: Substring) -> Int64? {
    let words = line.split(separator: " ")
    guard words.count == 4, words[0].hasPrefix("=="), words[1] == "I", words[2] == "refs:" else {
      return nil
    }
    return Int64(words[3].filter { $0 != "," })
  }
}

/// The counters of the processor, as far as launches may use them.
package enum ProcessorCounters {
  /// Whether instructions can be counted here, in the kernel too, as counter launches do.
  package static var countInstructions: Bool { HostTrials.live.hardwareEvent(true) == 0 }
}
