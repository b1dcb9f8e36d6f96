import ArgumentParser
import History
import LaunchCore
import Measuring
import Rendering

extension Launchlab {
  /// Writes the trend report of stored nights.
  struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "report",
      abstract: "Write the trend report: what changed, since when, and is it code or machine.",
      discussion: """
        Launches nothing. Writes report/latest.md beside the scenario, a dated copy, charts in \
        report/img, the dashboard report/index.html, and the Atom feed report/feed.xml:
          launchlab report scenario.yml

        Of the hosts of a depot, one report each, below report in the working directory, and \
        in report/hosts what the hosts say together of each scenario:
          launchlab report --store postgresql://depot.example/lab

        The exit code is 0 unless --fail-on is given.
        """
    )

    @Argument(
      help: .init("Scenario file.", valueName: "scenario-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var scenarioFile: String?

    @OptionGroup var stored: StoredOptions

    @Option(
      help: .init("Scenario file, or name of the only scenario to report.", valueName: "name")
    )
    var scenario: String?

    @Option(
      help: .init(
        "Run to report, into a file of its own (default: the newest one).",
        valueName: "run"
      )
    )
    var run: String?

    @Option(
      help: .init(
        "What is known of the alerts of an older run: then (as it was), or now.",
        valueName: "time"
      )
    )
    var asOf = AsOf.then

    @Option(
      name: .shortAndLong,
      help: .init(
        "Output directory (default: report beside the scenario).",
        valueName: "directory"
      ),
      completion: .directory
    )
    var output: String?

    @Option(file: "Write the trends as JSON; - is stdout.") var json: String?

    @Option(file: "Write the verdicts as a JUnit report, for CI; - is stdout.") var junit: String?

    @Option(file: "Write the newest values as an OpenMetrics file, for Prometheus; - is stdout.")
    var openmetrics: String?

    @Option(
      file: """
        Mustache template of the report (default: .launchlab/report.md.mustache, if it \
        exists).
        """
    )
    var template: String?

    @Option(help: .init("Format of the charts.", valueName: "format"))
    var charts = Charts.svg

    @Option(help: .init("Compare tonight with this release of the scenario.", valueName: "name"))
    var release: String?

    @Option(
      help: .init(
        """
        Exit with 1 on confirmed regressions (confirmed), and with 125 on suspected ones too \
        (suspected).
        """,
        valueName: "level"
      )
    )
    var failOn: FailOn?

    @Flag(help: "Print the report template, as a starting point for your own.")
    var printTemplate = false

    /// What is known of alerts.
    enum AsOf: String, ExpressibleByArgument, CaseIterable {
      case then
      case now
    }

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

    /// The scenario as a file and as a name, which a word is if there is no such file.
    private var named: (file: String?, name: String?) {
      let words = [scenarioFile, scenario].compactMap(\.self)
      return (words.first(where: \.namesScenario), words.first { !$0.namesScenario })
    }

    func validate() throws {
      if let scenarioFile, let scenario, scenarioFile.namesScenario == scenario.namesScenario {
        throw ValidationError("give one scenario, not \(scenarioFile) and \(scenario)")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let (scenarioFile, scenario) = named
      if printTemplate { return try console.write(TrendMarkdown.defaultTemplate) }
      let options = ReportOptions(release: release, hasCharts: charts == .svg)
      var request = ReportRequest(
        scenarioPath: scenarioFile,
        store: try await stored.path(scenario: scenario, on: console),
        scenario: scenario,
        run: run,
        output: output,
        template: template,
        options: options
      )
      request.hindsight = asOf == .now
      request.files = CommandFiles().writing(json, as: "--json").writing(junit, as: "--junit")
        .writing(openmetrics, as: "--openmetrics")
      let workflow = ReportWorkflow(request, in: .live)
      let reports = try workflow.reports(console.show)
      let overHosts = try workflow.reports(overHostsOf: reports)
      let summaries = reports.map(\.summary)
      if let json { try ResultFile(json).write(TrendJSON(summaries)) }
      if let junit { try ResultFile(junit).write { try $0(JUnitReport(summaries).rendered()) } }
      if let openmetrics {
        try ResultFile(openmetrics).write { try $0(OpenMetricsText(summaries).rendered()) }
      }
      if ![json, junit, openmetrics].contains("-") {
        for report in reports {
          let text = TrendText(report.summary, style: console.resultStyle, options: report.options)
          try console.write(text.rendered() + ["  report: \(report.path)"].joinedLines())
        }
        for report in overHosts {
          let text = HostsText(report.summary, style: console.resultStyle)
          try console.write(text.rendered() + ["  report: \(report.path)"].joinedLines())
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
