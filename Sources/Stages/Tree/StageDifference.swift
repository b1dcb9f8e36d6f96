import Foundation
package import LaunchCore
import LaunchStatistics

/// What differs between the launches of two builds, as a collector saw them.
package struct StageDifference: Hashable, Codable, Sendable {
  package var kind: Kind

  /// The names from the part of the launch down, joined by ` > `; of a number its name.
  ///
  /// Libraries are called by their file name and the launched program `program`, since builds lie in
  /// directories of their own.
  package var path: String

  /// The median over the launches, in nanoseconds or as a count; nil where it was not there.
  package var before: Double?
  package var after: Double?

  /// After less before, as a share of how much the whole launch differs; nil for numbers, and where
  /// launches differ by no more than chance.
  package var share: Double?

  /// The 95 % interval of after less before, in the same unit; nil for numbers.
  package var interval: ClosedRange<Double>?

  package init(
    kind: Kind,
    path: String,
    before: Double?,
    after: Double?,
    share: Double? = nil,
    interval: ClosedRange<Double>? = nil
  ) {
    self.kind = kind
    self.path = path
    self.before = before
    self.after = after
    self.share = share
    self.interval = interval
  }

  /// After less before; what was not there is 0.
  package var difference: Double { (after ?? 0) - (before ?? 0) }

  /// What a difference is one of; the raw value is the name used in JSON.
  package enum Kind: String, Hashable, Codable, Sendable {
    /// The time of a stage.
    case stage

    /// The time of a library that is loaded before `main`.
    case library

    /// The time of an initializer, or of all those of a library.
    case initializer

    /// How many there are of something.
    case tally
  }
}

extension StageDifference {
  /// The fewest launches of each build that are compared.
  package static let fewestLaunches = 3

  /// How large a time is at least, as a share of the largest difference of a stage, and of the whole
  /// launch.
  package static let smallestShare = 0.05
  static let smallestShareOfLaunch = 0.001

  /// Compares the launches of two builds.
  ///
  /// A time counts where the medians differ by more than the 99 % interval of their difference, and
  /// by at least 5 % of the largest difference of a stage and a thousandth of the launch; a number
  /// where the medians differ by more than that interval. The standard error of a median is 1.2533
  /// standard deviations, which come from the median absolute deviation, divided by the square root
  /// of the count. What only one build has counts where more than half of its launches have it.
  ///
  /// - Parameters:
  ///   - before: Launches of the parent by one collector, with their shortest stages not folded.
  ///   - after: Launches of the culprit by the same collector.
  /// - Returns: Times by how much they differ, those within a stage after it; then numbers by their
  ///   ratio. Empty for fewer than ``fewestLaunches`` of either, and for different collectors.
  package static func differences(
    from before: [LaunchStages],
    to after: [LaunchStages]
  ) -> [Self] {
    guard min(before.count, after.count) >= fewestLaunches,
      Set((before + after).map(\.collector)).count == 1
    else { return [] }
    let old = StageSamples(before)
    let new = StageSamples(after)
    return times(from: old, to: new) + tallies(from: old, to: new)
  }

  /// The stages of the launches of one build: those of the launch, and those of which they are made,
  /// with at least a hundredth of it.
  ///
  /// - Parameter launches: By one collector.
  /// - Returns: Each with its median after and its share of the median launch, a stage before its
  ///   parts.
  package static func parts(of launches: [LaunchStages]) -> [Self] {
    let samples = StageSamples(launches)
    guard launches.count >= fewestLaunches, let whole = samples.launch?.median, whole > 0 else {
      return []
    }
    return samples.times.compactMap { path, time in
      let depth = path.components(separatedBy: separator).count
      let median = time.sample.median
      guard time.kind == .stage, depth <= 2, median >= whole / 100 else { return nil }
      return Self(
        kind: .stage,
        path: path,
        before: nil,
        after: median,
        share: median / whole
      )
    }
  }

  // MARK: - Times

  private static func times(from old: StageSamples, to new: StageSamples) -> [Self] {
    let whole =
      isClear(old.launch, new.launch)
      ? (new.launch?.median ?? 0) - (old.launch?.median ?? 0) : 0
    let pairs = PathPair.pairs(from: old.times, to: new.times)
    let differences = pairs.compactMap { pair -> Self? in
      guard isClear(pair.before?.sample, pair.after?.sample) else { return nil }
      let kind = (pair.after ?? pair.before)?.kind ?? .stage
      var difference = Self(
        kind: kind,
        path: pair.path,
        before: pair.before?.sample.median,
        after: pair.after?.sample.median
      )
      difference.share = whole == 0 ? nil : difference.difference / whole
      let half = halfWidth(pair.before?.sample, pair.after?.sample, confidence: 0.95)
      difference.interval = half.map { difference.difference - $0...difference.difference + $0 }
      return difference
    }
    let largest = differences.map { abs($0.difference) }.max() ?? 0
    let launch = max(new.launch?.median ?? 0, old.launch?.median ?? 0)
    let smallest = max(smallestShare * largest, smallestShareOfLaunch * launch)
    let shown = differences.filter { difference in
      abs(difference.difference) >= smallest
        || difference.kind == .library && (difference.before == nil || difference.after == nil)
    }
    return ranked(shown)
  }

  /// The largest first, and what is within a stage after it.
  private static func ranked(_ differences: [Self]) -> [Self] {
    let paths = Set(differences.map(\.path))
    let roots = differences.filter { !isWithin($0.path, oneOf: paths) }
    let order = roots.sorted {
      abs($0.difference) == abs($1.difference)
        ? $0.path < $1.path : abs($0.difference) > abs($1.difference)
    }
    return order.flatMap { root in
      [root] + ranked(differences.filter { $0.path.hasPrefix(root.path + separator) })
    }
  }

  private static func isWithin(_ path: String, oneOf paths: Set<String>) -> Bool {
    var names = path.components(separatedBy: separator)
    while names.count > 1 {
      names.removeLast()
      if paths.contains(names.joined(separator: separator)) { return true }
    }
    return false
  }

  static let separator = " > "

  // MARK: - Numbers

  private static func tallies(from old: StageSamples, to new: StageSamples) -> [Self] {
    let pairs = PathPair.pairs(from: old.tallies, to: new.tallies)
    let differences = pairs.compactMap { pair -> Self? in
      guard let before = pair.before, let after = pair.after, isClear(before, after) else {
        return nil
      }
      return Self(kind: .tally, path: pair.path, before: before.median, after: after.median)
    }
    return differences.sorted { left, right in
      left.growth == right.growth ? left.path < right.path : left.growth > right.growth
    }
  }

  /// How far the ratio of two counts is from 1, in either direction.
  private var growth: Double { abs(log(((after ?? 0) + 1) / ((before ?? 0) + 1))) }

  // MARK: - Noise

  private static func isClear(_ before: Sample?, _ after: Sample?) -> Bool {
    guard let before, let after else { return before != nil || after != nil }
    guard let half = halfWidth(before, after, confidence: 0.99) else { return true }
    return abs(after.median - before.median) > half
  }

  /// Half of the interval of the difference of two medians; what is not there has no scatter.
  private static func halfWidth(
    _ before: Sample?,
    _ after: Sample?,
    confidence: Double
  ) -> Double? {
    let samples = [before, after].compactMap(\.self)
    let count = samples.reduce(0) { $0 + $1.count }
    guard count > samples.count else { return nil }
    let variance = samples.reduce(0) { $0 + $1.squaredDeviation / Double($1.count) }
    let degrees = Double(count - samples.count)
    let score = StudentT.quantile(0.5 + confidence / 2, degreesOfFreedom: degrees)
    return score * 1.2533 * variance.squareRoot()
  }
}

extension Sample {
  fileprivate var squaredDeviation: Double { robustDeviation * robustDeviation }
}

/// A value before and after, of two sets of values that are told apart by their paths.
package struct PathPair<Value> {
  package let path: String

  /// Nil where that side has no such path.
  package let before: Value?
  package let after: Value?

  /// Pairs the values of both sides: the paths of `after` in order, then those that are gone.
  ///
  /// - Parameters:
  ///   - before: Values with their paths, of which each occurs once.
  ///   - after: The other side.
  /// - Returns: One pair per path.
  package static func pairs(
    from before: [(path: String, value: Value)],
    to after: [(path: String, value: Value)]
  ) -> [Self] {
    let old = Dictionary(before.map { ($0.path, $0.value) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.path, $0.value) }) { first, _ in first }
    let gone = before.map(\.path).filter { new[$0] == nil }
    return (after.map(\.path) + gone).map { Self(path: $0, before: old[$0], after: new[$0]) }
  }
}

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
