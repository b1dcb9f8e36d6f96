import LaunchCore
import LaunchStatistics
import Rendering

/// Where the time of the launches of one program goes, in parts that add up to the launch.
struct LaunchParts {
  /// A part of a launch.
  struct Part: Hashable {
    /// What kind of time it is, such as `own code` or `files`.
    var group: String

    /// A function, or a system call and what it is done to; empty where the group says it all.
    var name: String
    var time: Nanoseconds
  }

  /// The largest first, without waiting for processors and without launchlab's own time.
  let parts: [Part]
  private let queue: Nanoseconds
  private let harness: Nanoseconds
  private let traced: Nanoseconds

  /// What is called waiting for a processor: with ptrace the tracer holds threads meanwhile.
  private let queueName: String

  init(_ result: ExplanationResult) {
    let explanation = result.explanation
    let isByPtrace = result.collectors.contains { $0.rights?.level == "ptrace" }
    queueName = "waiting for a processor" + (isByPtrace ? " or the tracer" : "")
    queue = explanation.difference.queue.after
    harness = explanation.difference.harness.after
    traced = explanation.difference.traced.after
    var times: [[String]: Nanoseconds] = [:]
    let code = NodeTree(explanation.tree)
    let resources = NodeTree(explanation.resources)
    let hasCode = code.ends.contains(where: code.isOwnCode)
    for end in code.ends where code.isOwnCode(end) {
      let group = code.isPageFault(end) ? "page faults" : Self.ownCode
      let key = [group, code.owner(of: end)]
      times[key] = (times[key] ?? .zero) + code.after(end)
    }
    for end in resources.ends {
      let path = resources.path(to: end)
      if path.first == Self.ownCode, hasCode { continue }
      let key = Self.part(of: path, in: resources, end)
      times[key] = (times[key] ?? .zero) + resources.after(end)
    }
    parts = times.map { Part(group: $0.key[0], name: $0.key[1], time: $0.value) }
      .sorted { ($0.time, $1.group, $1.name) > ($1.time, $0.group, $0.name) }
  }

  /// What the time of a resource is shown as: files by directory, all others with their system call.
  private static func part(of path: [String], in tree: NodeTree, _ end: Int) -> [String] {
    let rest = path.dropFirst().filter { $0 != Self.other }
    guard let group = path.first else { return ["", ""] }
    if group == "files", path.count > 2, let call = tree.parents[end] {
      let siblings = tree.parents[call].map { tree.children[$0].count } ?? 1
      return [group, siblings == 1 ? path[2] : path[1] + "/"]
    }
    return [
      group,
      group == "sockets" ? rest.reversed().joined(separator: " ") : rest.joined(separator: " "),
    ]
  }

  private static let ownCode = "own code"

  /// What a resource is called whose time is not divided like that of its neighbours.
  private static let other = "(other)"

  /// The time from the beginning of a launch until launchlab saw that it is ready.
  var whole: Nanoseconds { traced + queue + harness }

  /// The largest parts, what is left, and the sum, in one unit.
  struct Shown {
    var numbers: ExplanationNumbers
    var rows: [Row] = []

    /// The last row is the sum of those above.
    struct Row {
      var group: String
      var name: String

      /// In units of the last decimal.
      var ticks: Int
    }

    func share(of row: Row) -> Double {
      let whole = rows.last?.ticks ?? 0
      return whole > 0 ? Double(row.ticks) / Double(whole) : 0
    }
  }

  /// What is shown adds up to the last decimal: what is left is the sum less what is shown.
  func shown(atMost most: Int) -> Shown {
    let numbers = ExplanationNumbers(forTableUpTo: max(whole, traced))
    var shown = Shown(numbers: numbers)
    let visible = parts.filter { numbers.ticks($0.time) > 0 }
    shown.rows = visible.prefix(most).map {
      Shown.Row(group: $0.group, name: $0.name, ticks: numbers.ticks($0.time))
    }
    let (queue, harness) = (numbers.ticks(queue), numbers.ticks(harness))
    let all = numbers.ticks(whole)
    let rest = shown.rows.reduce(all - queue - harness) { $0 - $1.ticks }
    let others = visible.dropFirst(most) + parts.filter { numbers.ticks($0.time) <= 0 }
    shown.rows += Self.smaller(Array(others), adding: rest, in: numbers)
    shown.rows += [
      Shown.Row(group: "", name: queueName, ticks: queue),
      Shown.Row(group: "", name: "launchlab noticing that it is ready", ticks: harness),
      Shown.Row(group: "", name: "in all, traced", ticks: all),
    ]
    return shown
  }

  /// What is left by kind, the largest first; the first row takes what rounding leaves.
  private static func smaller(
    _ parts: [Part],
    adding rest: Int,
    in numbers: ExplanationNumbers
  ) -> [Shown.Row] {
    var rows = Dictionary(grouping: parts, by: \.group).map { group, parts in
      Shown.Row(
        group: group,
        name: Quantity.count(parts.count, "smaller part"),
        ticks: numbers.ticks(parts.reduce(.zero) { $0 + $1.time })
      )
    }
    .filter { $0.ticks > 0 }.sorted { ($0.ticks, $1.group) > ($1.ticks, $0.group) }
    let left = rows.reduce(rest) { $0 - $1.ticks }
    if rows.isEmpty, left != 0 { return [Shown.Row(group: "", name: "rounding", ticks: left)] }
    if !rows.isEmpty { rows[0].ticks += left }
    return rows
  }

  /// The largest parts as a table.
  func lines(atMost most: Int, style: TextStyle) -> [String] {
    let shown = shown(atMost: most)
    let rows = shown.rows.map { row in
      [
        TextTable.Cell(row.group.printable, .dim),
        TextTable.Cell(row.name.printable, row.group.isEmpty ? .dim : nil),
        TextTable.Cell(shown.numbers.text(shown.numbers.time(ticks: row.ticks))),
        TextTable.Cell(ExplanationNumbers.percent(shown.share(of: row))),
      ]
    }
    return table(rows, style)
  }

  private func table(_ rows: [[TextTable.Cell]], _ style: TextStyle) -> [String] {
    var table = TextTable(columns: [.left, .left, .decimal, .right], rows: rows)
    let excess = table.width + 2 - style.width
    if excess > 0 {
      let widest = rows.map { $0[1].text.displayWidth }.max() ?? 0
      table.rows = rows.map { row in
        var row = row
        row[1] = TextTable.Cell(
          row[1].text.truncated(to: max(12, widest - excess)),
          row[0].text.isEmpty ? .dim : nil
        )
        return row
      }
    }
    return table.lines(style: style).map { "  " + $0 }
  }
}
