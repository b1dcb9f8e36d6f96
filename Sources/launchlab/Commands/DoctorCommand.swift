import ArgumentParser
import LabChecks
import LaunchCore
import Measuring

extension Launchlab {
  /// Says what the host can and cannot do.
  struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "doctor",
      abstract: "Check what this machine can and cannot measure, and how to improve it.",
      discussion: """
        Changes nothing. Degraded means more noise or weaker controls; missing means not \
        available on this machine. Each finding has an id and a remedy.

        As root, everything can be checked:
          sudo launchlab doctor

        In a script, ignoring known findings:
          launchlab doctor --strict --suppress governor --suppress boost
        """
    )

    @Option(
      help: .init("Ignore this finding; repeatable.", valueName: "finding"),
      completion: .list(DoctorWorkflow.ids)
    )
    var suppress: [String] = []

    @Flag(help: "Exit with 128 if something is missing that is not suppressed.")
    var strict = false

    @Option(file: "Write the findings as JSON; - is stdout.") var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try CommandFiles().writing(json, as: "--json").check()
      let findings = try DoctorWorkflow(suppressed: suppress, in: .live).findings()
      if json != "-" {
        try console.write(DoctorText(findings, style: console.resultStyle).rendered())
      }
      if let json { try ResultFile(json).write(DoctorJSON(findings)) }
      if strict, !findings.capabilities(.missing).isEmpty {
        throw ExitCode(LabExitCode.couldNotMeasure.rawValue)
      }
    }
  }
}
