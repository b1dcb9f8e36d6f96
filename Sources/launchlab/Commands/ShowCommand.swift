import ArgumentParser
import Bisection
import Comparison
import LaunchCore
import Measuring
import Rendering

extension Launchlab {
  /// Shows a stored result again, with all that is known of it.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show a stored run, comparison or bisection again, in full.",
      discussion: """
        Launches nothing. Everything is shown that `--verbose` would have shown, except warnings \
        about the machine at that time, which are not stored. Without a run, the newest run or \
        bisection:
          launchlab show

        `launchlab history` lists the runs; an id may be shortened, and last~1 is the run before \
        the last:
          launchlab show 20261121T0430

        The verdict of a night is in `launchlab report --run`, an explanation in `launchlab explain \
        --resume last -v`. Of a gate only the comparison of launch times is stored.
        """
    )

    @Argument(help: .init("Id of a run or a bisection, or last (default: last).", valueName: "run"))
    var name = "last"

    @Option(file: "SQLite database to read (default: .launchlab/launchlab.sqlite).")
    var store: String?

    @Option(file: "Write the result as JSON; - is stdout.") var json: String?

    @Option(file: "Write the result as Markdown; - is stdout.") var markdown: String?

    func validate() throws {
      if json == "-", markdown == "-" {
        throw ValidationError("--json and --markdown cannot both write to stdout")
      }
    }

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      try CommandFiles().writing(json, as: "--json").writing(markdown, as: "--markdown").check()
      switch try await ShowWorkflow(store: store, in: .live).answer(name) {
      case .run(let summary):
        let text = runText(summary, on: console)
        try show(summary.warnings, on: console, text: text, json: RunJSON(summary)) {
          RunMarkdown(summary).rendered()
        }
      case .comparison(let summary):
        let text = ComparisonText(summary, style: console.resultStyle, isVerbose: true)
        let both = text.rendered() + "\n" + runText(summary.run, on: console)
        let json = ComparisonJSON(summary)
        try show(summary.run.warnings, on: console, text: both, json: json) { text.markdown() }
      case .bisection(let summary):
        let text = BisectText(summary, style: console.resultStyle, isVerbose: true).rendered()
        try show(summary.warnings, on: console, text: text, json: BisectJSON(summary)) {
          BisectMarkdown(summary).rendered()
        }
      }
    }

    private func runText(_ summary: RunSummary, on console: Console) -> String {
      let style = console.resultStyle
      return RunText(summary, style: style, isVerbose: true, includesWarnings: false).rendered()
    }

    private func show(
      _ warnings: [Diagnostic],
      on console: Console,
      text: String,
      json document: some JSONDocument,
      markdown render: () -> String
    ) throws {
      if json != "-", markdown != "-" { try console.write(text) }
      console.show(warnings)
      if let markdown { try ResultFile(markdown).write { try $0(render()) } }
      if let json { try ResultFile(json).write(document) }
    }
  }
}
