import LabModel

/// Stages that follow each other without a gap, so that they sum to the time they span.
struct StageSequence {
  /// Where a stage ends.
  enum End: Hashable {
    case seen(Nanoseconds)

    /// It was not seen, so that the stage cannot be told from the next.
    case missing

    /// It came after the ready instant.
    case late
  }

  private(set) var stages: [Stage] = []

  private let source: StageCollector
  private var cursor: Nanoseconds

  /// The stage whose end is still looked for.
  private var open: Int?

  private var isOver = false

  init(from start: Nanoseconds, source: StageCollector) {
    self.source = source
    cursor = start
  }

  /// Adds the next stage.
  ///
  /// A stage whose end is missing takes the time up to the next known end, flagged `merged`, and
  /// the ones after it up to there have no value.
  mutating func add(_ name: String, until end: End, ready: Nanoseconds? = nil) {
    guard !isOver else { return }
    switch end {
    case .seen(let time) where time >= cursor:
      close(name, at: time)
    case .late:
      if let ready { close(name, at: max(ready, cursor)) }
      isOver = true
    case .seen, .missing:
      append(name)
    }
  }

  private mutating func close(_ name: String, at time: Nanoseconds) {
    if let open {
      stages[open].duration = time - cursor
      stages[open].flags.append(.merged)
      append(name)
      self.open = nil
    } else {
      stages.append(Stage(name: name, start: cursor, duration: time - cursor, source: source))
    }
    cursor = time
  }

  /// Adds a stage without a value.
  private mutating func append(_ name: String) {
    if open == nil {
      open = stages.count
      stages.append(Stage(name: name, start: cursor, duration: nil, source: source))
    } else {
      stages.append(Stage(name: name, duration: nil, source: source, flags: [.unavailable]))
    }
  }

  /// The stages; one that was going on when the last event was seen is flagged `unfinished`.
  func finished() -> [Stage] {
    guard let open else { return stages }
    var stages = Array(stages.prefix(open + 1))
    stages[open].flags.append(.unfinished)
    return stages
  }
}
