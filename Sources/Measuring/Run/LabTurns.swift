package import LaunchCore
package import LaunchHost
import Scenarios

/// The lab of a command that launches, builds and launches again: it has the machine while it
/// launches, and gives it back, with every change undone, while it builds.
///
/// It is used from one thread.
package final class LabTurns {
  private let command: [String]
  private let context: WorkflowContext

  /// The lab, while there is one.
  package private(set) var session: LabSession?

  /// What a person should know of the labs that are over, and what they could not set back.
  private var past: [Diagnostic] = []
  private var changed: [Diagnostic] = []

  private init(command: [String], in context: WorkflowContext) async throws {
    self.command = command
    self.context = context
    session = try await LabPatience.turn(in: context) { () throws(HostError) in
      try context.session(for: command)
    }
  }

  /// Has labs for as long as something takes, and ends the last one whatever becomes of that.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab.
  ///   - context: Where the lab lock is.
  ///   - body: What takes place; it begins in a lab.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, with what could not be set back then; and
  ///   `HostError.labBusy` where another lab is at work and nobody waits.
  package static func use<Result>(
    command: [String],
    in context: WorkflowContext,
    body: (LabTurns) async throws -> Result
  ) async throws -> Result {
    let turns = try await LabTurns(command: command, in: context)
    do {
      let result = try await withBlockingThread { try await body(turns) }
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
  package func enter(
    waiting limit: String,
    _ tell: (LabPatience.Event) -> Void
  ) async throws -> LabSession {
    if let session { return session }
    let made = try await LabPatience.turn(in: context, atMost: limit, tell) {
      () throws(HostError) in
      try context.session(for: command)
    }
    session = made
    return made
  }

  /// Ends the lab, if there is one.
  package func leave() {
    guard let session else { return }
    past = notes
    changed += session.end()
    self.session = nil
  }

  /// Adds something that a person should know of a lab, once.
  package func note(_ diagnostic: Diagnostic?) {
    if let diagnostic, !past.contains(diagnostic) { past.append(diagnostic) }
  }

  /// What a person should know of what labs that were killed had left, and of what was killed in these;
  /// each once.
  package var notes: [Diagnostic] { past + (session?.notes ?? []).filter { !past.contains($0) } }
}

extension WorkflowContext {
  /// Has a lab for as long as something takes, and ends it whatever becomes of that; waits for it as
  /// ``LabPatience`` says.
  ///
  /// - Parameters:
  ///   - command: The command line of launchlab.
  ///   - body: What takes place in the lab.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, with what could not be set back then.
  package func lab<Result>(
    for command: [String],
    body: (LabSession) async throws -> Result
  ) async throws -> Result {
    try await LabTurns.use(command: command, in: self) { turns in
      try await body(try await turns.enter(waiting: "0s") { _ in })
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

/// How long every lab of a command waits while another one is at work.
///
/// One command may have several labs one after the other, such as a night, the proof of a suspicion
/// and a bisection, and all of them wait alike; so it belongs to the task and not to each request.
package struct LabPatience: Sendable {
  /// Nil where nobody waits.
  @TaskLocal package static var current: LabPatience?

  /// How often a person is told.
  private static let step = Duration.seconds(1)

  private let limit: Nanoseconds
  private let text: String
  private let tell: @Sendable (Event) -> Void

  /// What a person is told meanwhile.
  package enum Event: Hashable, Sendable {
    /// Another lab is at work, as the sentence says; told again when that is yet another one.
    case waiting(limit: String, reason: String)

    /// Told every second.
    case waited(Nanoseconds, limit: String)

    /// The waiting is over, whatever it came to.
    case ended
  }

  /// - Parameters:
  ///   - text: The longest time, such as `30m`.
  ///   - tell: Told what goes on.
  /// - Throws: `ScenarioError` for what is no duration.
  package init(_ text: String, tell: @escaping @Sendable (Event) -> Void) throws {
    limit = try ScenarioFile.duration(text, option: "--wait")
    self.text = text
    self.tell = tell
  }

  /// Tries something that takes the lab lock, as long as another lab has it and somebody waits.
  ///
  /// No thread waits meanwhile.
  ///
  /// - Parameters:
  ///   - context: Has the flag of signals.
  ///   - attempt: What takes the lock, and has changed nothing when it could not.
  /// - Returns: What `attempt` returns.
  /// - Throws: What `attempt` throws, with how long was waited; `HostError.interrupted` within a
  ///   moment of a signal.
  package static func turn<Result>(
    in context: WorkflowContext,
    _ attempt: () throws(HostError) -> Result
  ) async throws -> Result {
    guard let current else { return try attempt() }
    return try await turn(in: context, within: current.limit, current.text, current.tell, attempt)
  }

  /// The same for what waits also where nobody has asked for it, as what has begun already.
  ///
  /// - Parameters:
  ///   - context: Has the flag of signals.
  ///   - text: The longest time then, such as `24h`.
  ///   - tell: Told what goes on then.
  ///   - attempt: What takes the lock.
  /// - Returns: What `attempt` returns.
  /// - Throws: Also `ScenarioError` for what is no duration.
  static func turn<Result>(
    in context: WorkflowContext,
    atMost text: String,
    _ tell: (Event) -> Void,
    _ attempt: () throws(HostError) -> Result
  ) async throws -> Result {
    guard current == nil else { return try await turn(in: context, attempt) }
    let limit = try ScenarioFile.duration(text, option: "--max-time")
    return try await turn(in: context, within: limit, text, tell, attempt)
  }

  private static func turn<Result>(
    in context: WorkflowContext,
    within limit: Nanoseconds,
    _ text: String,
    _ tell: (Event) -> Void,
    _ attempt: () throws(HostError) -> Result
  ) async throws -> Result {
    let beginning = ContinuousClock.now
    var last: LabLockOwner?
    var queue: LabQueue?
    defer { if last != nil { tell(.ended) } }
    while true {
      let result = Swift.Result { () throws(HostError) in
        try withExtendedLifetime(queue) { () throws(HostError) in try attempt() }
      }
      switch result {
      case .success(let result): return result
      case .failure(.labBusy(let lock, var owner, _)):
        let place = try LabQueue(for: lock)
        queue = place
        var rest: Duration
        repeat {
          let waited = Nanoseconds(
            Int64(clamping: (ContinuousClock.now - beginning) / .nanoseconds(1))
          )
          owner = place.owner ?? owner
          guard waited < limit else {
            throw HostError.labBusy(lock: lock, owner: owner, waited: text)
          }
          if owner != last { tell(.waiting(limit: text, reason: reason(lock, owner))) }
          last = owner
          tell(.waited(waited, limit: text))
          rest = .nanoseconds(limit.count - waited.count)
        } while try await !place.isFirst(within: min(step, rest), interrupt: context.interrupt())
      case .failure(let error): throw error
      }
    }
  }

  private static func reason(_ lock: String, _ owner: LabLockOwner) -> String {
    HostError.labBusy(lock: lock, owner: owner).diagnostics.map(\.problem).joined()
  }
}
