package import LaunchCore
package import Rendering

/// What programs do with the probe and without it, as a terminal shows it.
package struct ProbeSweepText {
  private let programs: [SweptProgram]
  private let style: TextStyle

  package init(_ programs: [SweptProgram], style: TextStyle) {
    self.programs = programs
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let sections = [
      counts, differences(.differsWithProbe, "differ with the probe"),
      differences(.differsByItself, "differ by themselves"),
      reasons(.notProbed, "without the probe"), reasons(.leftOut, "not run"),
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joinedLines(style) }
      .joined(separator: "\n")
  }

  private var counts: [String] {
    let rows = SweptProgram.Verdict.allCases.map { verdict in
      let count = programs.count { $0.verdict == verdict }
      let isBad = verdict == .differsWithProbe && count > 0
      return [
        TextTable.Cell("\(count)", isBad ? .boldFailure : nil),
        TextTable.Cell(Self.words(verdict), isBad ? .boldFailure : nil),
      ]
    }
    let title = style.paint("selftest of the probe", .bold)
    return ["\(title)  \(Quantity.count(programs.count, "program"))"]
      + TextTable(columns: [.right, .left], rows: rows).lines(style: style).map { "  " + $0 }
  }

  private static func words(_ verdict: SweptProgram.Verdict) -> String {
    switch verdict {
    case .same: "do the same with the probe as without"
    case .differsByItself: "differ by themselves, with or without it"
    case .differsWithProbe: "differ with the probe"
    case .notProbed: "are launched without the probe"
    case .leftOut: "were not run"
    }
  }

  private func differences(_ verdict: SweptProgram.Verdict, _ title: String) -> [String] {
    let found = programs.filter { $0.verdict == verdict }
    guard !found.isEmpty else { return [] }
    let labels = verdict == .differsWithProbe ? ["without", "with"] : ["one run", "another"]
    return [style.paint(title, .bold)]
      + found.flatMap { program -> [String] in
        let command = ShellQuoting.text([program.path] + (program.arguments ?? [])).printable
        guard let difference = program.difference else { return ["  \(command)"] }
        return ["  \(command)  \(style.paint(difference.place, .dim))"]
          + zip(labels, [difference.plain, difference.other]).map { label, line in
            let text = (line ?? "(nothing)").printable.truncated(to: max(40, style.width - 14))
            return "    \(label.padded(to: 8))  \(text)"
          }
      }
  }

  /// Programs by the reason, of which those of one kind are counted together.
  private func reasons(_ verdict: SweptProgram.Verdict, _ title: String) -> [String] {
    let found = programs.filter { $0.verdict == verdict }
    guard !found.isEmpty else { return [] }
    let groups = Dictionary(grouping: found) { program in
      (program.reason ?? "").replacing("\(program.path) ", with: "")
    }
    return [style.paint(title, .bold)]
      + groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .flatMap { reason, programs in
        let names = programs.map { String($0.path.split(separator: "/").last ?? "") }
        return style.wrapped("  \(reason): \(names.joined(separator: ", "))".printable, indent: 4)
      }
  }
}

/// What programs do with the probe and without it as JSON, of schema `launchlab.probe-sweep/1`.
package struct ProbeSweepJSON: JSONDocument {
  private let programs: [SweptProgram]
  private let notes: [String]

  package init(_ programs: [SweptProgram], notes: [String]) {
    self.programs = programs
    self.notes = notes
  }

  package var value: JSONValue {
    let counts = SweptProgram.Verdict.allCases.map { verdict in
      (name: verdict.rawValue, value: JSONValue(programs.count { $0.verdict == verdict }))
    }
    return [
      "schema": "launchlab.probe-sweep/1",
      "counts": .object(counts),
      "programs": .array(programs.map(program)),
      "notes": .array(notes.map(JSONValue.string)),
    ]
  }

  private func program(_ program: SweptProgram) -> JSONValue {
    [
      "path": .string(program.path),
      "arguments": program.arguments.map { .array($0.map(JSONValue.string)) } ?? .null,
      "verdict": .string(program.verdict.rawValue),
      "difference": program.difference.map(difference) ?? .null,
      "reason": JSONValue(program.reason),
    ]
  }

  private func difference(_ difference: SweptProgram.Difference) -> JSONValue {
    [
      "place": .string(difference.place),
      "plain": JSONValue(difference.plain),
      "other": JSONValue(difference.other),
    ]
  }
}
