import Foundation
package import LabAnalysis
import LabHost
import LabModel
package import LabReport

/// The files of a report: `latest.md`, a copy by its date, charts, the dashboard and the run.
package enum ReportFiles {
  /// Writes the files of a night; each is replaced only when the new one is whole.
  ///
  /// `latest.md` and its copy `YYYY-MM-DD.md`, by the date of the night in UTC, are the same. Copies
  /// and charts of former nights stay, since the copies show these charts. The Markdown comes last,
  /// so that a template that cannot be read costs nothing else.
  ///
  /// - Parameters:
  ///   - summary: What is concluded.
  ///   - run: The result of the night's run, for `run.md`; nil for none.
  ///   - directory: It is made if it is not there.
  ///   - template: The path of a mustache template; nil means `.launchlab/report.md.mustache` beside
  ///     the scenario where there is one, or else the usual one.
  ///   - options: What the report shows.
  /// - Throws: `HostError` when the directory cannot be made, ``WorkflowError`` when the template
  ///   cannot be read, and `TemplateError`.
  package static func write(
    _ summary: TrendSummary,
    run: RunSummary?,
    to directory: String,
    template: String? = nil,
    options: ReportOptions = ReportOptions()
  ) throws {
    let images = "\(directory)/img"
    try OwnPlace.makeWay(to: options.hasCharts ? images : directory)
    if options.hasCharts {
      for chart in TrendCharts(summary).files {
        try replace("\(images)/\(chart.name)", by: chart.text)
      }
    }
    try replace("\(directory)/index.html", by: DashboardHTML(summary).rendered())
    if let run { try replace("\(directory)/run.md", by: RunMarkdown(run).rendered()) }
    let text = try markdown(summary, template: template, options: options)
    let day = name(ofDay: summary.tonight.startedAt)
    try replace("\(directory)/\(day).md", by: text)
    try replace("\(directory)/latest.md", by: text)
  }

  // MARK: - Names

  /// The paths of the files that every report writes, by the day in UTC.
  static func fixed(in directory: String) -> [String] {
    let days = [Date(), Date() + 86_400].map { "\(name(ofDay: $0)).md" }
    return (["latest.md", "run.md", "index.html"] + days).map { "\(directory)/\($0)" }
  }

  /// The paths of the files of former reports.
  static func existing(in directory: String) -> [String] {
    [directory, "\(directory)/img"].flatMap { place in
      ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [])
        .filter(isOne).map { "\(place)/\($0)" }
    }
  }

  /// Whether a report writes files of such a name.
  static func isOne(_ name: String) -> Bool {
    if name.hasSuffix(".svg") || ["latest.md", "run.md", "index.html"].contains(name) {
      return true
    }
    let pattern = "0000-00-00.md"
    return name.count == pattern.count
      && zip(name, pattern).allSatisfy { $1 == "0" ? $0.isASCII && $0.isNumber : $0 == $1 }
  }

  private static func name(ofDay date: Date) -> String {
    date.formatted(.iso8601.year().month().day())
  }

  private static func markdown(
    _ summary: TrendSummary,
    template: String?,
    options: ReportOptions
  ) throws -> String {
    let path = template ?? ownTemplate(of: summary.scenario)
    let text = try path.map(read)
    do {
      return try TrendMarkdown(summary: summary, template: text, options: options).rendered()
    } catch var error as TemplateError {
      error.path = path
      throw error
    }
  }

  /// The template beside a scenario, if there is one.
  static func ownTemplate(of scenario: Scenario) -> String? {
    let own = "\(scenario.directory)/.launchlab/report.md.mustache"
    return FileManager.default.fileExists(atPath: own) ? own : nil
  }

  private static func read(_ path: String) throws -> String {
    do {
      return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw WorkflowError.cannotRead(path: path, reason: error.localizedDescription)
    }
  }

  private static func replace(_ path: String, by text: String) throws {
    try WholeFile(path).write { try $0(text) }
  }
}
