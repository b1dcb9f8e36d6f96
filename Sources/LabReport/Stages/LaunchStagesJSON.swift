import LabModel

/// How one launch was spent: an element of `blocks`, and `stages` of an exported launch.
struct LaunchStagesJSON {
  private let launch: LaunchStages

  init(_ launch: LaunchStages) { self.launch = launch }

  var value: JSONValue {
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
