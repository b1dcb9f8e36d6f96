package import LabModel

extension StateReached {
  /// Judges whether a launch had the state that was asked for.
  ///
  /// Before a cold launch at least a share of its own files' pages must not be resident, and what it
  /// brings in must have come from storage; a warm one may have one major fault per 1,000 pages of
  /// its files. After a launch that had to be killed a target may recover first, unless it always has
  /// to be killed.
  ///
  /// - Parameters:
  ///   - state: What was asked for.
  ///   - preparation: What was done before the launch, with the residency read last.
  ///   - result: What the launch gave.
  ///   - coldShare: The share that must not be resident, from 0 to 1; nil means
  ///     `Scenario.defaultColdShare`.
  /// - Returns: The judgement, with the reason when the state was not reached or not verified.
  package static func judged(
    _ state: LaunchState,
    preparation: Preparation,
    result: LaunchResult,
    coldShare: Double? = nil
  ) -> StateReached {
    if result.flags.contains(.afterKill), !result.flags.contains(.killed) {
      return .notReached(
        reason: "the launch before had to be killed, so this one may have recovered"
      )
    }
    if state.isCold {
      return judgedCold(preparation, result, share: coldShare ?? Scenario.defaultColdShare)
    }
    guard let majorFaults = result.figures.majorFaults else {
      let reason = result.figures.missing[Metric.majorFaults.rawValue] ?? "the launch did not end"
      return .notVerified(reason: "major faults are not known: \(reason)")
    }
    guard majorFaults > preparation.toleratedFaults else { return .reached }
    return .notReached(reason: preparation.failure ?? "the launch had major faults")
  }

  private static func judgedCold(
    _ preparation: Preparation,
    _ result: LaunchResult,
    share: Double
  ) -> StateReached {
    if let failure = preparation.failure { return .notReached(reason: failure) }
    if let unverified = preparation.unverified { return .notVerified(reason: unverified) }
    let own = preparation.residency.filter(\.isOwn)
    let total = own.reduce(0) { $0 + $1.totalPages }
    let resident = own.reduce(0) { $0 + $1.residentPages }
    if Double(total - resident) < share * Double(total),
      let worst = own.max(by: { $0.residentPages < $1.residentPages })
    {
      let cause = worst.pinnedBy.map { " (\($0))" } ?? ""
      return .notReached(reason: "pages of \(worst.path) stayed\(cause)")
    }
    if let readIn = result.readIn, readIn.isFromElsewhere {
      return .notReached(
        reason: "\(mebibytes(readIn.ownBytes)) of its files came in, but the machine read only "
          + "\(mebibytes(readIn.machineBytes)) from storage: something else holds them"
      )
    }
    return .reached
  }

  /// Such as `44.6 MiB`.
  private static func mebibytes(_ bytes: Int64) -> String {
    let tenths = (bytes * 10 + 1 << 19) >> 20
    return "\(tenths / 10).\(tenths % 10) MiB"
  }
}

extension ReadIn {
  /// Whether what came in cannot have been read from storage.
  ///
  /// A compressed file system reads down to a tenth of what it gives; what is below 1 MiB is too
  /// little to be told from rounding.
  fileprivate var isFromElsewhere: Bool {
    ownBytes >= 1 << 20 && machineBytes < ownBytes / 10
  }
}
