import ArgumentParser
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Says what the host can and cannot do.
  struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says what this machine can and cannot do, and what to change.",
      discussion: """
        It changes nothing. What is degraded makes numbers scatter or controls weaker; what is \
        missing cannot be had on this machine. Each finding has an id and a remedy.

        As much as there is to see:
          sudo launchlab doctor

        In a script, with what is known and meant to stay:
          launchlab doctor --strict --suppress governor --suppress boost
        """
    )

    @Option(
      help: "Count the finding with this <id> neither as degraded nor as missing; repeatable.",
      completion: .list(DoctorWorkflow.ids)
    )
    var suppress: [String] = []

    @Flag(help: "End with exit code 128 when something is missing that is not suppressed.")
    var strict = false

    @Option(help: "Write the findings as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      try CommandFiles().writing(json, as: "--json").check()
      let findings = try DoctorWorkflow(suppressed: suppress).findings()
      if json != "-" {
        try console.write(DoctorText(findings, style: console.resultStyle).rendered())
      }
      if let json { try ResultFile(json).write { try DoctorJSON(findings).write(to: $0) } }
      if strict, !findings.capabilities(.missing).isEmpty {
        throw ExitCode(LabExitCode.couldNotMeasure.rawValue)
      }
    }
  }
}
