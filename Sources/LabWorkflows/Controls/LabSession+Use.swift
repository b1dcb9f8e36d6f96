import LabHost
import LabModel

extension LabSession {
  /// Has a lab for as long as something takes, and ends it whatever becomes of that; waits for it as
  /// ``LabPatience`` says.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab.
  ///   - body: What takes place in the lab.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, with what could not be set back then.
  static func use<Result>(
    command: [String],
    body: (LabSession) async throws -> Result
  ) async throws -> Result {
    let session = try LabPatience.turn { () throws(HostError) in
      try LabSession(command: command)
    }
    do {
      let result = try await body(session)
      session.end()
      return result
    } catch {
      throw FailureInChangedMachine.adding(session.end(), to: error)
    }
  }
}

/// A failure, and what of the machine is not as it was before.
struct FailureInChangedMachine: LabError {
  var diagnostics: [Diagnostic]
  var exitCode: LabExitCode

  /// An error with what could not be set back; itself where everything was.
  static func adding(_ changed: [Diagnostic], to error: any Error) -> any Error {
    guard !changed.isEmpty, let error = error as? any LabError else { return error }
    return FailureInChangedMachine(
      diagnostics: error.diagnostics + changed,
      exitCode: error.exitCode
    )
  }
}
