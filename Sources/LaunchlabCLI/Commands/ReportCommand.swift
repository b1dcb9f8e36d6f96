import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

extension Launchlab {
  /// Writes the trend report of stored nights.
  struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes the trend report: what changed, since when, is it code or machine.",
      discussion: """
        Nothing is launched. The report is written to report/latest.md beside the scenario, with a \
        copy by date, charts in report/img and the dashboard report/index.html.
          launchlab report scenario.yml

        A report is no verdict: the exit code is 0 unless --fail-on says more.
        """
    )

    @Argument(help: "The scenario file.", completion: .file(extensions: ["yml", "yaml"]))
    var scenarioFile: String?

    @Option(
      help: "Read this SQLite <file> (default: .launchlab/launchlab.sqlite).",
      completion: .file()
    )
    var store: String?

    @Option(help: "Report the scenario of this <name> only.")
    var scenario: String?

    @Option(help: "Report the night of this run <id> (default: the newest complete one).")
    var run: String?

    @Option(
      name: .shortAndLong,
      help: "Write to this <directory> (default: report beside the scenario).",
      completion: .directory
    )
    var output: String?

    @Option(help: "Write the trends as JSON to <file>; - means stdout.", completion: .file())
    var json: String?

    @Option(
      help: "Use this mustache <file> (default: .launchlab/report.md.mustache, if there is one).",
      completion: .file()
    )
    var template: String?

    @Option(help: "Write charts as svg, or none.")
    var charts = Charts.svg

    @Option(help: "Show tonight against the release of this <name> of the scenario.")
    var release: String?

    @Option(help: "End with exit code 1 or 125 for what is confirmed, or suspected too.")
    var failOn: FailOn?

    @Flag(help: "Print the template that reports are written from, to begin one's own with.")
    var printTemplate = false

    /// What charts are written.
    enum Charts: String, ExpressibleByArgument, CaseIterable {
      case svg
      case none
    }

    /// What ends with an exit code of its own.
    enum FailOn: String, ExpressibleByArgument, CaseIterable {
      case confirmed
      case suspected
    }

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      if printTemplate { return try console.write(TrendMarkdown.defaultTemplate) }
      let options = ReportOptions(
        scenarioFile: scenarioFile ?? "scenario.yml",
        release: release,
        hasCharts: charts == .svg
      )
      var request = ReportRequest(
        scenarioPath: scenarioFile,
        store: store,
        scenario: scenario,
        run: run,
        output: output,
        template: template,
        options: options
      )
      request.files = CommandFiles().writing(json, as: "--json")
      let reports = try ReportWorkflow(request).reports()
      let summaries = reports.map(\.summary)
      if let json { try ResultFile(json).write { try TrendJSON(summaries).write(to: $0) } }
      if json != "-" {
        for report in reports {
          let text = TrendText(report.summary, style: console.resultStyle, options: options)
          try console.write(text.rendered() + "  report: \(report.path)\n")
        }
      }
      try fail(with: summaries.map(\.exitCode).max() ?? .done)
    }

    private func fail(with code: LabExitCode) throws {
      let counts =
        switch failOn {
        case .confirmed: code >= .regression
        case .suspected: code > .done
        case nil: false
        }
      if counts { throw ExitCode(code.rawValue) }
    }
  }
}
