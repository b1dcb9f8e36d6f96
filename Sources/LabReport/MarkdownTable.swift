/// A table in Markdown, laid out so that its source can be read too.
struct MarkdownTable {
  var titles: [String]

  /// The columns that are aligned to the left; the others hold numbers.
  var textColumns: Set<Int>

  /// Cells that are escaped already, one per title.
  var rows: [[String]]

  var lines: [String] {
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
  static func escaped(_ text: String) -> String {
    text.printable.reduce(into: "") { escaped, character in
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
