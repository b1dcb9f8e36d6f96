import LaunchCore
import LaunchHost
import Scenarios

/// Starts a command once to see what ends its launch: its exit, a port or socket that it listens on, or
/// its first window.
struct CommandTrial {
  /// What a scenario of the command needs.
  struct Finding: Hashable {
    /// The YAML of the key `ready`; nil for the exit.
    var ready: String?

    /// Why launches will fail as they are.
    var problems: [Diagnostic] = []
  }

  /// How long it may take to exit; what it does is looked at before the end of it.
  private static let timeout = "3s"

  private let command: [String]
  private let context: WorkflowContext

  init(_ command: [String], in context: WorkflowContext) {
    self.command = command
    self.context = context
  }

  /// Launches the command, and a second time on a display where it may have a window.
  func finding() async -> Finding {
    do {
      let result = try await launch(until: nil)
      if result.outcome == .ready { return Finding() }
      if let port = result.sight?.ports.first {
        let address = port.replacing("0.0.0.0:", with: "127.0.0.1:")
        return Finding(ready: "{tcp: \"\(address)\"}")
      }
      if let socket = result.sight?.sockets.first {
        return Finding(ready: "{unix: \"\(socket)\"}")
      }
      let printed = String(decoding: result.output.stderr.head, as: UTF8.self).lowercased()
      if result.outcome == .timedOut || printed.contains("display"),
        try await launch(until: "frame").outcome == .ready
      {
        return Finding(ready: "frame")
      }
      return Finding(problems: [problem(of: result.outcome)])
    } catch {
      let reason = (error as? any LabError)?.diagnostics.first
      return Finding(problems: [
        Diagnostic(
          .warning,
          id: "not-tried",
          problem: "the command was not tried: \(reason?.problem ?? "\(error)")",
          remedy: reason?.remedy
        )
      ])
    }
  }

  private func launch(until ready: String?) async throws -> LaunchResult {
    let options = MeasureOptions(
      command: command,
      states: [LaunchState.warm.rawValue],
      launches: 1,
      ready: ready,
      timeout: Self.timeout,
      directory: context.directory
    )
    let request = try RunRequest(options: options, store: nil, seed: nil)
    let interrupt = try context.interrupt()
    return try await context.lab(for: ["launchlab", "init", "--"] + command) { session in
      let arm = Arm(target: request.scenario.targets[0].name, state: .warm)
      let plan = Plan(scenario: request.scenario, seed: 0, arms: [arm], blockCount: 1)
      var laboratory = try await context.laboratory(
        plan,
        request.storeDirectory,
        session,
        interrupt
      )
      defer { laboratory.close() }
      return try laboratory.launch(arm)
    }
  }

  private func problem(of outcome: Outcome) -> Diagnostic {
    let name = Target.called(by: command)
    return outcome == .timedOut
      ? Diagnostic(
        .warning,
        id: "does-not-exit",
        problem: "\(name) did not exit within 3 s, and listens on nothing",
        remedy: "set `ready` of the target, such as {stdout: PATTERN} or notify"
      )
      : Diagnostic(
        .warning,
        id: "command-fails",
        problem: "\(name): \(outcome)",
        remedy: "fix the command, or every launch fails like this"
      )
  }
}

extension Target {
  /// The command as a person writes it.
  fileprivate static func called(by command: [String]) -> String {
    "`\(command.joined(separator: " "))`"
  }
}
