package import LaunchCore

/// A table in Markdown, laid out so that its source can be read too.
package struct MarkdownTable {
  package var titles: [String]

  /// The columns that are aligned to the left; the others hold numbers.
  package var textColumns: Set<Int>

  /// Cells that are escaped already, one per title.
  package var rows: [[String]]

  package init(titles: [String], textColumns: Set<Int>, rows: [[String]]) {
    self.titles = titles
    self.textColumns = textColumns
    self.rows = rows
  }

  package var lines: [String] {
    let all = [titles] + rows
    let widths = titles.indices.map { column in
      max(3, all.map { $0[column].displayWidth }.max() ?? 0)
    }
    let rule = titles.indices.map { column in
      let dashes = String(repeating: "-", count: widths[column] - 1)
      return textColumns.contains(column) ? "-" + dashes : dashes + ":"
    }
    return [line(titles, widths), "| \(rule.joined(separator: " | ")) |"]
      + rows.map { line($0, widths) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = cells.indices.map { column in
      cells[column].padded(to: widths[column], onLeft: !textColumns.contains(column))
    }
    return "| \(padded.joined(separator: " | ")) |"
  }

  /// A text that Markdown shows as it is, on one line, whatever it holds.
  package static func escaped(_ text: String) -> String {
    // Two colons at the beginning of a line are a command of CI systems, which may show the source.
    let start = text.hasPrefix("::") ? "\\" : ""
    return text.printable.reduce(into: start) { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "$": escaped += "\\\(character)"
      default: escaped.append(character)
      }
    }
  }
}

/// The warnings of a run in Markdown; those of one kind, about several arms, are one item.
package struct WarningsMarkdown {
  package var warnings: [Diagnostic]

  package init(warnings: [Diagnostic]) { self.warnings = warnings }

  /// A heading and the items; empty when there is no warning.
  package var lines: [String] {
    warnings.isEmpty ? [] : ["## Warnings", ""] + groups.flatMap(item)
  }

  /// The warnings in order, with neighbours that say the same of another arm together.
  private var groups: [[Diagnostic]] {
    warnings.reduce(into: []) { groups, warning in
      if let last = groups.last?.first, last.id == warning.id, last.remedy == warning.remedy {
        groups[groups.count - 1].append(warning)
      } else {
        groups.append([warning])
      }
    }
  }

  private func item(_ group: [Diagnostic]) -> [String] {
    guard let first = group.first else { return [] }
    let severity = "**\(first.severity.rawValue):**"
    let next = first.remedy.map { " *Next:* \(Self.text($0))." } ?? ""
    guard group.count > 1 else {
      let place = first.place.map { " (\(MarkdownTable.escaped($0)))" } ?? ""
      return ["- \(severity) \(Self.text(first.problem))\(place).\(next)"]
    }
    let members = group.map { warning in
      let place = warning.place.map { "\(MarkdownTable.escaped($0)): " } ?? ""
      return "  - \(place)\(Self.text(warning.problem))"
    }
    return ["- \(severity) \(group.count) arms.\(next)"] + members
  }

  /// A text whose parts between backquotes are shown as code.
  package static func text(_ text: String) -> String {
    let parts = text.printable.split(separator: "`", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { return MarkdownTable.escaped(text) }
    return parts.enumerated().map { number, part in
      number % 2 == 1 && !part.isEmpty ? "`\(part)`" : MarkdownTable.escaped(String(part))
    }.joined()
  }
}
