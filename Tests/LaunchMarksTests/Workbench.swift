import Foundation
import LabTestSupport
import Testing

/// Compiles the fixtures into the directory of the running test, and runs them.
enum Workbench {
  static let fixtures = folder("Fixtures")
  static let header = folder("../../Sources/LaunchMarks/include")
  static let wire = folder("../../Sources/CLaunchWire/include")
  static let library = folder("../../Sources/LaunchMarks/library.c")
  static let languages = folder("../../Scenarios/marks/languages")

  private static func folder(_ path: String) -> String {
    URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: path).standardizedFileURL.path
  }

  /// What a command printed, and how it ended.
  struct Run: Equatable {
    var stdout: String
    var stderr = ""
    var status: Int32 = 0

    var lines: [String] { stdout.split(separator: "\n").map(String.init) }
  }

  /// Whether a tool is in PATH.
  static func has(_ tool: String) -> Bool {
    (try? run(["/usr/bin/env", "sh", "-c", "command -v \(tool)"]))?.status == 0
  }

  /// Compiles a fixture, and expects that the compiler has nothing to say.
  ///
  /// - Returns: The path of the program.
  @discardableResult static func compile(
    _ source: String,
    with compiler: String = "cc",
    _ options: [String] = [],
    as name: String = "program"
  ) throws -> String {
    let path = "\(TemporaryDirectory.path)/\(name)"
    let result = try run(
      ["/usr/bin/env", compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I\(header)"]
        + ["-o", path, "\(fixtures)/\(source)"] + options
    )
    try #require(result.status == 0, "\(compiler): \(result.stderr)")
    return path
  }

  /// Runs a command with an environment of its own.
  static func run(
    _ command: [String],
    events: String? = nil,
    adding variables: [String: String] = [:]
  ) throws -> Run {
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
    process.environment?["LAUNCHLAB_EVENTS"] = events
    process.environment?.merge(variables) { $1 }
    let stdout = Pipe()
    let stderr = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    _ = FileManager.default.createFile(atPath: stderr.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: stderr) }
    process.standardOutput = stdout
    process.standardError = try FileHandle(forWritingTo: stderr)
    try process.run()
    let printed = try stdout.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Run(
      stdout: String(decoding: printed, as: UTF8.self),
      stderr: String(decoding: try Data(contentsOf: stderr), as: UTF8.self),
      status: process.terminationStatus
    )
  }
}
