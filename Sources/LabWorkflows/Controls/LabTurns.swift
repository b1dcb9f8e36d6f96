import LabHost
import LabModel

/// The lab of a command that launches, builds and launches again: it has the machine while it
/// launches, and gives it back, with every change undone, while it builds.
///
/// It is used from one thread.
final class LabTurns {
  private let command: [String]

  /// The lab, while there is one.
  private(set) var session: LabSession?

  /// What a person should know of the labs that are over, and what they could not set back.
  private var past: [Diagnostic] = []
  private var changed: [Diagnostic] = []

  private init(command: [String]) throws(HostError) {
    self.command = command
    session = try LabPatience.turn { () throws(HostError) in
      try LabSession(command: command)
    }
  }

  /// Has labs for as long as something takes, and ends the last one whatever becomes of that.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab.
  ///   - body: What takes place; it begins in a lab.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, with what could not be set back then; and
  ///   `HostError.labBusy` where another lab is at work and nobody waits.
  static func use<Result>(
    command: [String],
    body: (LabTurns) async throws -> Result
  ) async throws -> Result {
    let turns = try LabTurns(command: command)
    do {
      let result = try await body(turns)
      turns.leave()
      return result
    } catch {
      turns.leave()
      throw FailureInChangedMachine.adding(turns.changed, to: error)
    }
  }

  /// The lab; takes one where there is none, and waits for it.
  ///
  /// - Parameters:
  ///   - limit: The longest time to wait, such as `24h`, where ``LabPatience`` says none.
  ///   - tell: Told what goes on meanwhile.
  /// - Returns: The lab.
  /// - Throws: `HostError.labBusy` when the time is over, and `HostError.interrupted`.
  @discardableResult
  func enter(
    waiting limit: String,
    _ tell: (LabPatience.Event) -> Void
  ) throws -> LabSession {
    if let session { return session }
    let made = try LabPatience.turn(atMost: limit, tell) { () throws(HostError) in
      try LabSession(command: command)
    }
    session = made
    return made
  }

  /// Ends the lab, if there is one.
  func leave() {
    guard let session else { return }
    past = notes
    changed += session.end()
    self.session = nil
  }

  /// What a person should know of what labs that were killed had left, and of what was killed in these;
  /// each once.
  var notes: [Diagnostic] { past + (session?.notes ?? []).filter { !past.contains($0) } }
}
