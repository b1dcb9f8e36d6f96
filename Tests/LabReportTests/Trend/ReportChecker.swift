import Foundation

/// Reads a report as a person does, and finds what does not agree in it.
///
/// It knows the rendered text and the JSON only. It computes each change again from the two values printed
/// beside it, and each number of nights from the nights of the JSON.
struct ReportChecker {
  private let lines: [String]
  let json: [String: Any]

  /// Those of the report, and of all that is shown beside it.
  let allLines: [String]

  var problems: [String] = []

  /// - Parameters:
  ///   - markdown: The report, with plain spaces.
  ///   - pages: What is shown of the same night elsewhere, such as the dashboard and the charts.
  ///   - isImported: Whether the nights were imported: then each host is a machine of its own.
  ///   - json: The same as `launchlab.trend/1`.
  ///   - series: The names that must be in it, such as `app warm launch`.
  ///   - exitCode: What `run` ends with.
  /// - Throws: An error where the JSON is none.
  init(
    markdown: String,
    pages: [String] = [],
    isImported: Bool = false,
    json: String,
    series: [String],
    exitCode: Int32
  ) throws {
    lines = markdown.split(separator: "\n").map(String.init)
    // The objects of JSON stand on one line, and most of them are values alone.
    let others = pages.flatMap { $0.replacing("{", with: "\n{").split(separator: "\n") }
    allLines = lines + others.filter { $0.contains("R-") || $0.contains(" night") }.map(String.init)
    let document = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    self.json = (document?["scenarios"] as? [[String: Any]])?.first ?? [:]
    checkHeadline(exitCode)
    checkSeries(series)
    checkAlerts()
    for line in lines { checkNumbers(line) }
    checkNights(isImported: isImported)
    checkChanges()
    checkAlertLevels()
  }

  // MARK: - Reading

  struct Row {
    var section: String
    var titles: [String]
    var cells: [String]

    subscript(_ title: String) -> String? {
      titles.firstIndex(of: title).map { cells[$0] }
    }
  }

  /// The rows of all tables with the headings that they stand under.
  var rows: [Row] {
    var rows: [Row] = []
    var section = ""
    var titles: [String] = []
    for line in lines {
      if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
      guard line.hasPrefix("|") else {
        titles = []
        continue
      }
      let cells = line.replacing("\\|", with: "/").split(
        separator: "|",
        omittingEmptySubsequences: false
      )
      .dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
      if titles.isEmpty {
        titles = cells
      } else if cells.first?.hasPrefix("--") != true {
        rows.append(Row(section: section, titles: titles, cells: cells))
      }
    }
    return rows
  }

  /// The tables that tell of targets, alerts and limits, whatever else a section holds.
  private var verdictRows: [Row] {
    rows.filter {
      $0.titles.contains("verdict") || $0.titles.contains("state") || $0.titles.contains("outcome")
    }
  }

  var alerts: [[String: Any]] { json["alerts"] as? [[String: Any]] ?? [] }

  private func number(_ text: some StringProtocol) -> Printed? { Printed(String(text)) }

  // MARK: - Checking

  private static let ranks: [(sign: String, colour: String, rank: Int)] = [
    ("🟢", "green", 0), ("⚪", "unjudged", 1), ("🟠", "unsettled", 2), ("🔴", "red", 3),
    ("❌", "failed", 4),
  ]

  private mutating func checkHeadline(_ exitCode: Int32) {
    let title = lines.first ?? ""
    guard let own = Self.ranks.first(where: { title.contains($0.sign) }) else {
      return problems.append("the headline has no colour: \(title)")
    }
    if json["colour"] as? String != own.colour {
      problems.append("JSON has another colour: \(title)")
    }
    if !title.contains(json["verdict"] as? String ?? "-") {
      problems.append("JSON has another verdict: \(title)")
    }
    for row in verdictRows where row.section != "Machine" {
      let worst = Self.ranks.last { rank in row.cells.contains { $0.hasPrefix(rank.sign) } }
      guard let worst, worst.rank > max(own.rank, 1) else { continue }
      problems.append("\(own.colour) headline beside: \(row.cells.joined(separator: " | "))")
    }
    let codes: [String: Int32] = [
      "green": 0, "unjudged": 0, "unsettled": 125, "red": 1, "failed": 128,
    ]
    if codes[own.colour] != exitCode {
      problems.append("\(own.colour) headline with exit code \(exitCode)")
    }
    checkCounts(title)
    let what = lines.count > 1 ? lines[1] : ""
    let isOff = verdictRows.contains { row in
      row.section == "Trend" && ["🔴", "🟠"].contains { row["verdict"]?.hasPrefix($0) == true }
    }
    if what.contains("within the usual scatter"), isOff {
      problems.append("an open row beside: \(what)")
    }
    if own.colour != "failed", (json["host_changes"] as? [Any])?.isEmpty == false,
      !what.contains("host changed")
    {
      problems.append("the change of the host is not in: \(what)")
    }
  }

  /// What the headline counts is as often in the tables: tonight's alerts, and of the known ones those
  /// that still ask for something.
  private mutating func checkCounts(_ title: String) {
    var counted: [String: Int] = [:]
    let kinds =
      #/(\d+) ((?:confirmed|suspected|acknowledged|recovered|fixed|refuted|dismissed) [a-z ]+)/#
    for match in title.matches(of: kinds) {
      let kind = match.2.hasSuffix("s") ? String(match.2.dropLast()) : String(match.2)
      counted[kind, default: 0] += Int(match.1) ?? 0
    }
    for (kind, count) in counted where kind != "suspected change" {
      let found = rows.count { row in
        row["state"]?.hasSuffix(kind) == true
          && (row.section == "Alerts" || title.contains("still open")
            || ["🔴", "🟠"].contains { row["state"]?.hasPrefix($0) == true })
      }
      if found != count {
        problems.append("the headline counts \(count) \(kind), the tables \(found)")
      }
    }
  }

  private mutating func checkSeries(_ series: [String]) {
    for name in series {
      let found = rows.count { ($0.section == "Trend") && $0["series"] == name }
      if found != 1 { problems.append("\(name) is in \(found) rows of the trend") }
    }
  }

  private mutating func checkAlerts() {
    let ids = alerts.compactMap { $0["id"] as? String }
    for id in ids {
      let row = rows.count { $0["alert"]?.hasPrefix("[\(id)]") == true }
      let heading = lines.count { $0.hasPrefix("## ") && $0.contains(" \(id): ") }
      if row != 1 || heading != 1 {
        problems.append("\(id) has \(row) rows and \(heading) sections")
      }
    }
    let open = rows.filter { row in
      let state = row["state"] ?? ""
      return state.contains(#/confirmed|suspected|acknowledged/#) && !state.contains("budget")
    }
    for row in rows where row["verdict"]?.hasPrefix("🟢") == true {
      if open.contains(where: { $0["series"] == row["series"] }) {
        problems.append("green beside an open alert: \(row.cells.joined(separator: " | "))")
      }
    }
    for line in lines where line.hasPrefix("| [R-") && line.count >= 120 {
      problems.append("more than 120 columns: \(line)")
    }
    let shown = rows.compactMap { $0["alert"] }.count
    if shown != ids.count { problems.append("\(shown) alerts are shown, JSON has \(ids.count)") }
    for row in rows {
      guard let change = row["change"], let levels = row["before → after"] else { continue }
      check(change, levels, in: row.cells.joined(separator: " | "))
    }
  }

  /// Each change with the two values that it is of.
  private mutating func checkNumbers(_ line: String) {
    let before = #/(?<change>[+−±][\d.]+ %)(?: \[[^\]]*\])?, (?<levels>[\d.]+ → [\d.]+)/#
    let after = #/(?<levels>[\d.]+ → [\d.]+)(?: [^\s,(]+)?,? \(?(?<change>[+−±][\d.]+ %)/#
    for match in line.matches(of: before) { check(match.change, match.levels, in: line) }
    for match in line.matches(of: after) { check(match.change, match.levels, in: line) }
  }

  private mutating func check(
    _ change: some StringProtocol,
    _ levels: some StringProtocol,
    in line: String
  ) {
    let ends = levels.split(separator: "→").map { $0.split(separator: " ").first ?? "" }
    guard ends.count == 2, let old = number(ends[0]), let new = number(ends[1]),
      let share = number(change.split(separator: " ").first ?? ""), old.value > 0
    else { return }
    let lowest = (new.value - new.half) / (old.value + old.half)
    let highest = (new.value + new.half) / max(1e-9, old.value - old.half)
    let said = (1 + (share.value - share.half) / 100, 1 + (share.value + share.half) / 100)
    if said.1 < lowest - 1e-9 || said.0 > highest + 1e-9 {
      problems.append("numbers disagree: \(line)")
    }
  }

  /// A printed number, and half of its last digit.
  struct Printed {
    var value: Double
    var half: Double

    init?(_ text: String) {
      let plain = text.replacing("−", with: "-").replacing("±", with: "")
      guard let value = Double(plain) else { return nil }
      let digits = plain.split(separator: ".").dropFirst().first?.count ?? 0
      (self.value, half) = (value, 0.5 * pow(10, -Double(digits)))
    }
  }
}
