import Foundation
import LaunchCore
import LaunchHost
import Measuring

/// The files of a report: `latest.md`, a copy by its date, charts, the dashboard and the feed.
package enum ReportFiles {
  /// Which files of a night are written.
  package enum Kind {
    /// `latest.md`, its copy by the date, the dashboard, the feed and charts.
    case newest

    /// Those of an older night as they were known then: `RUN.md` and its charts.
    case record

    /// Those of an older night as they are known now: `RUN-now.md` and its charts.
    case hindsight
  }

  /// Writes the files of a night; each is replaced only when the new one is whole.
  ///
  /// `latest.md` and its copy are the same. The copy is `YYYY-MM-DD.md` by the date of the night in UTC,
  /// or `RUN.md` where that is of another run of the day. Copies and charts of former nights stay as
  /// they are. The Markdown comes last, so that a template that cannot be read costs nothing else.
  ///
  /// - Parameters:
  ///   - summary: What is concluded.
  ///   - kind: Which files are written.
  ///   - directory: It is made if it is not there.
  ///   - template: The path of a mustache template; nil means `.launchlab/report.md.mustache` beside
  ///     the scenario where there is one, or else the usual one.
  ///   - options: What the report shows.
  /// - Returns: The path of the Markdown.
  /// - Throws: `HostError` when the directory cannot be made, ``WorkflowError`` when the template
  ///   cannot be read, and `TemplateError`.
  @discardableResult
  package static func write(
    _ summary: TrendSummary,
    _ kind: Kind,
    to directory: String,
    template: String? = nil,
    options: ReportOptions = ReportOptions()
  ) throws -> String {
    let images = "\(directory)/img"
    try OwnPlace.makeWay(to: options.hasCharts ? images : directory)
    if options.hasCharts {
      for chart in TrendCharts(summary).files {
        try replace("\(images)/\(chart.name)", by: chart.text)
      }
    }
    if kind == .newest {
      try replace("\(directory)/index.html", by: DashboardHTML(summary).rendered())
      try replace("\(directory)/feed.xml", by: AlertFeed(summary).rendered())
    }
    let text = try markdown(summary, template: template, options: options)
    switch kind {
    case .newest:
      try replace(copy(of: summary, in: directory), by: text)
      try replace("\(directory)/latest.md", by: text)
      return "\(directory)/latest.md"
    case .record, .hindsight:
      let path = "\(directory)/\(summary.run.id)\(kind == .record ? "" : "-now").md"
      try replace(path, by: text)
      return path
    }
  }

  /// The path of the copy that stays: by the day, unless that is the report of another run.
  private static func copy(of summary: TrendSummary, in directory: String) -> String {
    let path = "\(directory)/\(summary.tonight.startedAt.utcDay).md"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      TrendMark.run(in: text) != summary.run.id
    else { return path }
    return "\(directory)/\(summary.run.id).md"
  }

  // MARK: - Writing

  private static func markdown(
    _ summary: TrendSummary,
    template: String?,
    options: ReportOptions
  ) throws -> String {
    let path = template ?? ReportNames.ownTemplate(of: summary.scenario)
    let text = try path.map(read)
    do {
      return try TrendMarkdown(summary: summary, template: text, options: options).rendered()
    } catch var error as TemplateError {
      error.path = path
      throw error
    }
  }

  private static func read(_ path: String) throws -> String {
    do {
      return try String(contentsOf: URL(filePath: path), encoding: .utf8)
    } catch {
      throw WorkflowError.cannotRead(path, because: error)
    }
  }

  private static func replace(_ path: String, by text: String) throws {
    try WholeFile(path).write { try $0(text) }
  }
}
