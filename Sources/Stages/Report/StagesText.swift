import LaunchCore
package import Rendering

/// How launches were spent, as a terminal shows it.
///
/// First comes what dyld printed of an app: the total pre-main time, its stages, and the slowest
/// initializers by library and symbol. Then what followed `main`, and how far it can be trusted. Of
/// several launches every time is a median.
package struct StagesText {
  private let summary: StagesSummary
  private let command: [String]
  private let style: TextStyle
  private let rows: StageRows
  private let showsAll: Bool

  /// How many programs of a launch are listed by default.
  private static let mostProcesses = 12

  /// Creates the text of the stages of one or more launches.
  ///
  /// - Parameters:
  ///   - summary: What is concluded from the launches.
  ///   - command: What was launched; the title is left out when it is empty.
  ///   - style: How the text is shown.
  ///   - showsAll: Whether libraries and initializers below 2 % of the pre-main time are shown too.
  package init(
    _ summary: StagesSummary,
    command: [String] = [],
    style: TextStyle,
    showsAll: Bool = false
  ) {
    self.summary = summary
    self.command = command
    self.style = style
    rows = StageRows(summary: summary, showsAll: showsAll)
    self.showsAll = showsAll
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let sections = [
      header, table(rows.stages), section("printed", rows.printed),
      section("slowest initializers, by library and symbol", rows.slowestInitializers),
      section("slowest libraries to find and map", rows.slowestLibraries),
      section(
        "\(rows.hasWindow ? "the window, " : "")tasks, marks and libraries loaded later",
        rows.later,
        showsStart: true
      ) + unlisted,
      others, processes, evidence,
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joinedLines(style) }
      .joined(separator: "\n")
  }

  /// The stages of one arm within the result of a run: a bar per stage, the first tasks and marks,
  /// what the collector costs, and the few slowest initializers and libraries.
  package func brief(title: String) -> [String] {
    let slowest = [
      ("initializers", rows.slowestInitializers.filter { $0.depth == 2 }),
      ("libraries", rows.slowestLibraries),
    ]
    let phrases = slowest.flatMap { label, rows in
      let items = rows.sorted { ($0.stage.median ?? 0) > ($1.stage.median ?? 0) }.prefix(3)
        .map { "\($0.title.truncated(to: 48)) \(StageWords.median($0.stage))" }
      return items.isEmpty ? [] : listed("slowest", "\(label): \(items.joined(separator: ", "))")
    }
    let how =
      "\(count)\(unreadiness), collected by \(StageWords.collector(summary.collector))"
    let heading = "\(style.paint(title.printable, .bold))  \(style.paint(how, .dim))"
    return [heading] + table(rows.stages + rows.longestPrinted)
      + section("tasks and marks", rows.marks, showsStart: true) + phrases + cost + check + unready
      + notes
  }

  private var header: [String] {
    guard !command.isEmpty else { return [] }
    let medians = summary.seenLaunches > 1 ? ", medians" : ""
    let program = summary.program.map { " · \($0.printable)" } ?? ""
    let title = ShellQuoting.text(command).printable.truncated(to: style.width)
    let how =
      "\(count)\(unreadiness)\(medians), collected by \(StageWords.collector(summary.collector))"
    return [style.paint(title, .bold)]
      + style.wrapped("  \(how)\(program)", indent: 2).map { style.paint($0, .dim) }
  }

  private var count: String {
    Quantity.launches(summary.seenLaunches)
  }

  /// That the launches which are shown were not ready; empty when they were.
  private var unreadiness: String {
    guard summary.launches == 0 else { return "" }
    return summary.seenLaunches == 1 ? ", not ready" : ", none of them ready"
  }

  private func table(_ rows: [StageRow], showsStart: Bool = false) -> [String] {
    StageTable(rows: rows, launches: summary.seenLaunches, style: style, showsStart: showsStart)
      .lines()
  }

  private func section(_ title: String, _ rows: [StageRow], showsStart: Bool = false) -> [String] {
    rows.isEmpty ? [] : [style.paint(title, .dim)] + table(rows, showsStart: showsStart)
  }

  /// What the list of later things leaves out.
  private var unlisted: [String] {
    let count = rows.unlistedCount
    return count > 0 ? [style.paint("  and \(count) more (see --all)", .dim)] : []
  }

  private var others: [String] {
    let others = rows.others
    guard !others.isEmpty else { return [] }
    let table = TextTable(
      columns: [.left, .right, .decimal],
      rows: others.map { other in
        [
          TextTable.Cell("  \(other.program.truncated(to: max(24, style.width - 30)))"),
          TextTable.Cell("×\(other.count)"),
          TextTable.Cell(Quantity.text(other.preMain, .nanoseconds)),
        ]
      }
    )
    return [style.paint("other programs, with their pre-main time together", .dim)]
      + table.lines(style: style)
  }

  /// The programs of the launch with their times; a single one needs no list.
  private var processes: [String] {
    let all = summary.processes
    guard all.count > 1 else { return [] }
    let shown = showsAll ? all[...] : all.prefix(Self.mostProcesses)
    let titles = ["start", "time", "pid", "program"].map { TextTable.Cell($0, .dim) }
    let table = TextTable(
      columns: [.decimal, .decimal, .right, .left],
      rows: [titles]
        + shown.map { process in
          let name = process.program.isEmpty ? "?" : process.program.printable
          let program = process.isExecuted ? name : "fork of \(name)"
          return [
            TextTable.Cell(Quantity.text(process.start)),
            TextTable.Cell(process.end.map { Quantity.text($0 - process.start) } ?? "until ready"),
            TextTable.Cell("\(process.pid)"),
            TextTable.Cell(program.truncated(to: max(24, style.width - 40))),
          ]
        }
    )
    let extent = summary.seenLaunches > 1 ? " of the first launch" : ""
    let more = all.count - shown.count
    return [style.paint("processes\(extent)", .dim)] + table.lines(style: style).map { "  \($0)" }
      + (more > 0 ? [style.paint("  and \(more) more (see --all)", .dim)] : [])
  }

  // MARK: - Evidence

  private var evidence: [String] {
    let counts = counts.map { listed("counts", $0) } ?? []
    let spawn = summary.launch.child(StageName.spawn)?.median
      .map {
        listed("spawn", "\(Quantity.text($0, .nanoseconds)), before the launch and not in it")
      }
    return counts + (spawn ?? []) + cost + check + unready + notes + hint
  }

  /// How to see more, where most of the launch is one stage that the probe does not look into.
  private var hint: [String] {
    guard summary.collector == .probe, let main = summary.launch.child(StageName.mainToReady),
      main.share ?? 0 > 0.5, !main.children.contains(where: { $0.kind == .part })
    else { return [] }
    return listed(
      "more",
      "`--collect auto`, as root, says what main to ready is spent on"
    )
  }

  private var cost: [String] {
    summary.cost.map { listed("cost", StageWords.cost($0, summary.collector)) } ?? []
  }

  private var notes: [String] {
    summary.notes.flatMap { note in
      listed("note", note.text.printable + StageWords.extent(of: note, in: summary))
    }
  }

  private var check: [String] {
    guard let check = summary.check else { return [] }
    return listed(
      "sum",
      StageWords.check(check, launches: summary.launches),
      check.isIncomplete ? .warning : .dim
    )
  }

  private var unready: [String] {
    StageWords.leftOut(summary).map { listed("left out", $0) } ?? []
  }

  /// Counts in the order of what a reader asks first.
  private var counts: String? {
    let names = [
      ("libraries", "library loaded before main", "libraries loaded before main"),
      ("libraries_loaded_later", "loaded later", "loaded later"),
      ("initializers", "initializer", "initializers"),
      ("initializers_timed", "of them timed", "of them timed"),
      ("programs", "program", "programs"), ("late_events", "event too late", "events too late"),
      ("lost_events", "event lost", "events lost"),
    ]
    let phrases = names.compactMap { name, one, many in
      summary.counters[name].flatMap { count in
        count == 0 || name == "programs" && count == 1 ? nil : "\(count) \(count == 1 ? one : many)"
      }
    }
    return phrases.isEmpty ? nil : phrases.joined(separator: ", ")
  }

  private func listed(_ label: String, _ text: String, _ ink: TextStyle.Ink = .dim) -> [String] {
    let indent = 10
    var lines = style.wrapped(label.padded(to: indent) + Self.unbroken(text), indent: indent)
      .map { $0.replacing("\u{A0}", with: " ") }
    lines[0] = style.paint(label, ink) + lines[0].dropFirst(label.count)
    return lines
  }

  /// The text with no line break between a number and its unit.
  private static func unbroken(_ text: String) -> String {
    let units: Set = ["%", "ns", "µs", "ms", "s"]
    return text.split(separator: " ", omittingEmptySubsequences: false)
      .reduce(into: "") { text, word in
        let isUnit = units.contains(word.filter { !",;()".contains($0) })
        text += text.isEmpty ? "" : isUnit && text.last?.isNumber == true ? "\u{A0}" : " "
        text += word
      }
  }
}

/// How the launches of an arm were spent, as a section of a report in Markdown.
package struct StagesMarkdown {
  private let summary: StagesSummary
  private let title: String
  private let rows: StageRows

  /// Creates the section of an arm, whose name is its title.
  package init(_ summary: StagesSummary, title: String) {
    self.summary = summary
    self.title = title
    rows = StageRows(summary: summary, showsAll: false)
  }

  /// The section, with a line feed after every line.
  package func rendered() -> String { lines.joinedLines() }

  /// The section, which begins with a heading of the third level.
  package var lines: [String] {
    let count = Quantity.launches(summary.seenLaunches)
    let own = summary.seenLaunches == 1 ? "its own" : "their own"
    let unready = summary.launches == 0 ? ", of which none became ready" : ""
    let lead = "\(summary.seenLaunches == 1 ? "From" : "Medians of") \(count) of \(own)\(unready)."
    let heading = "\(title), seen by \(StageWords.collector(summary.collector))"
    return ["### \(MarkdownTable.escaped(heading))", "", lead, ""] + table(rows.stages)
      + list("Printed", rows.printed)
      + list("Slowest initializers, by library and symbol", rows.slowestInitializers)
      + list("Slowest libraries to find and map", rows.slowestLibraries)
      + list(
        "\(rows.hasWindow ? "The window, t" : "T")asks, marks and libraries loaded later",
        rows.later,
        showsStart: true
      )
      + (rows.unlistedCount > 0 ? ["", "And \(rows.unlistedCount) more."] : []) + evidence
  }

  private func list(_ title: String, _ rows: [StageRow], showsStart: Bool = false) -> [String] {
    rows.isEmpty ? [] : ["", "**\(title)**", ""] + table(rows, showsStart: showsStart)
  }

  private func table(_ rows: [StageRow], showsStart: Bool = false) -> [String] {
    let titles = ["stage", "median", "95 % interval", "of launch", "", "remarks"]
    let table = MarkdownTable(
      titles: showsStart ? [titles[0], "at"] + titles[1...] : titles,
      textColumns: showsStart ? [0, 5, 6] : [0, 4, 5],
      rows: rows.map { row in
        let cells = cells(row)
        let start = row.stage.start.map { Quantity.text($0, .nanoseconds) } ?? ""
        return showsStart ? [cells[0], start] + cells[1...] : cells
      }
    )
    return table.lines
  }

  private func cells(_ row: StageRow) -> [String] {
    // No-break spaces, since Markdown drops others at the beginning of a cell.
    let indent = String(repeating: "\u{A0}\u{A0}", count: row.depth)
    let title = MarkdownTable.escaped(row.title)
    let name = indent + (row.isTotal ? "**\(title)**" : title)
    guard !row.stage.isInstant else { return [name, "", "", "", "", ""] }
    return [
      name, StageWords.median(row.stage), StageWords.interval(row.stage),
      StageWords.share(row.stage.share), row.stage.share.map(StageBar(width: 20).text) ?? "",
      StageWords.remarks(row.stage, of: summary.seenLaunches),
    ]
  }

  private var evidence: [String] {
    let cost = summary.cost.map { ["- Cost: \(StageWords.cost($0, summary.collector))"] } ?? []
    let check = summary.check.map { check in
      let words = StageWords.check(check, launches: summary.launches)
      return ["- \(check.isIncomplete ? "**Sum:**" : "Sum:") \(words)"]
    }
    let leftOut = StageWords.leftOut(summary).map { ["- Left out: \($0)"] } ?? []
    let notes = summary.notes.map { note in
      "- Note: \(MarkdownTable.escaped(note.text))\(StageWords.extent(of: note, in: summary))"
    }
    let lines = cost + (check ?? []) + leftOut + notes
    return lines.isEmpty ? [] : [""] + lines
  }
}
