// Stages: what a launch spends its time on.
//
// `Tree` begins with events that the probe, breakpoints or marks have seen: `StageTree` makes stages of them,
// `StageAccumulator` and `StageSummary` conclude from many launches, `PageInAccumulator` says which pages
// came in, and `StageDifference` which stage differs between two. `LoaderLogs` reads what loaders and
// runtimes print of themselves, in many formats, into the same stages. `Path` finds the critical path of a
// launch from its events, which divides `main_to_ready` (`MainDivision`) and is what Explanation compares.
// `Report` shows stages as text, JSON and traces.
//
// Who collects the events is in LaunchHost/Probe; the workflow of `launchlab stages` is in Measuring/Stages,
// since the summary of every run has its stages.

package import LaunchCore
import LaunchStatistics

/// Brings what a collector saw of a launch into its stages.
package enum StageTree {
  /// Concludes how a launch was spent; O(n log n) in the number of events.
  ///
  /// The parts of the stage `launch` sum exactly to it. `exec` reaches to the first mark in the
  /// program that became ready, which is the last one that the ready process began before the ready
  /// instant; the programs that the target's own process ran before are details of `exec`. Where a
  /// program is chosen, what was before it is the stage `launcher`, and what follows its end
  /// `after_program`. Events after the ready instant are not counted. Where a boundary was not seen, the stage before it
  /// holds the next one as well and is flagged `merged`.
  ///
  /// - Parameters:
  ///   - observation: What was seen.
  ///   - processes: When the programs of the launch ran, by the kernel's records.
  ///   - hasLoader: Whether the program that became ready has a dynamic loader, where that is known;
  ///     if not, breakpoints that saw none at work are taken for those of a static program.
  ///   - spawn: From before `clone` to the `execve` request, which is shown beside the launch.
  ///   - resolution: How far the ready instant may lie above the truth.
  /// - Returns: The stages; the launch has no duration if it did not become ready.
  package static func stages(
    of observation: StageObservation,
    processes: [LaunchProcess]? = nil,
    hasLoader: Bool? = nil,
    spawn: Nanoseconds? = nil,
    resolution: Nanoseconds = .zero
  ) -> LaunchStages {
    var builder = StageTreeBuilder(observation, processes: processes, hasLoader: hasLoader)
    var stages = builder.stages()
    stages.launch.resolution = resolution
    let lasting = [StageName.mainToReady, StageName.afterProgram]
    if let last = stages.launch.children.lastIndex(where: { lasting.contains($0.name) }) {
      stages.launch.children[last].resolution = resolution
    }
    if let spawn {
      stages.launch.children.append(
        Stage(
          name: StageName.spawn,
          kind: .excluded,
          duration: spawn,
          source: observation.collector
        )
      )
    }
    return stages
  }

  /// Concludes how a launch was spent from its result; nil for one without an observation.
  package static func stages(of result: LaunchResult) -> LaunchStages? {
    result.observation.map {
      let stages = stages(
        of: $0,
        processes: result.processes,
        hasLoader: $0.hasLoader,
        spawn: result.spawn,
        resolution: result.resolution
      )
      guard let window = result.windows?.first(where: \.isChosen) else { return stages }
      return stages.adding(window)
    }
  }

  /// Lays stages that the target or its loader printed beside each other under the launch.
  ///
  /// They are details without a start, since what is printed may overlap, and says only how long
  /// something took.
  ///
  /// - Parameters:
  ///   - printed: The stages of all blocks of text, in order.
  ///   - collector: Whose text it is.
  ///   - result: The result of the launch.
  ///   - notes: What could not be had, and why.
  /// - Returns: The stages; the launch has no duration if it did not become ready.
  package static func stages(
    printed: [Stage],
    by collector: StageCollector,
    result: LaunchResult,
    notes: [String] = []
  ) -> LaunchStages {
    let launch = Stage(
      name: StageName.launch,
      start: .zero,
      duration: result.launch,
      resolution: result.resolution,
      source: collector,
      children: printed.map(\.laid)
    )
    var notes = notes
    if result.launch == nil { notes.append("the launch did not become ready, so it has no total") }
    return LaunchStages(
      collector: collector,
      launch: launch,
      pid: result.trace?.readyProcess ?? result.trace?.process,
      notes: notes
    )
  }
}

extension LaunchStages {
  /// The stages with what the runtime printed of itself as details below `main_to_ready`, since a
  /// runtime begins with `main`; below the launch where that was not seen.
  package func adding(printed: [Stage]) -> Self {
    var stages = self
    let details = printed.map(\.laid)
    if let last = launch.children.lastIndex(where: { $0.name == StageName.mainToReady }) {
      stages.launch.children[last].children += details
    } else {
      stages.launch.children += details
    }
    return stages
  }
}

extension LaunchStages {
  /// The stages with what became of the window that was waited for, as details below
  /// `main_to_ready`; none where that was not seen.
  fileprivate func adding(_ window: SeenWindow) -> Self {
    guard
      let last = launch.children.lastIndex(where: { $0.name == StageName.mainToReady }),
      let duration = launch.children[last].duration, var start = launch.children[last].start
    else { return self }
    let end = start + duration
    let parts: [(name: String, until: Nanoseconds?)] = [
      (StageName.WindowPart.creation, window.created),
      (StageName.WindowPart.mapping, window.mapped),
      (StageName.WindowPart.frame, window.content),
      (StageName.WindowPart.settling, window.changed),
    ]
    var stages = self
    for part in parts {
      guard let until = part.until, until >= start, until <= end else { continue }
      stages.launch.children[last].children.append(
        Stage(
          name: part.name,
          kind: .detail,
          start: start,
          duration: until - start,
          source: collector
        )
      )
      start = until
    }
    return stages
  }
}

extension Stage {
  /// The stage as a detail without a start.
  fileprivate var laid: Stage {
    var laid = withoutStarts
    if laid.kind == .part { laid.kind = .detail }
    return laid
  }

  fileprivate var withoutStarts: Stage {
    var stage = self
    stage.start = nil
    stage.children = children.map(\.withoutStarts)
    return stage
  }
}

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
      children: Self.byStart(summaries)
    )
  }

  /// The same, with those that have a start in the order of it; the others keep their places.
  private static func byStart(_ summaries: [StageSummary]) -> [StageSummary] {
    var timed = summaries.filter { $0.start != nil }.enumerated()
      .sorted { ($0.element.start ?? 0, $0.offset) < ($1.element.start ?? 0, $1.offset) }
      .map(\.element)[...]
    return summaries.map { $0.start == nil ? $0 : timed.popFirst() ?? $0 }
  }
}
