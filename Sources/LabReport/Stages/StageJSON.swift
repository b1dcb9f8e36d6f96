import LabAnalysis
import LabModel
import LabStatistics

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
  init(stagesOf summary: StagesSummary) {
    self = .array(summary.launch.children.map(JSONValue.init(stage:)))
  }

  /// How the launches of an arm were spent, with what tells how far it can be trusted.
  init(summary: StagesSummary) {
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
