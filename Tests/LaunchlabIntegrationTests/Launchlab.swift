import Foundation
import Glibc
import LabTestSupport
import Testing

/// The built executable, run in the directory of a test as a person would run it.
struct Launchlab {
  /// The executable that `LAUNCHLAB_UNDER_TEST` names, or the one beside the test bundle.
  static let builtExecutable =
    ProcessInfo.processInfo.environment["LAUNCHLAB_UNDER_TEST"]
    ?? (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
    .resolvingSymlinksInPath().deletingLastPathComponent().appending(component: "launchlab").path

  /// The variable that every process which launchlab starts for this test inherits.
  static let mark = "LAUNCHLAB_TEST_DIRECTORY"

  let directory = TemporaryDirectory.path
  var executable = builtExecutable

  /// Where the lab lock and the journal of changes are, in the directory of the test: no other
  /// launchlab of this machine is kept out, or waited for.
  var stateDirectory = ".lab"

  /// Runs a command with no signal blocked, since the threads of tests block most of them.
  static let unblocked = [
    "perl", "-MPOSIX", "-e", "sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV or die",
  ]

  /// Whether `measure` and `run` show everything, so that tests see it.
  var isVerbose = true

  /// A command that runs launchlab, such as `setpriv` with its options.
  var wrapper: [String] = []

  // MARK: - Running it

  /// Runs launchlab to its end, and expects that it leaves nothing behind.
  ///
  /// The first text is a line of arguments between spaces; each other one is an argument.
  func run(
    _ line: String,
    _ arguments: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Output {
    let words = line.split(separator: " ").map(String.init)
    return try await run(arguments: words + arguments, sourceLocation: sourceLocation)
  }

  func run(
    arguments: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Tool.Output {
    let session = try start(arguments)
    let output = try await session.finish(sourceLocation: sourceLocation)
    #expect(session.leftovers == [], sourceLocation: sourceLocation)
    return output
  }

  /// Starts launchlab, to do something to it while it runs.
  func start(_ arguments: [String]) throws -> Session {
    var arguments = arguments
    if isVerbose, ["measure", "run"].contains(arguments.first) {
      arguments.insert("--verbose", at: 1)
    }
    let command = Self.unblocked + wrapper + [executable] + arguments
    let tool = try Tool.start(
      command[0],
      Array(command.dropFirst()),
      in: directory,
      environment: [
        Self.mark: directory, "NO_COLOR": "1", "LAUNCHLAB_STATE_DIR": path(stateDirectory),
      ]
    )
    return Session(tool: tool, directory: directory)
  }

  // MARK: - Its store

  /// The stored runs, newest first; none when nothing was stored.
  func runs(store: String? = nil) async throws -> [StoredRun] {
    let output = try await finished(["history", "--json", "-"], store: store)
    let isEmpty = ["no run is stored", "there is no store"].contains(where: output.stderr.contains)
    if output.status == 128, isEmpty { return [] }
    return try StoredRun.decoder.decode(StoredRun.List.self, from: Data(output.stdout.utf8)).runs
  }

  /// Every stored launch of a run; nil means the newest one.
  func launches(of run: String? = nil, store: String? = nil) async throws -> [StoredLaunch] {
    let output = try await finished(["export"] + (run.map { [$0] } ?? []), store: store)
    return try output.stdout.split(separator: "\n").map {
      try StoredRun.decoder.decode(StoredLaunch.self, from: Data($0.utf8))
    }
  }

  private func finished(_ arguments: [String], store: String?) async throws -> Tool.Output {
    try await start(arguments + (store.map { ["--store", $0] } ?? [])).finish()
  }

  // MARK: - Files of the test

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func write(_ text: String, to name: String) throws {
    let file = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
  }

  /// Writes an executable Perl program, and returns its path.
  @discardableResult
  func writeProgram(_ source: String, to name: String = "program") throws -> String {
    try write("#!/usr/bin/perl\n\(source)\n", to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
    return path(name)
  }

  /// The directory for what launches need meanwhile, which lies beside a store, and where that of the
  /// default store is.
  static let workName = "work"
  static let workDirectory = ".launchlab/\(workName)"

  /// Copies a program of the system, so that nobody else runs the copy.
  @discardableResult
  func copyProgram(_ program: String, to name: String) throws -> String {
    let file = URL(filePath: path(name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try FileManager.default.copyItem(
      at: URL(filePath: program).resolvingSymlinksInPath(),
      to: file
    )
    return path(name)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The number of lines of a file that a target writes to; 0 while it does not exist.
  func lineCount(of name: String) -> Int {
    FileManager.default.contents(atPath: path(name))?.count { $0 == UInt8(ascii: "\n") } ?? 0
  }

  /// The names of the files of a directory; none while it does not exist.
  func names(in name: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []
  }

  /// The content of every file below the directory, by path.
  var contents: [String: Data] {
    let names = FileManager.default.enumerator(atPath: directory)
    var contents: [String: Data] = [:]
    while let name = names?.nextObject() as? String {
      contents[name] = FileManager.default.contents(atPath: path(name)) ?? Data()
    }
    return contents
  }
}

/// Waits until a condition holds, which is looked at every few milliseconds.
///
/// - Returns: Whether it held in time.
func eventually(within limit: Duration = .seconds(60), _ condition: () -> Bool) async throws -> Bool
{
  let deadline = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now > deadline { return false }
    try await Task.sleep(for: .milliseconds(2))
  }
  return true
}
