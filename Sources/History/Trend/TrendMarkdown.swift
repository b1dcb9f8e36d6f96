package import LaunchCore
import Mustache
import Rendering

/// The trend report of a scenario in Markdown.
///
/// The first lines answer whether the night is red, what changed, since which commit, whether code or
/// machine did it, why if that was found out, and what to do next. The same summary gives the same
/// bytes. Nothing that a name, a commit or a reason holds can break out of its place.
package struct TrendMarkdown {
  private let summary: TrendSummary
  private let lead: TrendLead
  private let slots: NightSlots
  private let template: String?
  private let options: ReportOptions

  /// Creates the report of a night.
  ///
  /// - Parameters:
  ///   - summary: What is concluded.
  ///   - template: A mustache template in place of ``defaultTemplate``; `docs/trend-report.md` lists
  ///     the names that it can use.
  ///   - options: What the report shows.
  package init(
    summary: TrendSummary,
    template: String? = nil,
    options: ReportOptions = ReportOptions()
  ) {
    self.summary = summary
    self.template = template
    self.options = options
    lead = TrendLead(summary)
    slots = NightSlots(summary)
  }

  /// The report.
  ///
  /// - Returns: Markdown, with a line feed after every line.
  /// - Throws: ``TemplateError`` when the template cannot be read.
  package func rendered() throws -> String {
    try Self.parsed(template ?? Self.defaultTemplate).render(values)
  }

  /// A template that puts every value in its place as it is: all are escaped already.
  private static func parsed(_ text: String) throws -> MustacheTemplate {
    do {
      return try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}\n" + text)
    } catch let error as MustacheTemplate.ParserError {
      throw TemplateError(
        problem: TemplateError.problem(of: error.error),
        line: max(1, error.context.lineNumber - 1),
        text: error.context.line
      )
    }
  }

  // MARK: - Values

  private var values: [String: Any] {
    let answer = TrendAnswer(summary, scenarioFile: summary.scenarioFile)
    let table = TrendTable(summary: summary, slots: slots, release: options.release)
    let sections = TrendSections(lead: lead, slots: slots, scenarioFile: summary.scenarioFile)
    let alerts = AlertTable(lead: lead)
    let unchanged = lead.unchanged
    var values: [String: Any] = [
      "title": answer.title.markdown, "what": answer.what.markdown,
      "since": answer.since.markdown, "cause": answer.cause.markdown,
      "next": answer.next.markdown, "verdict": answer.verdict, "symbol": lead.symbol,
      "day": summary.tonight.startedAt.utcDay,
      "scenario": MarkdownTable.escaped(summary.scenario.name),
      "run": MarkdownTable.escaped(summary.run.id), "facts": facts, "findings": findings,
      "hidden": TrendMark(lead).comment,
    ]
    values["why"] = lead.main?.openExplanation?.markdown
    let blocks: [(String, [String])] = [
      ("alerts", alerts.lines), ("known", alerts.known),
      ("trend", table.lines(lead.notable)),
      ("unchanged", table.lines(unchanged)), ("budgets", sections.budgets),
      ("counts", sections.counts),
      ("films", sections.films(hasPictures: options.hasCharts)),
      ("machine", sections.machine), ("receipts", sections.receipts),
      ("levels", sections.levels), ("drift", sections.drift), ("changes", sections.changes),
      ("stillOpen", sections.stillOpen), ("missed", sections.missed),
      ("method", sections.method),
    ]
    for (name, lines) in blocks where !lines.isEmpty {
      values[name] = String(lines.joinedLines().dropLast())
    }
    values["knownTitle"] = "Known alerts (\(lead.former.count))"
    if !unchanged.isEmpty { values["unchangedTitle"] = TrendTable.title(ofUnchanged: unchanged) }
    return values
  }

  private var findings: [[String: Any]] {
    summary.alerts.map { alert in
      let trend = lead.trend(of: alert)
      let chart =
        options.hasCharts
        ? trend.flatMap { trend in
          trend.points.isEmpty
            ? nil : TrendChart(trend, in: summary, slots: slots, alert: alert)
        } : nil
      return TrendFinding(
        alert: alert,
        lead: lead,
        scenarioFile: summary.scenarioFile,
        chart: chart,
        hasFlameGraph: options.hasCharts && summary.flameGraphs[alert.number] != nil,
        hasDistributions: options.hasCharts && summary.distributions[alert.number] != nil
      ).values
    }
  }

  /// What was launched, where and when, in one line.
  private var facts: String {
    let launches = Quantity.launches(summary.launches)
    let series = Quantity.count(summary.series.count, "series", plural: "series")
    let host = options.host.map { " on \($0)" } ?? ""
    let phrase: Phrase =
      "Run \(summary.run.id)\(host), \(raw: Quantity.instant(summary.tonight.startedAt)); \(raw: launches), \(summary.disturbedLaunches) disturbed; \(raw: series), \(raw: Quantity.count(summary.hostNights.own.count, "night"))"
    return phrase.markdown
  }
}

/// What a report shows, and how it names things.
package struct ReportOptions: Hashable, Sendable {
  /// The release that tonight is shown against; nil for the newest that there is.
  package var release: String?

  /// Whether there are charts beside the report.
  package var hasCharts: Bool

  /// The host that the report is of, where there are others beside it.
  package var host: String?

  package init(release: String? = nil, hasCharts: Bool = true) {
    self.release = release
    self.hasCharts = hasCharts
  }
}

extension TrendMarkdown {
  /// The template of reports, to begin one's own with.
  ///
  /// A name that has no value is left out; a section of such a name, too.
  package static let defaultTemplate = """
    # {{title}}
    - **What:** {{what}}
    - **Since:** {{since}}
    - **Code or machine:** {{cause}}
    {{#why}}
    - **Why:** {{why}}
    {{/why}}
    - **Next:** {{next}}

    {{facts}}

    {{#alerts}}
    ## Alerts

    {{alerts}}

    {{/alerts}}
    {{#known}}
    ## {{knownTitle}}

    {{known}}

    {{/known}}
    {{#budgets}}
    ## Budgets

    {{budgets}}

    {{/budgets}}
    {{#counts}}
    ## Counts

    {{counts}}

    {{/counts}}
    ## Trend

    {{#trend}}
    {{trend}}

    {{/trend}}
    {{#unchangedTitle}}
    <details>
    <summary>{{unchangedTitle}}</summary>

    {{unchanged}}

    </details>

    {{/unchangedTitle}}
    {{#findings}}
    <a id="{{anchor}}"></a>

    ## {{symbol}} {{id}}: {{title}}, {{series}} {{change}}

    {{#picture}}
    {{picture}}

    {{/picture}}
    - **What:** {{what}}
    - **Since:** {{since}}
    - **Code or machine:** {{cause}}
    {{#why}}
    - **Why:** {{why}}
    {{/why}}

    {{#quantiles}}
    {{quantiles}}

    {{/quantiles}}
    {{#launches}}
    {{launches}}

    {{/launches}}
    {{#stages}}
    Where the time went, tonight against the last good night:

    {{stages}}

    {{/stages}}
    {{#explanation}}
    {{explanation}}

    {{/explanation}}
    {{#criteria}}
    <details>
    <summary>What decided it</summary>

    {{criteria}}

    </details>

    {{/criteria}}
    {{#events}}
    What happened so far:

    {{events}}

    {{/events}}
    {{#similar}}
    Similar alerts that ended:

    {{similar}}

    {{/similar}}
    Commands:

    {{commands}}

    {{/findings}}
    {{#films}}
    ## What the user saw

    {{films}}

    {{/films}}
    ## Machine

    {{machine}}

    {{#receipts}}
    <details>
    <summary>Controls of tonight</summary>

    {{receipts}}

    </details>

    {{/receipts}}
    {{#levels}}
    ## Level changes without an alert

    {{levels}}

    {{/levels}}
    ## Slow drift

    {{#drift}}
    {{drift}}

    {{/drift}}
    {{^drift}}
    No series drifted beyond known changes.

    {{/drift}}
    ## Since the last report

    {{#changes}}
    {{changes}}

    {{/changes}}
    {{^changes}}
    No alert changed tonight.

    {{/changes}}
    {{#stillOpen}}
    Still open:

    {{stillOpen}}

    {{/stillOpen}}
    {{#missed}}
    Nights without a result:

    {{missed}}

    {{/missed}}
    ## Method

    {{method}}

    {{hidden}}

    """
}

/// A template of a report that cannot be read.
package struct TemplateError: LabError, Hashable {
  /// What is wrong, as a sentence without a full stop.
  package var problem: String

  /// The line of the template, from 1.
  package var line: Int

  /// The text of that line.
  package var text: String

  /// The path of the template; nil while it is not known.
  package var path: String?

  package var diagnostics: [Diagnostic] {
    [
      Diagnostic(
        .error,
        id: "bad-template",
        problem: "the template cannot be read: \(problem), in \"\(text.truncated(to: 60))\"",
        place: "\(path ?? "template"):\(line)",
        remedy: "correct it, or begin with the one that `launchlab report --print-template` prints"
      )
    ]
  }

  package var exitCode: LabExitCode { .usage }

  static func problem(of error: any Error) -> String {
    guard let error = error as? MustacheTemplate.Error else {
      return "a tag has no end"
    }
    switch error {
    case .sectionCloseNameIncorrect: return "a section ends with another name than it begins with"
    case .unfinishedName: return "a tag has no end, as {{name}} has"
    case .expectedSectionEnd: return "a section has no end, as {{/name}}"
    case .invalidSetDelimiter: return "the new delimiters are none, as in {{=<% %>=}}"
    case .transformAppliedToInheritanceSection: return "a transform cannot be applied to a block"
    case .illegalTokenInsideInheritSection: return "only blocks can stand in an inherited section"
    case .textInsideInheritSection: return "no text can stand in an inherited section"
    case .invalidConfigVariableSyntax: return "a setting is not written as {{% NAME: value}}"
    case .unrecognisedConfigVariable: return "a setting is not known; there is CONTENT_TYPE only"
    }
  }
}
