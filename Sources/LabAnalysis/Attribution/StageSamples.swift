import LabModel
import LabStatistics

/// The values of the launches of one build, by paths that are the same in every build.
struct StageSamples {
  /// The whole launches; nil without any that became ready.
  let launch: Sample?

  /// Times in nanoseconds of what more than half of the launches have, parents first.
  let times: [(path: String, value: Time)]

  /// Counts of what more than half of the launches have, by their names.
  let tallies: [(path: String, value: Sample)]

  struct Time {
    var kind: StageDifference.Kind
    var sample: Sample
  }

  /// What says nothing about a build.
  private static let ownCounters: Set = ["initializers_timed", "late_events", "lost_events"]

  init(_ launches: [LaunchStages]) {
    launch = try? Sample(launches.compactMap { $0.launch.duration.map { Double($0.count) } })
    var order: [String] = []
    var kinds: [String: StageDifference.Kind] = [:]
    var values: [String: [Double]] = [:]
    var counts: [String: [Double]] = [:]
    for launch in launches {
      var seen = StageWalk(program: launch.program)
      for stage in launch.launch.children { seen.add(stage) }
      for (path, time) in seen.times {
        if values[path] == nil { order.append(path) }
        values[path, default: []].append(time)
        kinds[path] = seen.kinds[path]
      }
      for (name, count) in launch.tallies { counts[name, default: []].append(count) }
    }
    func common(_ values: [Double]?) -> Sample? {
      guard let values, 2 * values.count > launches.count else { return nil }
      return try? Sample(values)
    }
    times = order.compactMap { path in
      common(values[path]).map { (path, Time(kind: kinds[path] ?? .stage, sample: $0)) }
    }
    tallies = counts.keys.sorted().filter { !Self.ownCounters.contains($0) }
      .compactMap { name in common(counts[name]).map { (name, $0) } }
  }
}

extension LaunchStages {
  /// Everything that is counted, page-ins of all files together.
  fileprivate var tallies: [String: Double] {
    var tallies = counters.mapValues(Double.init)
    if let pageIns {
      tallies["page_ins"] = Double(pageIns.files.reduce(0) { $0 + $1.pages })
      tallies["major_faults"] = pageIns.majorFaults.map(Double.init)
    }
    return tallies
  }
}

/// The times of one launch by path; those of one path are summed.
private struct StageWalk {
  let program: String?
  var times: [(path: String, time: Double)] = []
  var kinds: [String: StageDifference.Kind] = [:]
  private var indices: [String: Int] = [:]

  init(program: String?) { self.program = program }

  mutating func add(_ stage: Stage, within parents: [String] = []) {
    guard stage.kind != .excluded, !stage.flags.contains(.folded), let name = name(of: stage) else {
      return
    }
    let names = parents + [name]
    if let duration = stage.duration {
      let path = names.joined(separator: StageDifference.separator)
      kinds[path] = kind(of: stage, at: names)
      if let index = indices[path] {
        times[index].time += Double(duration.count)
      } else {
        indices[path] = times.count
        times.append((path, Double(duration.count)))
      }
    }
    for child in stage.children { add(child, within: names) }
  }

  /// Nil for code without a symbol: its offset says nothing in another build.
  private func name(of stage: Stage) -> String? {
    guard let place = stage.place else { return stage.name }
    guard place.offset == nil else { return place.symbol }
    return place.file == program ? "program" : place.fileName
  }

  private func kind(of stage: Stage, at names: [String]) -> StageDifference.Kind {
    guard stage.place != nil else { return .stage }
    return names[0] == StageName.initializers ? .initializer : .library
  }
}
