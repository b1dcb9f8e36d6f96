package import LaunchCore
package import Rendering

/// What a gate found, for terminals, pull requests and programs.
package struct GateReport {
  let result: GateResult
  private let style: TextStyle

  package init(_ result: GateResult, style: TextStyle = TextStyle()) {
    self.result = result
    self.style = style
  }

  // MARK: - Words

  /// The verdict in one sentence without a full stop.
  package var verdict: String {
    let failed = result.findings.count { $0.verdict == .failed }
    let open = result.findings.count { $0.verdict == .needsApproval }
    let undecided = result.findings.count { $0.verdict == .undecided }
    var parts: [String] = []
    if failed > 0 { parts.append("\(Quantity.count(failed, "rule")) broken") }
    if open > 0 { parts.append("\(open) to be approved") }
    if undecided > 0 { parts.append("\(undecided) undecided") }
    if !result.failures.isEmpty { parts.append("\(result.failures.count) not done") }
    return switch result.exitCode {
    case .done: "passed"
    case .inconclusive: "cannot tell: \(parts.joined(separator: ", "))"
    default: "failed: \(parts.joined(separator: ", "))"
    }
  }

  package static func word(_ finding: GateFinding) -> String {
    switch finding.verdict {
    case .failed: "failed"
    case .needsApproval: "needs approval"
    case .undecided: "cannot tell"
    case .approved: "approved"
    case .remark: "note"
    case .passed: "passed"
    }
  }

  /// What is to be done about those that need an approval.
  package static func command(for thing: GateThing, in scenario: String) -> String {
    var words = ["launchlab", "gate", "approve", "\(thing.kind.rawValue):\(thing.name)"]
    if let library = thing.library { words += ["--in", library] }
    if scenario != "scenario.yml" { words += ["--scenario", scenario] }
    return "\(ShellQuoting.text(words).printable) --reason '…'"
  }

  /// What keeps a text together in Markdown, whatever it holds.
  private static func fence(around lines: [String]) -> String {
    let longest = lines.flatMap { $0.matches(of: /`+/).map(\.0.count) }.max() ?? 0
    return String(repeating: "`", count: max(3, longest + 1))
  }

  private var isOfOneTarget: Bool { Set(result.findings.map(\.target)).count < 2 }

  func item(_ finding: GateFinding) -> String {
    isOfOneTarget ? finding.item : "\(finding.target): \(finding.item)"
  }

  /// What was not done or not looked at, and approvals that nothing needs.
  var notes: [String] {
    let failures = result.failures.map { failure in
      "not done: \(failure.problem)" + (failure.remedy.map { "; \($0)" } ?? "")
    }
    return failures + result.problems
      + result.idle.map { approval, reason in
        "the approval of \(approval.kind.rawValue) \(approval.name) by \(approval.by) is not needed: \(reason)"
      }
  }

  // MARK: - Terminal

  /// Text with a line feed after every line; what passed is behind `-v`.
  package func text(isVerbose: Bool = false) -> String {
    let shown = result.findings.filter { isVerbose || $0.verdict != .passed }
    var table = TextTable(columns: [.left, .left, .right, .right, .right, .right])
    var lines: [String] = []
    for finding in shown {
      table.rows.append(
        [
          .init(Self.word(finding), ink(finding)), .init(item(finding).printable),
          .init(finding.base ?? ""),
          .init(finding.head ?? ""), .init(finding.change ?? ""), .init(finding.limit ?? ""),
        ]
      )
    }
    for (line, finding) in zip(table.lines(style: style), shown) {
      lines.append(line)
      lines += finding.details.flatMap { style.wrapped("    \($0.printable)", indent: 4) }
      if let approval = finding.approval {
        lines += style.wrapped(
          "    approved by \(approval.by): \(approval.reason)".printable,
          indent: 4
        )
      }
      if finding.verdict == .needsApproval, let thing = finding.thing {
        lines.append("    \(Self.command(for: thing, in: result.scenario))")
      }
    }
    let passed = result.findings.count { $0.verdict == .passed }
    if !isVerbose, passed > 0 { lines.append("\(passed) passed: see -v") }
    lines += notes.map { "note: \($0.printable)" }
    let ink: TextStyle.Ink =
      switch result.exitCode {
      case .done: .bold
      case .inconclusive: .boldWarning
      default: .boldFailure
      }
    lines.append(
      style.paint(
        "\(result.base.name)..\(result.head.name) \(verdict)".printable,
        ink
      )
    )
    return lines.joinedLines()
  }

  private func ink(_ finding: GateFinding) -> TextStyle.Ink? {
    switch finding.verdict {
    case .failed, .needsApproval: .boldFailure
    case .undecided: .boldWarning
    case .approved, .remark, .passed: nil
    }
  }

  // MARK: - Markdown

  /// A comment for a pull request, with a line feed after every line.
  package func markdown() -> String {
    let symbol =
      switch result.exitCode {
      case .done: "🟢"
      case .inconclusive: "🟠"
      default: "🔴"
      }
    let shown = result.findings.filter { $0.verdict != .passed }
    let passed = result.findings.filter { $0.verdict == .passed }
    var lines = ["### \(symbol) Launch gate: \(verdict)", ""]
    if !shown.isEmpty { lines += table(shown) + [""] }
    let actions = shown.filter { $0.verdict == .needsApproval }.compactMap(\.thing)
    if !actions.isEmpty {
      let commands = actions.map { Self.command(for: $0, in: result.scenario) }
      let fence = Self.fence(around: commands)
      lines += ["To approve:", "", "\(fence)sh"] + commands + [fence, ""]
    }
    for finding in shown where !finding.details.isEmpty || finding.approval != nil {
      let details =
        finding.details
        + (finding.approval.map { ["approved by \($0.by): \($0.reason)"] } ?? [])
      lines.append(
        "- **\(MarkdownTable.escaped(item(finding)))**: "
          + details.map(MarkdownTable.escaped).joined(separator: "; ")
      )
    }
    if lines.last != "" { lines.append("") }
    if !passed.isEmpty {
      lines += ["<details>", "<summary>\(passed.count) passed</summary>", ""]
      lines += table(passed) + ["", "</details>", ""]
    }
    lines += notes.map { "- \(MarkdownTable.escaped($0))" }
    if lines.last != "" { lines.append("") }
    lines.append(
      [result.base, result.head].map { side in
        MarkdownTable.escaped([side.name, side.subject].compactMap(\.self).joined(separator: " "))
      }.joined(separator: " → ")
    )
    return lines.joinedLines()
  }

  private func table(_ findings: [GateFinding]) -> [String] {
    MarkdownTable(
      titles: ["item", "base", "head", "change", "limit", "verdict"],
      textColumns: [0, 5],
      rows: findings.map { finding in
        [
          item(finding), finding.base ?? "", finding.head ?? "", finding.change ?? "",
          finding.limit ?? "", Self.word(finding),
        ].map(MarkdownTable.escaped)
      }
    ).lines
  }

  // MARK: - JSON

  /// The document `launchlab.gate/1`.
  package func json() -> JSONValue {
    [
      "schema": "launchlab.gate/1",
      "verdict": .string(result.verdict.rawValue),
      "exit_code": .integer(Int64(result.exitCode.rawValue)),
      "base": document(result.base),
      "head": document(result.head),
      "findings": .array(result.findings.map(Self.document)),
      "problems": .array(result.problems.map { .string($0) }),
      "failures": .array(result.failures.map { JSONValue(diagnostic: $0) }),
      "idle_approvals": .array(
        result.idle.map { approval, reason in
          var document = Self.document(approval)
          if case .object(var members) = document {
            members.append(("why", .string(reason)))
            document = .object(members)
          }
          return document
        }
      ),
    ]
  }

  private func document(_ side: GateResult.Side) -> JSONValue {
    guard let subject = side.subject else { return ["path": .string(side.id)] }
    return ["commit": .string(side.id), "subject": .string(subject)]
  }

  private static func document(_ approval: GateApproval) -> JSONValue {
    [
      "kind": .string(approval.kind.rawValue), "name": .string(approval.name),
      "in": JSONValue(approval.library), "pattern": .bool(approval.isPattern),
      "reason": .string(approval.reason), "by": .string(approval.by),
      "until": JSONValue(approval.until),
    ]
  }

  /// An element of `findings`.
  package static func document(_ finding: GateFinding) -> JSONValue {
    [
      "rule": .string(finding.rule), "target": .string(finding.target),
      "state": JSONValue(finding.state?.rawValue), "item": .string(finding.item),
      "kind": JSONValue(finding.thing?.kind.rawValue), "name": JSONValue(finding.thing?.name),
      "in": JSONValue(finding.thing?.library), "base_value": JSONValue(finding.figures?.base),
      "head_value": JSONValue(finding.figures?.head), "base": JSONValue(finding.base),
      "head": JSONValue(finding.head), "change": JSONValue(finding.change),
      "limit": JSONValue(finding.limit), "verdict": .string(finding.verdict.rawValue),
      "details": .array(finding.details.map { .string($0) }),
      "file": JSONValue(finding.source?.file), "line": JSONValue(finding.source?.line),
      "approval": finding.approval.map(document) ?? .null,
    ]
  }
}
