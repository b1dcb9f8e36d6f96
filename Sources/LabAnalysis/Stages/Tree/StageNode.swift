import LabModel
import LabStatistics

/// The values of one stage of several launches, and of its parts.
struct StageNode: Sendable {
  /// What makes two stages of different launches the same one.
  struct Key: Hashable {
    var name: String
    var kind: Stage.Kind
    var place: CodePlace?

    /// Which one it is of several under the same parent, from 0.
    var occurrence: Int
  }

  private var stage: Stage
  private var values: [Int64] = []
  private var starts: [Int64] = []
  private var flags: Set<StageFlag> = []
  private var resolution = Nanoseconds.zero
  private var children: [StageNode] = []
  private var numbers: [Key: Int] = [:]

  init(like stage: Stage) {
    self.stage = stage
    self.stage.children = []
  }

  /// Takes in the stage of one launch; linear in its parts.
  mutating func add(_ stage: Stage) {
    if let duration = stage.duration { values.append(duration.count) }
    if let start = stage.start { starts.append(start.count) }
    flags.formUnion(stage.flags)
    resolution = max(resolution, stage.resolution)
    // A symbol may be found late, and then names the stage.
    if stage.place?.symbol != nil {
      (self.stage.name, self.stage.place) = (stage.name, stage.place)
    }
    add(children: stage.children)
  }

  mutating func add(children stages: [Stage]) {
    var occurrences: [Key: Int] = [:]
    for stage in stages {
      var key = Self.key(of: stage)
      key.occurrence = occurrences[key, default: 0]
      occurrences[Self.key(of: stage)] = key.occurrence + 1
      let number = numbers[key] ?? children.count
      if number == children.count {
        numbers[key] = number
        children.append(StageNode(like: stage))
      }
      children[number].add(stage)
    }
  }

  private static func key(of stage: Stage) -> Key {
    // Code is known by its place, and what was folded has another count in its name each time.
    let place = stage.place.map { CodePlace(file: $0.file, offset: $0.offset) }
    let isNamed = place?.offset == nil && !stage.flags.contains(.folded)
    return Key(name: isNamed ? stage.name : "", kind: stage.kind, place: place, occurrence: 0)
  }

  /// The median of the stage itself, in nanoseconds; nil without a value.
  var median: Double? { (try? Sample(values.map(Double.init)))?.median }

  /// The stage over all launches, with shares of a median launch in nanoseconds.
  func summary(of total: Double?) -> StageSummary {
    let sample = try? Sample(values.map(Double.init))
    let median = sample?.median
    let summaries = children.map { $0.summary(of: total) }
    let isTimed = summaries.allSatisfy { $0.start != nil }
    return StageSummary(
      name: flags.contains(.folded) && values.count > 1 ? "shorter ones" : stage.name,
      kind: stage.kind,
      source: stage.source,
      flags: StageFlag.allCases.filter(flags.contains),
      place: stage.place,
      n: values.count,
      median: median,
      interval: sample?.estimates.medianInterval,
      share: median.flatMap { median in total.flatMap { $0 > 0 ? median / $0 : nil } },
      start: (try? Sample(starts.map(Double.init)))?.median,
      resolution: resolution,
      children: isTimed ? Self.byStart(summaries) : summaries
    )
  }

  private static func byStart(_ summaries: [StageSummary]) -> [StageSummary] {
    summaries.enumerated()
      .sorted { ($0.element.start ?? 0, $0.offset) < ($1.element.start ?? 0, $1.offset) }
      .map(\.element)
  }
}
