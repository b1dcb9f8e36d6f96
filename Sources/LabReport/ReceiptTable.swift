import LabModel

/// What became of the controls of a run: wanted, before, after, or why not.
struct ReceiptTable {
  private let receipts: [ControlReceipt]

  init(_ receipts: [ControlReceipt]) { self.receipts = receipts }

  private static let titles = ["control", "wanted", "before", "after", "status"]

  /// The lines for a terminal; a reason follows its control on a line of its own.
  ///
  /// Where the table would be wider than the terminal, each control becomes a phrase.
  func lines(style: TextStyle) -> [String] {
    guard !receipts.isEmpty else { return [] }
    let table = TextTable(
      columns: Self.titles.map { _ in .left },
      rows: [Self.titles.map { TextTable.Cell($0, .dim) }] + receipts.map { cells(of: $0) }
    )
    guard table.width <= style.width else { return phrases(style: style) }
    var lines = table.lines(style: style)
    let header = lines.removeFirst()
    return [header]
      + zip(receipts, lines).flatMap { receipt, line in
        let reason = receipt.reason.map { style.wrapped("    \($0.printable)", indent: 4) } ?? []
        return [line] + reason.map { style.paint($0, receipt.status.ink) }
      }
  }

  /// The lines in Markdown.
  var markdown: [String] {
    guard !receipts.isEmpty else { return [] }
    let table = MarkdownTable(
      titles: Self.titles + ["reason"],
      textColumns: Set(0...Self.titles.count),
      rows: receipts.map { receipt in
        (texts(of: receipt) + [receipt.reason ?? ""]).map(MarkdownTable.escaped)
      }
    )
    return table.lines
  }

  private func cells(of receipt: ControlReceipt) -> [TextTable.Cell] {
    texts(of: receipt).enumerated().map { number, text in
      TextTable.Cell(text.printable, number == 4 ? receipt.status.ink : nil)
    }
  }

  private func texts(of receipt: ControlReceipt) -> [String] {
    let values = [receipt.wanted, receipt.before, receipt.after].map { $0 ?? Quantity.none }
    return [receipt.name] + values + [receipt.status.rawValue]
  }

  /// Such as `governor performance applied, before powersave`.
  private func phrases(style: TextStyle) -> [String] {
    [style.paint("controls", .dim)]
      + receipts.flatMap { receipt in
        let value = receipt.after ?? receipt.wanted
        let name = [receipt.name, value].compactMap(\.self).joined(separator: " ")
        let isChanged = receipt.before != nil && receipt.before != receipt.after
        let before = isChanged ? receipt.before.map { ", before \($0)" } ?? "" : ""
        let reason = receipt.reason.map { ": \($0)" } ?? ""
        let phrase = "  \(name) \(receipt.status.rawValue)\(before)\(reason)".printable
        return style.wrapped(phrase, indent: 4).map { style.paint($0, receipt.status.ink) }
      }
  }
}

extension ControlReceipt.Status {
  fileprivate var ink: TextStyle.Ink? {
    switch self {
    case .applied: nil
    case .observed: .dim
    case .failed, .unavailable: .warning
    }
  }
}
