import LaunchCore
import LaunchStatistics
package import Rendering
import Stages

/// An explanation as a terminal shows it: one sentence, then the reasons, the largest first.
///
/// Of one program it shows where the time of a launch goes.
package struct ExplanationText {
  private let result: ExplanationResult
  private let style: TextStyle
  private let isVerbose: Bool
  private let includesWarnings: Bool

  /// Creates the text of a result.
  ///
  /// - Parameters:
  ///   - result: What was found.
  ///   - style: How the text is shown; with the width `.max` no line is broken.
  ///   - isVerbose: Whether all is shown, and not only the largest reasons or parts.
  ///   - includesWarnings: Whether the warnings follow the result; if not, they belong on stderr.
  package init(
    _ result: ExplanationResult,
    style: TextStyle,
    isVerbose: Bool = false,
    includesWarnings: Bool = true
  ) {
    self.result = result
    self.style = style
    self.isVerbose = isVerbose
    self.includesWarnings = includesWarnings
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let body = result.outcome == .single ? parts : reasons
    let trees = isVerbose ? [withdrawn, counts] + views : []
    let modules = ModuleText(result)?.lines(isVerbose: isVerbose, style: style) ?? []
    let sections = [headline, body, pageIns, modules, stages, comparison] + trees + [footer]
    let text = sections.filter { !$0.isEmpty }.map { $0.joinedLines(style) }
    let slow = result.slowOnes.map {
      Self($0, style: style, isVerbose: isVerbose, includesWarnings: false).rendered()
    }
    let warnings = includesWarnings ? warningText : ""
    return (text + slow + (warnings.isEmpty ? [] : [warnings])).joined(separator: "\n")
  }

  private var explanation: LaunchExplanation { result.explanation }
  private var sentence: ExplanationSentence { ExplanationSentence(result) }

  private var warningText: String {
    let text = DiagnosticText(result.diagnostics, style: style)
    return isVerbose ? text.rendered() : text.brief(atMost: 3, allWith: "-v")
  }

  private var headline: [String] {
    let ink: TextStyle.Ink =
      switch result.outcome {
      case .different: result.headline.difference > .zero ? .boldFailure : .bold
      case .notSignificant: .boldWarning
      case .same, .single: .bold
      }
    return style.wrapped(sentence.headline.printable).map { style.paint($0, ink) }
  }

  private var footer: [String] {
    let missing = result.collectors.compactMap { collector in
      collector.missing.map { "no \(collector.kind.rawValue): \($0)" }
    }
    let commands = result.arms.map { "\($0.name): \(ShellQuoting.text($0.command))" }
    let place = result.store.map { ["kept in \($0)"] } ?? []
    let again = result.showCommand.map { ["in full: \($0)"] } ?? []
    let lines =
      (isVerbose ? commands : []) + [sentence.method] + missing + (isVerbose ? place : again)
    return lines.flatMap { style.wrapped($0.printable, indent: 2) }.map { style.paint($0, .dim) }
      + (result.files.isEmpty ? [] : style.wrapped(result.files.joined(separator: "  ").printable))
  }

  // MARK: - One program

  private var parts: [String] {
    let parts = LaunchParts(result)
    return isVerbose
      ? parts.lines(atMost: .max, style: style) : parts.lines(atMost: 7, style: style)
  }

  /// How much of which files came from storage.
  private var pageIns: [String] {
    guard !explanation.pageIns.isEmpty else { return [] }
    let pages = explanation.pageIns.reduce(0) { $0 + $1.pages }
    let ahead = explanation.pageIns.reduce(0) { $0 + $1.readAhead }
    let shown = explanation.pageIns.prefix(isVerbose ? .max : 3).map {
      "\(name(of: $0)) \($0.pages)"
    }
    let more = explanation.pageIns.count - shown.count
    let all =
      "page-ins: \(Quantity.count(pages, "page")), \(ahead) of them read ahead: "
      + (shown + (more > 0 ? ["\(Quantity.count(more, "other file"))"] : [])).joined(
        separator: ", "
      )
    return style.wrapped(all.printable, indent: 2)
  }

  /// The view by stage.
  private var stages: [String] {
    guard !result.stages.isEmpty else { return [] }
    let most = isVerbose ? Int.max : 5
    let lines =
      result.outcome == .single
      ? StagePartTable(result.stages, atMost: most).lines(style: style)
      : StageDifferenceTable(result.stages, mostRows: most)
        .lines(style: style, hasRemark: isVerbose)
    return [Self.stagesTitle] + lines.map { "  \($0)" }
  }

  private static let stagesTitle = "by stage, in separate launches (see `launchlab stages`):"

  private func name(of count: PageInCount) -> String {
    guard let file = count.file else { return "unknown files" }
    return isVerbose ? file : file.lastPathPart
  }

  // MARK: - Two programs

  /// How many reasons are shown, unless all are.
  private static let shownReasons = 3

  private var numbers: ExplanationNumbers {
    let sizes = explanation.reasons.map(\.change.difference.magnitude)
    let whole = explanation.difference.traced.difference.magnitude
    return ExplanationNumbers(forTableUpTo: max(whole, sizes.max() ?? .zero))
  }

  /// The reasons as a table, each followed by lines that show it.
  private var reasons: [String] {
    guard result.outcome != .single else { return [] }
    let named = explanation.reasons.filter(\.isSpecific)
    let shown = isVerbose ? named : Array(named.prefix(Self.shownReasons))
    let rest = Array(named.dropFirst(shown.count))
    var rows = shown.map { (cells: row($0), below: details(of: $0)) }
    if !rest.isEmpty {
      let sum = rest.reduce(Nanoseconds.zero) { $0 + $1.change.difference }
      let title = "\(Quantity.count(rest.count, "smaller reason")): see -v"
      let shares = rest.compactMap(\.share)
      let share = shares.isEmpty ? nil : shares.reduce(0, +)
      rows.append((cells: row(title, sum, share), below: []))
    }
    rows += remainder.map { (cells: $0, below: []) }
    let lines = table(of: rows.map(\.cells))
    return zip(lines, rows).flatMap { [$0] + $1.below }
  }

  /// What no reason is of, and what was left out of the comparison.
  private var remainder: [[TextTable.Cell]] {
    var rows: [[TextTable.Cell]] = []
    if let rest = explanation.unattributed, result.outcome == .different {
      rows.append(row("not attributed", rest.difference, explanation.coverage.map { 1 - $0.share }))
    }
    for reason in explanation.reasons where !reason.isSpecific {
      let title = "  of it \(ExplanationWords.title(of: reason).printable)"
      rows.append(row(title, reason.change.difference, reason.share))
    }
    if result.outcome == .different {
      let change = explanation.difference.traced
      var cells = row("in all, traced", change.difference, explanation.coverage.map { _ in 1 })
      cells[4] = half(of: change)
      rows.append(cells)
    }
    let queue = explanation.difference.queue
    if isVerbose || queue.difference.magnitude > explanation.difference.traced.difference.magnitude,
      let interval = queue.interval, interval.excludesZero
    {
      rows.append(row("waiting for a processor: not compared", queue.difference, nil))
    }
    return rows
  }

  private func row(_ reason: LaunchReason) -> [TextTable.Cell] {
    [
      TextTable.Cell("\(reason.rank)", .dim),
      TextTable.Cell(ExplanationWords.title(of: reason).printable, .bold),
      TextTable.Cell(numbers.signed(reason.change.difference)),
      TextTable.Cell(reason.share.map(ExplanationNumbers.percent) ?? ""),
      half(of: reason.change),
      TextTable.Cell(ExplanationWords.noun(of: reason.kind), .dim),
    ]
  }

  /// Half of the interval of a difference.
  private func half(of change: TimeChange) -> TextTable.Cell {
    let half = change.interval.map { ($0.high - $0.low) / 2 }
    return TextTable.Cell(half.map { "± \(numbers.number($0))" } ?? "", .dim)
  }

  private func row(_ title: String, _ difference: Nanoseconds, _ share: Double?) -> [TextTable.Cell]
  {
    [
      TextTable.Cell(""), TextTable.Cell(title, .dim), TextTable.Cell(numbers.signed(difference)),
      TextTable.Cell(share.map(ExplanationNumbers.percent) ?? ""), TextTable.Cell(""),
      TextTable.Cell(""),
    ]
  }

  /// The lines of the table, with titles cut so that they fit.
  private func table(of rows: [[TextTable.Cell]]) -> [String] {
    var rows = rows
    func lines() -> (TextTable, width: Int) {
      let table = TextTable(
        columns: [.right, .left, .decimal, .right, .decimal, .left],
        rows: rows
      )
      return (table, table.width)
    }
    let excess = lines().width + 2 - style.width
    if excess > 0 {
      let widest = rows.map { $0[1].text.displayWidth }.max() ?? 0
      for row in rows.indices {
        let whole = rows[row][1].text
        // How the programs differ in it stays.
        let end = Self.ends.first(where: whole.hasSuffix) ?? ""
        let text =
          String(whole.dropLast(end.count))
          .truncated(to: max(12, widest - excess) - end.count) + end
        rows[row][1] = TextTable.Cell(text, rows[row][0].text.isEmpty ? .dim : .bold)
      }
    }
    return lines().0.lines(style: style).map { "  " + $0 }
  }

  /// Nobody reads more of a call path, even where lines are not broken.
  private static let widestPath = 200

  /// How a title may end that says how a reason differs, the longest first.
  private static let ends = ["", "new", "gone"].flatMap { novelty in
    [nil, Blame.Change.changed, .new, .gone].compactMap { change in
      let words = [novelty, change.map(ExplanationWords.text) ?? ""].filter { !$0.isEmpty }
      return words.isEmpty ? nil : " (\(words.joined(separator: ", ")))"
    }
  }.sorted { $0.count > $1.count }

  /// The call path of a reason, and what is known of it besides its time.
  private func details(of reason: LaunchReason) -> [String] {
    let indent = "     "
    let path = ExplanationWords.path(of: reason).map(\.printable)
    var evidence = ExplanationWords.evidence(
      of: reason,
      atMost: isVerbose ? .max : 3,
      libraries: explanation.libraries
    )
    if isVerbose {
      evidence.insert(times(of: reason), at: 0)
      if let blocks = reason.confirmedBlocks {
        evidence.append("found again in \(Quantity.count(blocks, "fresh block"))")
      }
    }
    let width = min(style.width, Self.widestPath) - indent.count
    let isPathTold = path.isEmpty || path == [ExplanationWords.subject(of: reason)]
    let pathLine = isVerbose ? path.joined(separator: " › ") : CallPathText(path).text(width: width)
    let pathLines = isPathTold ? [] : style.wrapped(indent + pathLine, indent: indent.count)
    let blame =
      ExplanationWords.blame(of: reason)
      ?? (isVerbose && isUntouched(reason) ? "no changed function on the path" : nil)
    let blameLines =
      blame.map { style.wrapped(indent + $0.printable, indent: indent.count) } ?? []
    let text = evidence.joined(separator: "; ").printable
    let facts = evidence.isEmpty ? [] : style.wrapped(indent + text, indent: indent.count)
    return (pathLines + blameLines + (isVerbose ? facts : shortened(facts))).map {
      style.paint($0, .dim)
    }
  }

  /// Whether the functions on the way to a reason are all known to be as they were.
  private func isUntouched(_ reason: LaunchReason) -> Bool {
    guard let code = explanation.code, reason.blame == nil, !reason.path.isEmpty else {
      return false
    }
    return !(reason.path + reason.hotPath).contains { code.uncompared.contains($0.file) }
  }

  /// No more than two lines.
  private func shortened(_ lines: [String]) -> [String] {
    lines.count <= 2 ? lines : [lines[0], (lines[1] + " …").truncated(to: style.width)]
  }

  private func times(of reason: LaunchReason) -> String {
    "\(numbers.number(reason.change.before)) → \(numbers.text(reason.change.after))"
  }

  /// What both have alike, and what differs without a reason being made of it.
  private var comparison: [String] {
    guard result.outcome != .single else { return [] }
    let likeness = LaunchLikeness(explanation)
    let same = likeness.same.isEmpty ? nil : "the same: \(likeness.same.joined(separator: ", "))"
    let unexplained = likeness.unexplained
    let shown = isVerbose ? unexplained : Array(unexplained.prefix(3))
    let more = unexplained.count > shown.count ? ["\(unexplained.count - shown.count) more"] : []
    let differs =
      shown.isEmpty
      ? nil : "also different: " + (shown + more).joined(separator: ", ")
    let code = ExplanationWords.codeLine(of: explanation, atMost: isVerbose ? .max : 5)
    return [same, differs, code].compactMap(\.self)
      .flatMap { style.wrapped($0.printable, indent: 2) }
  }

  // MARK: - All of it

  private var withdrawn: [String] {
    guard !explanation.withdrawn.isEmpty else { return [] }
    return ["withdrawn, since fresh launches did not show them again:"]
      + table(of: explanation.withdrawn.map(row))
  }

  private var counts: [String] {
    guard result.outcome != .single, !explanation.counts.isEmpty else { return [] }
    return ["counts that differ:"]
      + explanation.counts.prefix(Self.shownCounts)
      .flatMap { style.wrapped("  \(ExplanationWords.text(of: $0))".printable, indent: 4) }
  }

  private static let shownCounts = 40

  private var views: [[String]] {
    let isSingle = result.outcome == .single
    return [
      ("by actor and function", explanation.tree), ("by resource", explanation.resources),
    ].compactMap { title, nodes in
      let lines = TimeTreeText(nodes, isSingle: isSingle).lines(style: style)
      return lines.isEmpty ? nil : ["\(title):"] + lines
    }
  }
}

/// A call path on one line.
struct CallPathText {
  private let names: [String]

  init(_ names: [String]) { self.names = names }

  /// The names of the functions, outermost first, and those in the middle left out where it is too
  /// wide.
  ///
  /// - Parameter width: In columns.
  /// - Returns: Of a long path the first three and the last four functions, or fewer.
  func text(width: Int) -> String {
    let whole = names.joined(separator: Self.arrow)
    if whole.displayWidth <= width { return whole }
    for (first, last) in [(3, 4), (2, 4), (2, 3), (1, 3), (1, 2), (1, 1)]
    where first + last < names.count {
      let cut = names.prefix(first) + ["…"] + names.suffix(last)
      let text = cut.joined(separator: Self.arrow)
      if text.displayWidth <= width { return text }
    }
    let ends = names.count > 2 ? ["…", names[names.count - 1]] : names
    return ends.joined(separator: Self.arrow).truncated(to: width)
  }

  private static let arrow = " › "
}

/// What the launches of two programs have alike besides their time, and what not.
struct LaunchLikeness {
  private let explanation: LaunchExplanation

  init(_ explanation: LaunchExplanation) { self.explanation = explanation }

  /// The kinds of things that do not differ.
  var same: [String] {
    let libraries = explanation.libraries
    let kinds: [(String, Bool)] = [
      ("libraries", !libraries.new.isEmpty || !libraries.gone.isEmpty),
      ("processes", has { if case .processes = $0 { true } else { false } }),
      ("threads", has { $0 == .threads }),
      ("system calls", has { if case .call = $0 { true } else { false } }),
      ("page faults", has { if case .faults = $0 { true } else { false } }),
      ("instructions", explanation.instructions?.isDifferent ?? true),
    ]
    return kinds.filter { !$0.1 }.map(\.0)
  }

  private func has(_ isMeant: (CountedThing) -> Bool) -> Bool {
    explanation.counts.contains { isMeant($0.thing) }
  }

  /// What certainly differs, but in none of the reasons.
  var unexplained: [String] {
    let explained = Set(explanation.reasons.flatMap(\.counts).map(\.thing))
    let hasLibraryReason = explanation.reasons.contains { $0.kind == .library }
    let counts = explanation.counts.filter { $0.isCertain && !explained.contains($0.thing) }
    let instructions =
      explanation.reasons.contains { $0.counted?.after != nil }
      ? nil : explanation.instructions.flatMap(ExplanationWords.text)
    return [instructions].compactMap(\.self)
      + (hasLibraryReason ? [] : ExplanationWords.text(of: explanation.libraries))
      + ExplanationWords.text(of: counts, atMost: .max)
  }
}
