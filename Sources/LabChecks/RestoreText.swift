package import LaunchCore
package import Rendering

/// What `launchlab restore` has done, as a terminal shows it.
package struct RestoreText {
  private let recovery: Recovery
  private let style: TextStyle

  package init(_ recovery: Recovery, style: TextStyle) {
    self.recovery = recovery
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    guard !recovery.changes.isEmpty else {
      return "nothing to restore\n"
    }
    let titles = ["control", "what", "now", "status"]
    let table = TextTable(
      columns: [.left, .left, .left, .left],
      rows: [titles.map { TextTable.Cell($0, .dim) }] + recovery.changes.map(row)
    )
    let lines = table.width <= style.width ? table.lines(style: style) : narrowLines
    let labs = labs.flatMap { style.wrapped("left behind by \($0.printable)", indent: 4) }
    return (labs + lines).joinedLines(style)
  }

  private func row(_ change: UndoneChange) -> [TextTable.Cell] {
    [
      TextTable.Cell(change.control?.rawValue ?? change.kind.word, .bold),
      TextTable.Cell(change.place.printable), TextTable.Cell(change.now.printable),
      TextTable.Cell(change.status.words, change.status.ink),
    ]
  }

  /// Two lines per change: what became of it, and where.
  private var narrowLines: [String] {
    recovery.changes.flatMap { change in
      let name = style.paint(change.control?.rawValue ?? change.kind.word, .bold)
      let status = style.paint(change.status.words, change.status.ink)
      let now = change.now == Quantity.none ? "" : ", now \(change.now.printable)"
      return ["\(name)  \(status)"] + ["    \(change.place.printable)\(now)"]
    }
  }

  /// The labs in the order in which their changes were undone, each once.
  private var labs: [String] {
    recovery.changes.compactMap(\.lab).reduce(into: []) { labs, lab in
      if !labs.contains(lab) { labs.append(lab) }
    }
  }
}

extension UndoneChange {
  /// The value that is there now, as far as it is known.
  fileprivate var now: String {
    switch status {
    case .foreign: found ?? Quantity.none
    case .restored, .unchanged: before ?? Quantity.none
    case .expired, .failed: Quantity.none
    }
  }
}

extension UndoneChange.Kind {
  /// What it is called where no control stands for it.
  fileprivate var word: String {
    switch self {
    case .swapArea: "swap area"
    case .unknown: "journal"
    default: rawValue
    }
  }
}

extension UndoneChange.Status {
  fileprivate var words: String {
    switch self {
    case .restored: "restored"
    case .unchanged: "was as before"
    case .foreign: "changed by somebody else"
    case .expired: "ended with the last boot"
    case .failed: "not restored"
    }
  }

  fileprivate var ink: TextStyle.Ink? {
    switch self {
    case .restored: nil
    case .unchanged, .expired: .dim
    case .foreign: .warning
    case .failed: .failure
    }
  }
}

/// What `launchlab restore` has done as JSON, of schema `launchlab.restore/1`.
package struct RestoreJSON: JSONDocument {
  private let recovery: Recovery

  package init(_ recovery: Recovery) { self.recovery = recovery }

  package var value: JSONValue {
    [
      "schema": "launchlab.restore/1", "changes": .array(recovery.changes.map(change)),
    ]
  }

  private func change(_ change: UndoneChange) -> JSONValue {
    [
      "control": JSONValue(change.control?.rawValue),
      "kind": .string(change.kind.rawValue),
      "place": .string(change.place),
      "before": JSONValue(change.before),
      "found": JSONValue(change.found),
      "status": .string(change.status.rawValue),
      "reason": JSONValue(change.reason),
      "remedy": JSONValue(change.remedy),
      "lab": JSONValue(change.lab),
    ]
  }
}
