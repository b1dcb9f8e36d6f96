package import LaunchCore
import LaunchStatistics

/// Takes in the stages of the launches of one arm, and concludes from them.
///
/// Launches that did not become ready end early, so that they count only where none became ready.
/// Where several collectors were at work, because one could not be used every time, each has its
/// own summary: what they see is not the same.
package struct StageAccumulator: Sendable {
  private var groups: [Group] = []
  private var plain: [Int: Nanoseconds] = [:]

  package init() {}

  /// Takes in the time of a ready plain launch of the same arm.
  package mutating func add(plain launch: Nanoseconds, block: Int) { plain[block] = launch }

  /// Takes in the stages of one launch; linear in their number.
  package mutating func add(_ stages: LaunchStages, block: Int) {
    let known = groups.firstIndex { $0.collector == stages.collector }
    let index = known ?? groups.count
    if known == nil { groups.append(Group(collector: stages.collector)) }
    groups[index].add(stages, block: block)
  }

  /// What is concluded, one summary per collector, that of the most launches first.
  package func summaries() -> [StagesSummary] {
    groups.enumerated()
      .sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .compactMap { $0.element.summary(plain: plain) }
  }
}

/// The launches that one collector saw.
private struct Group: Sendable {
  let collector: StageCollector
  private var ready = Tally()
  private var unready = Tally()
  private var launches: [Int: Nanoseconds] = [:]
  private var worstLaunch = 0.0

  init(collector: StageCollector) { self.collector = collector }

  var count: Int { ready.count }

  mutating func add(_ stages: LaunchStages, block: Int) {
    if let launch = stages.launch.duration {
      launches[block] = launch
      worstLaunch = max(worstLaunch, Self.deviation(of: stages.launch, from: launch))
      ready.add(stages)
    } else {
      unready.add(stages)
    }
  }

  /// How far the parts of a launch are off from it, as a share; 0 where it was not split.
  private static func deviation(of stage: Stage, from launch: Nanoseconds) -> Double {
    let parts = stage.children.filter { $0.kind == .part }.compactMap(\.duration)
    guard !parts.isEmpty, launch > .zero else { return 0 }
    return abs(Double(parts.reduce(.zero, +).count) / Double(launch.count) - 1)
  }

  func summary(plain: [Int: Nanoseconds]) -> StagesSummary? {
    let tally = ready.count > 0 ? ready : unready
    guard var summary = tally.summary(collector) else { return nil }
    summary.launches = ready.count
    summary.notReady = unready.count
    summary.cost = StageCost(plain: plain, collected: launches)
    if let launch = summary.launch.median, launch > 0 {
      let parts = summary.launch.children.filter { $0.kind == .part }.compactMap(\.median)
      let plainSample = try? Sample(plain.sorted { $0.key < $1.key }.map { Double($0.value.count) })
      let median = plainSample.flatMap { $0.median > 0 ? $0.median : nil }
      if !parts.isEmpty {
        summary.check = StageSumCheck(
          sum: parts.reduce(0, +),
          launch: launch,
          plain: median,
          worstLaunch: worstLaunch
        )
      }
    }
    return summary
  }
}

/// The stages of some launches.
private struct Tally: Sendable {
  private(set) var count = 0
  private var program: String?
  private var otherProgram: (name: String, launches: Int)?
  private var launch: StageNode?
  private var preMain: StageNode?
  private var others: StageNode?
  private var processes: [LaunchProcess]?
  private var counters: [String: [Int64]] = [:]
  private var notes: [StageNote] = []
  private var noteNumbers: [String: Int] = [:]

  mutating func add(_ stages: LaunchStages) {
    count += 1
    program = program ?? stages.program
    if let other = stages.program, other != program {
      otherProgram = (otherProgram?.name ?? other, (otherProgram?.launches ?? 0) + 1)
    }
    launch = launch ?? StageNode(like: stages.launch)
    launch?.add(stages.launch)
    if let duration = stages.preMain {
      let stage = Stage(
        name: "pre-main",
        start: .zero,
        duration: duration,
        source: stages.collector
      )
      preMain = preMain ?? StageNode(like: stage)
      preMain?.add(stage)
    }
    add(stages.others, stages.collector)
    processes = processes ?? stages.processes
    for (name, value) in stages.counters { counters[name, default: []].append(value) }
    for note in stages.notes.uniqued {
      if let number = noteNumbers[note] {
        notes[number].launches += 1
      } else {
        noteNumbers[note] = notes.count
        notes.append(StageNote(text: note, launches: 1))
      }
    }
  }

  /// Other programs become stages that have no value of their own.
  private mutating func add(_ programs: [ProgramStages], _ collector: StageCollector) {
    let stages = programs.map { program in
      Stage(
        name: program.program,
        kind: .detail,
        start: program.stages.first?.start,
        duration: nil,
        source: collector,
        children: program.stages
      )
    }
    others = others ?? StageNode(like: Stage(name: "others", duration: nil, source: collector))
    others?.add(children: stages)
  }

  /// That launches of different programs are summarised together.
  private var mixture: [StageNote] {
    otherProgram.map { name, launches in
      [StageNote(text: "another program became ready, such as \(name)", launches: launches)]
    } ?? []
  }

  func summary(_ collector: StageCollector) -> StagesSummary? {
    guard let launch else { return nil }
    let total = launch.median
    let medians = counters.compactMapValues { values in
      (try? Sample(values.map(Double.init))).map { Int64($0.median.rounded()) }
    }
    return StagesSummary(
      collector: collector,
      program: program,
      launches: count,
      launch: launch.summary(of: total),
      preMain: preMain?.summary(of: total),
      others: others?.summary(of: total).children ?? [],
      processes: processes ?? [],
      counters: medians,
      notes: notes + mixture
    )
  }
}
