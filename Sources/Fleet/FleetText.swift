package import Rendering

extension FleetStatus {
  /// How far the night is, in one line.
  package var line: String {
    let working = hosts.compactMap { host -> String? in
      guard case .working(let time) = host.state else { return nil }
      return "\(host.name) \(time.text)"
    }
    let shown = working.prefix(4).joined(separator: ", ")
    let more = working.count > 4 ? " and \(working.count - 4) more" : ""
    let atWork = working.isEmpty ? "" : "; at work: \(shown)\(more)"
    return "night \(night): \(runs) of \(wanted) runs\(atWork)"
  }

  /// A line for the night, and one for every host.
  package func text(style: TextStyle) -> String {
    let first = "fleet \(fleet), night \(night): \(runs) of \(Quantity.count(wanted, "run"))"
    let table = TextTable(
      columns: [.left, .left, .left],
      rows: hosts.map { host in
        let (word, ink, detail) = host.state.words
        let problem = host.state == .done ? nil : host.problem
        let details = [detail, problem].compactMap(\.self).filter { !$0.isEmpty }
        return [
          .init("  \(host.name.printable)"), .init(word, ink),
          .init("\(host.runs) of \(host.of)" + details.map { ": \($0.printable)" }.joined()),
        ]
      }
    )
    return ([style.paint(first, isComplete ? .success : .boldWarning)] + table.lines(style: style))
      .joinedLines(style)
  }
}

extension FleetStatus.State {
  fileprivate var words: (word: String, ink: TextStyle.Ink?, detail: String?) {
    switch self {
    case .done: ("done", .success, nil)
    case .working(let time): ("working", nil, "for \(time.text)")
    case .queued(let reason): ("queued", nil, reason)
    case .wanted: ("wanted", nil, nil)
    case .away(let obstacle): ("away", .boldWarning, obstacle)
    case .failed: ("failed", .boldWarning, "its jobs ended without all runs")
    }
  }
}

extension Duration {
  /// In whole seconds or minutes.
  fileprivate var text: String {
    components.seconds < 120 ? "\(components.seconds) s" : "\(components.seconds / 60) min"
  }
}
