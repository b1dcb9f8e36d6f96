import LaunchCore
package import Rendering

/// Hosts in the order of their stability, as a terminal shows them.
package struct StabilityText {
  private let rankings: [StabilityRanking]
  private let style: TextStyle

  package init(_ rankings: [StabilityRanking], style: TextStyle) {
    self.rankings = rankings
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    var sections = rankings.map(section)
    if rankings.count > 1 {
      sections.append(
        style.wrapped("Hosts that launched different commands are ranked apart.")
      )
    }
    return sections.map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  private func section(_ ranking: StabilityRanking) -> [String] {
    let title = style.paint(ShellQuoting.text(ranking.command).printable, .bold)
    guard let pairs = ranking.pairs, !ranking.places.isEmpty else {
      let names = ranking.unranked.map(\.printable).joined(separator: ", ")
      return [title]
        + style.wrapped(
          "  not ranked, since they share no state with the same number of pairs: \(names)",
          indent: 2
        )
    }
    let states = ranking.states.map(\.rawValue).joined(separator: ", ")
    let how =
      "smallest effect that \(Quantity.count(pairs, "pair")) detect in the worst state of "
      + states
    return [title] + style.wrapped("  \(how)", indent: 2).map { style.paint($0, .dim) }
      + table(ranking.places)
  }

  private func table(_ places: [StabilityRanking.Place]) -> [String] {
    let titles = ["", "result", "host", "cpu", "effect", "CV", "worst state", "false alarms"]
    let rows = places.enumerated().map { index, place in
      [
        "\(index + 1)", place.host.name.printable, String(place.host.fingerprint.prefix(12)),
        (place.host.cpuModel ?? Quantity.none).printable, Quantity.percent(place.effect),
        Quantity.percent(place.coefficientOfVariation), place.state.rawValue,
        "\(place.falseAlarms) of \(place.comparisons)",
      ]
    }
    return TextTable(
      columns: [.right, .left, .left, .left, .decimal, .decimal, .left, .left],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + rows.map { $0.map { TextTable.Cell($0) } }
    )
    .lines(style: style)
  }
}

/// Hosts in the order of their stability as JSON, of schema `launchlab.selftest-comparison/1`.
package struct StabilityJSON: JSONDocument {
  private let rankings: [StabilityRanking]

  package init(_ rankings: [StabilityRanking]) { self.rankings = rankings }

  package var value: JSONValue {
    [
      "schema": "launchlab.selftest-comparison/1",
      "rankings": .array(rankings.map(ranking)),
    ]
  }

  private func ranking(_ ranking: StabilityRanking) -> JSONValue {
    [
      "command": .array(ranking.command.map(JSONValue.string)),
      "states": .array(ranking.states.map { .string($0.rawValue) }),
      "pairs": JSONValue(ranking.pairs),
      "hosts": .array(ranking.places.enumerated().map { place($1, rank: $0 + 1) }),
      "unranked": .array(ranking.unranked.map(JSONValue.string)),
    ]
  }

  private func place(_ place: StabilityRanking.Place, rank: Int) -> JSONValue {
    [
      "rank": JSONValue(rank),
      "result": .string(place.host.name),
      "fingerprint": .string(place.host.fingerprint),
      "cpu_model": JSONValue(place.host.cpuModel),
      "worst_state": .string(place.state.rawValue),
      "effect": .number(place.effect),
      "cv": .number(place.coefficientOfVariation),
      "comparisons": JSONValue(place.comparisons),
      "false_alarms": JSONValue(place.falseAlarms),
    ]
  }
}
