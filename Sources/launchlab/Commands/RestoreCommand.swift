import ArgumentParser
import LabChecks
import LaunchCore
import Measuring

extension Launchlab {
  /// Undoes what a killed lab has left changed.
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Restore machine settings left behind by a killed run.",
      discussion: """
        A run records each machine setting before it changes it, and restores it on every exit \
        path, including errors, Ctrl-C and SIGTERM. After a kill -9 the next run restores it \
        first; this command does so at once:
          launchlab restore

        The former value is restored, not a default. A setting that somebody else has changed \
        meanwhile is reported and left alone. Leftover processes are killed, cgroups and \
        directories removed. While a run is active, this command refuses and names it, or waits \
        with --wait.

        The record is in /run/launchlab for root, $XDG_RUNTIME_DIR/launchlab for other users, or \
        in LAUNCHLAB_STATE_DIR. Each user restores their own changes; root does not touch those \
        of others.

        Exit codes: 0 restored, or changed by somebody else; 128 something could not be restored \
        (the command to do it by hand is shown).
        """
    )

    @OptionGroup var waiting: WaitOptions

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      try CommandFiles().writing(json, as: "--json").check()
      let recovery = try await waiting.patiently(on: console) {
        try await RestoreWorkflow(in: .live).run()
      }
      if json != "-" {
        try console.write(RestoreText(recovery, style: console.resultStyle).rendered())
      }
      console.show(recovery.diagnostics)
      if let json { try ResultFile(json).write(RestoreJSON(recovery)) }
      let code = recovery.exitCode
      if code != .done { throw ExitCode(code.rawValue) }
    }
  }
}

/// How long a command waits while another lab is at work.
struct WaitOptions: ParsableArguments {
  @Option(
    help: .init(
      "Wait up to this long, such as 30m, for another lab to finish.",
      valueName: "duration"
    )
  )
  var wait: String?

  /// Does something that has labs, each of which waits for its turn where that is asked for.
  func patiently<Result>(
    on console: Console,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard let patience = try patience(on: console) else { return try await body() }
    return try await LabPatience.$current.withValue(patience) { try await body() }
  }

  private func patience(on console: Console) throws -> LabPatience? {
    guard let wait else { return nil }
    return try LabPatience(wait) { LabWaiting(console: console).show($0) }
  }
}

/// Shows that another lab is waited for: a note, and on a terminal how long.
struct LabWaiting {
  let console: Console

  func show(_ event: LabPatience.Event) {
    let terminal = console.stderr.isTerminal ? console.stderr : nil
    switch event {
    case .waiting(let limit, let reason):
      try? terminal?.redraw("")
      console.note("waiting up to \(limit): \(reason)")
    case .waited(let time, let limit):
      try? terminal?.redraw("waited \(time.count / 1_000_000_000) s of \(limit)")
    case .ended:
      try? terminal?.redraw("")
    }
  }
}
