import Foundation
import LaunchCore
import LaunchStatistics

/// A search by slow launches, where bad has more of them and the typical launches of the ends hardly differ.
struct TailSearch: Sendable {
  /// How far above the typical launch of good one is slow, as a log ratio.
  let threshold: Double

  /// The newest build that is known to be as good as good, and the oldest that is as bad as bad.
  var lower: Int
  var upper: Int

  /// The number of batches before the confirmation; nil while it has not begun.
  var confirmingFrom: Int?
}

extension BisectEngine {
  /// A candidate is good or bad by 999 to 1.
  private static let decisiveRatio = log(999.0)

  /// By how much the shares of the ends must differ, or candidates would take hundreds of launches.
  private static let leastExcess = 0.05

  /// How many rows of a candidate are launched at a time, and of the culprit and its parent.
  private static let rowsOfCandidate = 10
  private static let rowsOfCulprit = 20

  /// Begins a search by slow launches where that tells the ends apart, and the typical launch does not.
  ///
  /// - Returns: Whether it has begun.
  mutating func beginTail() -> Bool {
    let ends = [0, range.last]
    guard !parameters.isExact, !parameters.findsAll, !parameters.isForced,
      let evidence = moreSlow, let ratios = try? Sample(pairs[PairOfBuilds(0, range.last)] ?? []),
      parameters.isOfSlowLaunches || abs(ratios.median) < parameters.minimumEffect,
      let good = try? Sample(values(of: 0, in: batches)),
      let mean = slowPairs(of: ends)?.meanRatio(confidence: 0.99)
    else { return false }
    let search = TailSearch(
      threshold: log(evidence.threshold) - good.median,
      lower: 0,
      upper: range.last
    )
    let shares = ends.map { slowShare(of: $0, by: search) }
    guard (shares[1] - shares[0]) * orientation >= Self.leastExcess else { return false }
    difference = LogInterval(mean)
    tail = search
    phase = .tail
    return true
  }

  /// Launches the ends until slow launches tell them apart, or more of them can be excluded; nil when
  /// the search has begun.
  mutating func decideSlowEnds() -> BisectAction? {
    if beginTail() { return nil }
    let ends = [0, range.last]
    if let all = slowPairs(of: ends), let mean = all.meanRatio(confidence: 0.99) {
      let most = all.oriented(orientation)
        .mostMoreSlow(score: PairedTail.boundScore(looks: Self.looks))
      if most < Self.leastExcess {
        difference = LogInterval(mean)
        return done(.refused(.same))
      }
    }
    return step(.launch(arms: ends, rows: Self.rowsOfCulprit))
  }

  /// Halves the range until the culprit is left, and confirms it against its parent.
  mutating func decideTail() -> BisectAction {
    guard var search = tail else { return done(.inconclusive(.nothingToLearn)) }
    defer { tail = search }
    while search.confirmingFrom == nil {
      let inside = range.between(search.lower, search.upper).filter { range.status[$0] != .broken }
      guard !inside.isEmpty else {
        search.confirmingFrom = batches.count
        break
      }
      let middle = inside[inside.count / 2]
      if !range.isBuilt(middle) { return step(.build(middle)) }
      guard let isBad = isBad(middle, by: search) else {
        return step(.launch(arms: [0, middle], rows: Self.rowsOfCandidate))
      }
      if isBad { search.upper = middle } else { search.lower = middle }
    }
    return confirmation(of: search)
  }

  private mutating func confirmation(of search: TailSearch) -> BisectAction {
    let builds = [search.lower, search.upper]
    let more = BisectAction.launch(arms: builds, rows: Self.rowsOfCulprit)
    guard let all = slowPairs(of: builds, from: search.confirmingFrom ?? 0) else {
      return step(more)
    }
    let evidence = all.oriented(orientation).moreSlow(beyond: expm1(parameters.minimumEffect))
    if evidence.probability <= PairedTail.probabilityLimit(looks: Self.looks),
      let mean = all.meanRatio(confidence: 0.95)
    {
      let first = range.between(search.lower, search.upper).first ?? search.upper
      found = [
        FoundChange(
          revisions: first...search.upper,
          effect: LogInterval(mean),
          probability: parameters.confidence
        )
      ]
      return done(.found)
    }
    let excess = slowShare(of: range.last, by: search) - slowShare(of: 0, by: search)
    let most = all.oriented(orientation)
      .mostMoreSlow(score: PairedTail.boundScore(looks: Self.looks))
    if most < abs(excess) / 2 {
      return done(.inconclusive(.notConfirmed))
    }
    return step(more)
  }

  /// What is launched or built next, unless a limit is reached.
  private func step(_ action: BisectAction) -> BisectAction {
    spent.map { done(.inconclusive($0)) } ?? action
  }

  /// Whether a build is as bad as bad, by the sequential likelihood ratio of its launches; nil while that
  /// is open.
  ///
  /// Source: Wald, The Annals of Mathematical Statistics 16 (1945), 117-186.
  private func isBad(_ revision: Int, by search: TailSearch) -> Bool? {
    let shares = (good: slowShare(of: 0, by: search), bad: slowShare(of: range.last, by: search))
    let counts = slowCount(of: revision, by: search)
    let ratio =
      Double(counts.slow) * log(shares.bad / shares.good)
      + Double(counts.all - counts.slow) * log((1 - shares.bad) / (1 - shares.good))
    return abs(ratio) < Self.decisiveRatio ? nil : ratio > 0
  }

  /// The share of slow launches of a build, from 0 to 1, both excluded.
  func slowShare(of revision: Int, by search: TailSearch) -> Double {
    let counts = slowCount(of: revision, by: search)
    return (Double(counts.slow) + 0.5) / Double(counts.all + 1)
  }

  /// A launch is held against the typical one of good in the same batch, so that the load of the machine
  /// makes none slow.
  private func slowCount(of revision: Int, by search: TailSearch) -> (slow: Int, all: Int) {
    batches.reduce(into: (slow: 0, all: 0)) { counts, batch in
      guard let good = try? Sample(values(of: 0, in: [batch])) else { return }
      let values = values(of: revision, in: [batch])
      counts.all += values.count
      counts.slow += values.count { $0 - good.median > search.threshold }
    }
  }

  private func values(of revision: Int, in batches: [MeasuredBatch]) -> [Double] {
    batches.flatMap { batch in
      batch.arms.firstIndex(of: revision).map { column in rows(of: batch).map { $0[column] } } ?? []
    }
  }

  private func slowPairs(of builds: [Int], from first: Int = 0) -> PairedTail? {
    let rows = batches.dropFirst(first).filter { $0.arms == builds }.flatMap(rows)
    return try? PairedTail(rows.map { (exp($0[0]), exp($0[1])) })
  }

  /// The values of a batch; where the share of slow launches is asked for, relative to the median of their
  /// build, as nights count them.
  private func rows(of batch: MeasuredBatch) -> [[Double]] {
    guard parameters.isOfSlowLaunches else { return batch.rows }
    let medians = batch.arms.indices.map { column in
      (try? Sample(batch.rows.map { $0[column] }))?.median ?? 0
    }
    return batch.rows.map { row in zip(row, medians).map { $0 - $1 } }
  }

  /// The batches of a search are as many looks as a comparison ever takes, or more.
  private static let looks = 16

  /// The evidence that bad has more slow launches than good, or fewer where improvements are looked for;
  /// nil where there is too little.
  var moreSlow: PairedTail.Evidence? {
    guard !parameters.isExact, let all = slowPairs(of: [0, range.last]) else { return nil }
    let evidence = all.oriented(orientation).moreSlow(beyond: expm1(parameters.minimumEffect))
    return evidence.probability <= PairedTail.probabilityLimit(looks: Self.looks) ? evidence : nil
  }

  /// The shares of slow launches of the ends, where bad has more of them.
  var sharesOfEnds: PairedTail.Shares? {
    moreSlow.flatMap { evidence in
      slowPairs(of: [0, range.last])?.shares(
        beyond: evidence.threshold,
        score: StudentT.quantile(0.975, degreesOfFreedom: .infinity)
      )
    }
  }
}

extension LogInterval {
  fileprivate init(_ ratio: (ratio: Double, interval: Interval)) {
    self.init(
      estimate: log(ratio.ratio),
      lower: log(ratio.interval.low),
      upper: log(ratio.interval.high)
    )
  }
}
