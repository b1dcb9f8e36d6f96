package import LaunchCore
import LaunchStatistics
package import Rendering

extension JSONValue {
  /// A stage over the launches of an arm, as an element of `stages` in the JSON of a run.
  init(stage: StageSummary) {
    self = .object(
      [
        (name: "name", value: .string(stage.name)),
        (name: "median_ns", value: JSONValue(nanoseconds: stage.median)),
        (name: "share", value: JSONValue(stage.share)),
        (name: "ci95", value: stage.interval.map { [.number($0.low), .number($0.high)] } ?? nil),
        (name: "n", value: JSONValue(stage.n)),
        (name: "start_ns", value: JSONValue(nanoseconds: stage.start)),
        (name: "kind", value: .string(stage.kind.rawValue)),
        (name: "flags", value: JSONValue(flags: stage.flags)),
        (name: "source", value: .string(stage.source.rawValue)),
        (name: "resolution_ns", value: .integer(stage.resolution.count)),
      ] + (stage.place.map { [(name: "place", value: JSONValue(place: $0))] } ?? []) + [
        (name: "children", value: .array(stage.children.map(JSONValue.init(stage:))))
      ]
    )
  }

  /// The parts of the launch of an arm, which is what `stages` of an arm holds.
  package init(stagesOf summary: StagesSummary) {
    self = .array(summary.launch.children.map(JSONValue.init(stage:)))
  }

  /// How the launches of an arm were spent, with what tells how far it can be trusted.
  package init(summary: StagesSummary) {
    self = [
      "collector": .string(summary.collector.rawValue),
      "program": JSONValue(summary.program),
      "launches": JSONValue(summary.launches),
      "not_ready": JSONValue(summary.notReady),
      "median_ns": JSONValue(nanoseconds: summary.launch.median),
      "ci95": summary.launch.interval.map { [.number($0.low), .number($0.high)] } ?? nil,
      "pre_main_ns": JSONValue(nanoseconds: summary.preMain?.median),
      "stages": JSONValue(stagesOf: summary),
      "programs": .array(summary.others.map(JSONValue.init(stage:))),
      "counters": JSONValue(summary.counters) { .integer($0) },
      "cost": summary.cost.map(JSONValue.init(cost:)) ?? nil,
      "sum_check": summary.check.map(JSONValue.init(check:)) ?? nil,
      "notes": .array(
        summary.notes.map { ["note": .string($0.text), "launches": JSONValue($0.launches)] }
      ),
    ]
  }

  init(place: CodePlace) {
    self = [
      "file": .string(place.file),
      "offset": JSONValue(place.offset.map { Int64(clamping: $0) }),
      "symbol": JSONValue(place.symbol),
    ]
  }

  /// A time that was estimated, as a whole number of nanoseconds.
  private init(nanoseconds: Double?) {
    self = nanoseconds.map { .integer(Int64($0.rounded())) } ?? nil
  }

  init(flags: [StageFlag]) { self = .array(flags.map { .string($0.rawValue) }) }

  private init(cost: StageCost) {
    self = [
      "n": JSONValue(cost.n),
      "median_ns": JSONValue(nanoseconds: cost.median),
      "ci95": cost.interval.map { [.number($0.low), .number($0.high)] } ?? nil,
      "share": JSONValue(cost.share),
    ]
  }

  private init(check: StageSumCheck) {
    self = [
      "sum_ns": JSONValue(nanoseconds: check.sum),
      "launch_ns": JSONValue(nanoseconds: check.launch),
      "plain_ns": JSONValue(nanoseconds: check.plain),
      "worst_launch": .number(check.worstLaunch),
      "is_off": .bool(check.isOff),
      "is_off_plain": .bool(check.isOffPlain),
    ]
  }
}

/// How one launch was spent: an element of `blocks`, and `stages` of an exported launch.
package struct LaunchStagesJSON {
  private let launch: LaunchStages

  package init(_ launch: LaunchStages) { self.launch = launch }

  package var value: JSONValue {
    let total = launch.launch.duration
    return [
      "format": .string("launchlab.\(launch.collector.rawValue)"),
      "pid": JSONValue(launch.pid.map(Int.init)),
      "program": JSONValue(launch.program),
      "total_ns": JSONValue(total?.count),
      "pre_main_ns": JSONValue(launch.preMain?.count),
      "stages": .array(launch.launch.children.map { stage($0, of: total) }),
      "images": .array(images),
      "programs": .array(launch.others.map { program($0, of: total) }),
      "processes": launch.processes.map { .array($0.map(JSONValue.init(process:))) } ?? nil,
      "counters": JSONValue(launch.counters) { .integer($0) },
      "flags": JSONValue(flags: flags(launch.launch)),
      "page_ins": launch.pageIns.map(JSONValue.init(pageIns:)) ?? nil,
      "notes": .array(launch.notes.map(JSONValue.string)),
    ]
  }

  private func stage(_ stage: Stage, of total: Nanoseconds?) -> JSONValue {
    .object(
      [
        (name: "name", value: .string(stage.name)),
        (name: "ns", value: JSONValue(stage.duration?.count)),
        (name: "start_ns", value: JSONValue(stage.start?.count)),
        (name: "share", value: JSONValue(share(stage.duration, of: total))),
        (name: "kind", value: .string(stage.kind.rawValue)),
        (name: "flags", value: JSONValue(flags: stage.flags)),
        (name: "source", value: .string(stage.source.rawValue)),
        (name: "resolution_ns", value: .integer(stage.resolution.count)),
      ] + (stage.place.map { [(name: "place", value: JSONValue(place: $0))] } ?? []) + [
        (name: "children", value: .array(stage.children.map { self.stage($0, of: total) }))
      ]
    )
  }

  private func share(_ duration: Nanoseconds?, of total: Nanoseconds?) -> Double? {
    guard let duration, let total, total > .zero else { return nil }
    return Double(duration.count) / Double(total.count)
  }

  private func program(_ program: ProgramStages, of total: Nanoseconds?) -> JSONValue {
    [
      "pid": JSONValue(Int(program.pid)),
      "program": .string(program.program),
      "is_wrapper": .bool(program.isWrapper),
      "stages": .array(program.stages.map { stage($0, of: total) }),
    ]
  }

  /// The time in the initializers of each library, the longest first.
  private var images: [JSONValue] {
    let initializers = launch.launch.children.filter { $0.name == StageName.initializers }
    let libraries = initializers.flatMap(\.children).flatMap(\.children)
      .filter { $0.kind == .part && $0.place != nil }
    return libraries.enumerated()
      .sorted { left, right in
        let (first, second) = (left.element.duration ?? .zero, right.element.duration ?? .zero)
        return first == second ? left.offset < right.offset : first > second
      }
      .map { _, library in
        ["name": .string(library.name), "ns": JSONValue(library.duration?.count)]
      }
  }

  /// Every flag of the launch and its parts.
  private func flags(_ launch: Stage) -> [StageFlag] {
    let seen = Set(launch.flags + launch.children.flatMap(\.flags))
    return StageFlag.allCases.filter(seen.contains)
  }
}

extension JSONValue {
  fileprivate init(process: LaunchProcess) {
    self = [
      "pid": JSONValue(Int(process.pid)),
      "parent": JSONValue(process.parent.map(Int.init)),
      "program": .string(process.program),
      "is_executed": .bool(process.isExecuted),
      "start_ns": JSONValue(process.start.count),
      "end_ns": JSONValue(process.end?.count),
    ]
  }
}

/// How launches were spent as JSON, of schema `launchlab.stages/1`.
///
/// Each launch is one element of `blocks`, and `summaries` have the medians over all of them, one
/// per collector. Every value of a launch is an integer in nanoseconds, or null.
package struct StagesJSON: JSONDocument {
  private let command: [String]
  private let launches: [LaunchStages]
  private let summaries: [StagesSummary]

  package init(command: [String], launches: [LaunchStages], summaries: [StagesSummary]) {
    self.command = command
    self.launches = launches
    self.summaries = summaries
  }

  package var value: JSONValue {
    [
      "schema": "launchlab.stages/1",
      "command": .array(command.map(JSONValue.string)),
      "launches": JSONValue(launches.count),
      "collector": JSONValue(summaries.first?.collector.rawValue),
      "blocks": .array(launches.map { LaunchStagesJSON($0).value }),
      "summaries": .array(summaries.map(JSONValue.init(summary:))),
    ]
  }
}

extension JSONValue {
  init(pageIns: PageIns) {
    self = [
      "files": .array(pageIns.files.map(JSONValue.init(pageIn:))),
      "metadata": JSONValue(metadata: pageIns.metadata),
      "major_faults": JSONValue(pageIns.majorFaults),
      "notes": .array(pageIns.notes.map(JSONValue.string)),
    ]
  }

  package init(pageIn: PageIn) {
    self = [
      "path": .string(pageIn.path),
      "is_own": .bool(pageIn.isOwn),
      "pages": JSONValue(pageIn.pages),
      "faulted": JSONValue(pageIn.faulted),
      "read_ahead": JSONValue(pageIn.readAhead),
      "wait_ns": JSONValue(pageIn.wait?.count),
    ]
  }

  package init(metadata: MetadataReads?) {
    guard let metadata else {
      self = nil
      return
    }
    self = ["pages": JSONValue(metadata.pages), "wait_ns": JSONValue(metadata.wait.count)]
  }
}
