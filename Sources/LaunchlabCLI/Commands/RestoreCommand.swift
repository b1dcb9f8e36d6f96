import ArgumentParser
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Undoes what a killed lab has left changed.
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Restores what a run that was killed has left changed on this machine.",
      discussion: """
        A run writes down each value of the machine before it changes it, and sets it back when it \
        ends, also after an error, Ctrl-C or a SIGTERM. After a kill -9 the next run does that \
        first, or this command does it at once:
          launchlab restore

        The value that was there is restored, not a default. A value that somebody else has \
        changed meanwhile is told, and stays. Processes, cgroups and directories that were left \
        are ended and removed. It may be given at any time; while a run goes on it refuses, and \
        says which, or waits for its end with --wait.

        What was changed is in the user's own state directory: /run/launchlab for root, \
        $XDG_RUNTIME_DIR/launchlab for others, or the directory that LAUNCHLAB_STATE_DIR names. \
        Each user restores what is their own; root does not look into those of others.

        It exits with 0 when the machine is as before, or was changed by somebody else, and with \
        128 when something cannot be restored; then the command that does it by hand is shown.
        """
    )

    @OptionGroup var waiting: WaitOptions

    @Option(help: "Write the result as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try CommandFiles().writing(json, as: "--json").check()
      let recovery = try waiting.patiently(on: console) { try RestoreWorkflow().run() }
      if json != "-" {
        try console.write(RestoreText(recovery, style: console.resultStyle).rendered())
      }
      console.show(recovery.diagnostics)
      if let json { try ResultFile(json).write { try RestoreJSON(recovery).write(to: $0) } }
      let code = recovery.exitCode
      if code != .done { throw ExitCode(code.rawValue) }
    }
  }
}
