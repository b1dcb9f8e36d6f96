import CLabHost
import Dispatch
import Foundation
import Glibc

/// A program of the machine that is run for what it prints, such as rpm or systemctl.
///
/// It is never waited for longer than its limit, even when the kernel does not let it end.
struct SystemTool {
  private let program: String
  private let environment: [String: String]
  private let printsErrors: Bool

  /// The longest time; a unit that is stopped has 90 s by default (systemd-system.conf(5)).
  var limit = 120

  /// The program did not end in its time, and was killed.
  struct TooSlow: LocalizedError {
    let limit: Int
    var errorDescription: String? { "it did not end within \(limit) s" }
  }

  /// - Parameters:
  ///   - program: Its path.
  ///   - environment: All its variables.
  ///   - printsErrors: Whether its errors belong to what it prints.
  init(_ program: String, environment: [String: String], printsErrors: Bool = false) {
    self.program = program
    self.environment = environment
    self.printsErrors = printsErrors
  }

  /// Runs it, and gives what it prints, whatever its status.
  ///
  /// - Throws: What starting it throws, or ``TooSlow``.
  func output(_ arguments: [String]) throws -> String {
    let descriptor = lab_make_memory_file()
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: -descriptor) ?? .ENOMEM) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = file
    process.standardError = printsErrors ? file : FileHandle.nullDevice
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    if end.wait(timeout: .now() + .seconds(limit)) == .timedOut {
      _ = kill(process.processIdentifier, SIGKILL)
      _ = end.wait(timeout: .now() + .seconds(2))
      throw TooSlow(limit: limit)
    }
    try file.seek(toOffset: 0)
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
  }
}
