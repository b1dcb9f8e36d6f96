import Foundation
import LaunchCore
import Stages

/// Compares how often things happen in the launches of two programs.
enum CountComparison {
  /// The share of the launches of a program that must agree for a count to be certain.
  private static let agreeingShare = 0.8

  /// Fewer launches say nothing for certain.
  private static let fewestLaunches = 3

  /// What happens another number of times, the largest difference first.
  ///
  /// A count is certain where nearly all launches of each program agree on it; another one is
  /// compared by the sign test, pair by pair, with 1 % for all things together. Objects of one
  /// directory are counted together where more than one of them differs.
  ///
  /// - Parameter blocks: Those with both launches are compared.
  /// - Returns: Only what differs.
  static func changes(in blocks: [AttributionBlock]) -> [CountChange] {
    let pairs = blocks.compactMap { block -> Pair? in
      guard let before = block.before.traced, let after = block.after.traced else { return nil }
      return Pair(before: before.counts, after: after.counts)
    }
    guard pairs.count >= fewestLaunches else { return [] }
    let single = changes(of: pairs)
    let grouped = changes(
      of: pairs.map { Pair(before: byDirectory($0.before), after: byDirectory($0.after)) }
    )
    let directories = Dictionary(grouping: single) { directory(of: $0.thing) }
    let groups = grouped.filter { change in
      (directories[change.thing]?.count ?? 0) != 1
    }
    let covered = Set(groups.filter(\.isCertain).map(\.thing))
    let rest = single.filter { change in
      directory(of: change.thing).map { !covered.contains($0) } ?? true
    }
    return (groups.filter(\.isCertain) + rest).sorted { left, right in
      (abs(left.difference), "\(right.thing)") > (abs(right.difference), "\(left.thing)")
    }
  }

  /// What came from files into the page cache, as medians of the launches of one program.
  ///
  /// - Parameter launches: All of its traced launches.
  /// - Returns: Files of which more than half of the launches brought any page in, most pages first.
  static func pageIns(in launches: [TracedLaunch]) -> [PageInCount] {
    var files: Set<String?> = []
    for launch in launches {
      for case .pageIns(let file) in launch.counts.keys { files.insert(file) }
    }
    func median(_ thing: CountedThing) -> Int {
      Int(clamping: self.median(launches.map { $0.counts[thing] ?? 0 }).rounded())
    }
    let counts = files.map { file in
      PageInCount(
        file: file,
        pages: median(.pageIns(file: file)),
        readAhead: median(.readAhead(file: file))
      )
    }
    return counts.filter { $0.pages > 0 }.sorted {
      ($0.pages, $1.file ?? "") > ($1.pages, $0.file ?? "")
    }
  }

  /// The counts of a pair of launches.
  private struct Pair {
    var before: [CountedThing: Int]
    var after: [CountedThing: Int]
  }

  private static func changes(of pairs: [Pair]) -> [CountChange] {
    let things = Set(pairs.flatMap { Array($0.before.keys) + Array($0.after.keys) })
    let limit = 0.01 / Double(max(1, things.count))
    return things.compactMap { thing in
      let before = pairs.map { $0.before[thing] ?? 0 }
      let after = pairs.map { $0.after[thing] ?? 0 }
      if let usualBefore = usual(before), let usualAfter = usual(after) {
        guard usualBefore != usualAfter else { return nil }
        return CountChange(
          thing: thing,
          before: Double(usualBefore),
          after: Double(usualAfter),
          isCertain: true
        )
      }
      let more = zip(before, after).count { $0 < $1 }
      let fewer = zip(before, after).count { $0 > $1 }
      guard signProbability(more, fewer) <= limit else { return nil }
      return CountChange(
        thing: thing,
        before: median(before),
        after: median(after),
        isCertain: false
      )
    }
  }

  /// The count that nearly all launches have.
  private static func usual(_ counts: [Int]) -> Int? {
    let frequencies = Dictionary(counts.map { ($0, 1) }, uniquingKeysWith: +)
    guard let (count, frequency) = frequencies.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })
    else { return nil }
    return Double(frequency) >= agreeingShare * Double(counts.count) ? count : nil
  }

  private static func median(_ counts: [Int]) -> Double {
    let sorted = counts.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? Double(sorted[middle - 1] + sorted[middle]) / 2 : Double(sorted[middle])
  }

  /// The chance of so uneven signs or more uneven ones, if both are equally likely.
  private static func signProbability(_ more: Int, _ fewer: Int) -> Double {
    let count = more + fewer
    guard count > 0 else { return 1 }
    let least = min(more, fewer)
    var term = pow(0.5, Double(count))
    var sum = term
    for successes in stride(from: 1, through: least, by: 1) {
      term *= Double(count - successes + 1) / Double(successes)
      sum += term
    }
    return min(1, 2 * sum)
  }

  private static func byDirectory(_ counts: [CountedThing: Int]) -> [CountedThing: Int] {
    var sums: [CountedThing: Int] = [:]
    for (thing, count) in counts {
      if let directory = directory(of: thing) { sums[directory, default: 0] += count }
    }
    return sums
  }

  /// The same call on everything in the directory of its object; nil where that is no path.
  private static func directory(of thing: CountedThing) -> CountedThing? {
    guard case .call(let name, let object?) = thing, !object.hasPrefix("unix:"),
      let slash = object.dropLast().lastIndex(of: "/")
    else { return nil }
    return .call(name: name, object: String(object[...slash]))
  }
}

extension LaunchExplanation.LibraryChange {
  /// Compares the libraries that the launches of two programs have in memory, or open.
  init(_ blocks: [AttributionBlock]) {
    let arms = Sides(before: blocks.map(\.before), after: blocks.map(\.after))
    let always = arms.map { Self.libraries(of: $0) { Double($0) >= 0.8 * Double($1) } }
    let ever = arms.map { Self.libraries(of: $0) { Double($0) > 0.2 * Double($1) } }
    new = always.after.subtracting(ever.before).sorted()
    gone = always.before.subtracting(ever.after).sorted()
  }

  /// The libraries that enough of the launches have.
  private static func libraries(
    of launches: [BlockLaunches],
    where isEnough: (Int, Int) -> Bool
  ) -> Set<String> {
    var sets = launches.compactMap { $0.profile.map { Set($0.files.filter(isLibrary)) } }
    if sets.isEmpty {
      sets = launches.compactMap(\.traced).map { launch in
        Set(
          launch.counts.compactMap { thing, count -> String? in
            guard case .call("openat", let object?) = thing, count > 0 else { return nil }
            return isLibrary(object) ? object : nil
          }
        )
      }
    }
    var counts: [String: Int] = [:]
    for names in sets {
      for name in Set(names.map(\.lastPathPart)) { counts[name, default: 0] += 1 }
    }
    return Set(counts.filter { isEnough($0.value, sets.count) }.keys)
  }

  private static func isLibrary(_ path: String) -> Bool {
    path.hasSuffix(".so") || path.contains(".so.")
  }
}
