import LabModel
import Subprocess
import SystemPackage

/// Tells people of findings through programs and files of the machine.
///
/// What is sent, and secrets such as the URL of a webhook, never stand on a command line, where
/// every user of the host could read them.
package struct NoticeSender: Sendable {
  /// The working directory of the programs.
  let directory: String

  let environment: [String: String]

  /// How long each program may take.
  let limit: Duration

  private let interrupt: InterruptFlag?

  /// Prepares to tell somebody.
  ///
  /// - Parameters:
  ///   - directory: The working directory of the programs.
  ///   - environment: Where `PATH` and the variables of webhooks are looked up.
  ///   - limit: How long each program may take.
  ///   - interrupt: Ends the program that runs when it is set.
  package init(
    directory: String,
    environment: [String: String],
    limit: Duration = .seconds(60),
    interrupt: InterruptFlag? = nil
  ) {
    self.directory = directory
    self.environment = environment
    self.limit = limit
    self.interrupt = interrupt
  }

  /// Whether nobody shall be told any more.
  package var isInterrupted: Bool { interrupt?.isSet == true }

  /// Runs a command of the user.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments; without a slash it is looked up in `PATH`.
  ///   - input: What it reads on its standard input.
  /// - Throws: ``NoticeFailure`` when it cannot be started, takes too long, prints more than 1 MiB,
  ///   or ends with another status than 0; then the reason has its last line.
  package func run(_ command: [String], input: String) async throws(NoticeFailure) {
    let program = command.first ?? ""
    guard let path = found(program) else {
      throw Self.notExecutable(program)
    }
    let output = try await tool(path, Array(command.dropFirst())).run(Array(input.utf8))
    try Self.check(output)
  }

  /// Why a command could not be run; nil when nothing is known to be in its way.
  package func obstacle(toRunning command: [String]) -> NoticeFailure? {
    let program = command.first ?? ""
    return found(program) == nil ? Self.notExecutable(program) : nil
  }

  private static func notExecutable(_ program: String) -> NoticeFailure {
    NoticeFailure("\"\(program)\" is not a program that can be executed")
  }

  func tool(_ path: String, _ arguments: [String]) -> NoticeTool {
    NoticeTool(
      executable: .path(FilePath(path)),
      arguments: arguments,
      directory: FilePath(directory),
      limit: limit,
      interrupt: interrupt
    )
  }

  /// The absolute path of a program that notifications need; nil when it is not installed.
  package func path(of program: NoticeProgram) -> String? {
    found(program.rawValue, besides: program.directories)
  }

  /// The absolute path of a program, looked up in `PATH` and in directories that it often lacks;
  /// nil when there is none that can be executed.
  func found(_ program: String, besides directories: [String] = []) -> String? {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return try? ExecutableLookup.resolve(
      command: program,
      path: ([path] + directories).joined(separator: ":"),
      directory: directory
    )
  }

  /// Takes any end but a status of 0 for a failure.
  static func check(_ output: NoticeTool.Output) throws(NoticeFailure) {
    guard !output.status.isSuccess else { return }
    let said = output.lastLine.map { ": \($0)" } ?? ""
    switch output.status {
    case .exited(let code): throw NoticeFailure("it ended with status \(code)\(said)")
    case .signaled(let signal): throw NoticeFailure("it ended with signal \(signal)\(said)")
    }
  }
}
