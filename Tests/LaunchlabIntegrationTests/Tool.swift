import Foundation

/// The checkout that the tests were built from.
enum Repository {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// A program that a test runs to its end.
enum Tool {
  /// What a program printed and how it ended.
  struct Output {
    let status: Int32
    let stdout: String
    let stderr: String
  }

  /// Runs a program that is looked up in PATH.
  static func run(
    _ program: String,
    _ arguments: [String],
    in directory: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Output {
    let process = try start(program, arguments, in: directory, environment: environment)
    return process.finish()
  }

  /// Starts a program that is looked up in PATH.
  static func start(
    _ program: String,
    _ arguments: [String],
    in directory: String? = nil,
    environment: [String: String] = [:]
  ) throws -> RunningTool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let directory { process.currentDirectoryURL = URL(filePath: directory) }
    return try RunningTool(process)
  }
}

/// A program that goes on while a test does something else; its output goes to files.
final class RunningTool {
  let process: Process
  private let folder: URL

  init(_ process: Process) throws {
    self.process = process
    folder = FileManager.default.temporaryDirectory
      .appending(path: "launchlab-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["stdout", "stderr"] {
      _ = FileManager.default.createFile(atPath: folder.appending(path: name).path, contents: nil)
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "stdout"))
    process.standardError = try FileHandle(forWritingTo: folder.appending(path: "stderr"))
    try process.run()
  }

  /// What was printed to stderr so far.
  var stderrSoFar: String { text("stderr") }

  /// Waits for the end and gives what was printed.
  func finish() -> Tool.Output {
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: folder) }
    return Tool.Output(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      stdout: text("stdout"),
      stderr: text("stderr")
    )
  }

  private func text(_ name: String) -> String {
    let data = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
