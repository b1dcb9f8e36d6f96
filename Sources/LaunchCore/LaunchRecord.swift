/// One stored launch: what was asked for, what was reached, and what was seen.
package struct LaunchRecord: Hashable, Sendable {
  /// The number of the block, from 0.
  package var block: Int

  /// The place within the block, from 0.
  package var position: Int

  /// The index of the arm in the run's plan.
  package var arm: Int

  /// When the launch began, on the monotonic clock, since the run began.
  package var startedAt: Nanoseconds

  package var preparation: Preparation

  package var result: LaunchResult

  /// Whether the state that the arm asks for was reached, judged after the launch.
  package var stateReached: StateReached

  /// How the launch was spent, of collector launches.
  package var stages: LaunchStages?

  package init(
    block: Int,
    position: Int,
    arm: Int,
    startedAt: Nanoseconds,
    preparation: Preparation,
    result: LaunchResult,
    stateReached: StateReached,
    stages: LaunchStages? = nil
  ) {
    self.block = block
    self.position = position
    self.arm = arm
    self.startedAt = startedAt
    self.preparation = preparation
    self.result = result
    self.stateReached = stateReached
    self.stages = stages
  }
}

/// Whether a launch had the state it was asked to have.
package enum StateReached: Hashable, Codable, Sendable {
  case reached

  case notReached(reason: String)

  /// It cannot be told, for want of a right.
  case notVerified(reason: String)
}

extension StateReached {
  /// Why the state was not reached or not verified; nil when it was reached.
  package var reason: String? {
    switch self {
    case .reached: nil
    case .notReached(let reason), .notVerified(let reason): reason
    }
  }

  /// The name used in JSON, the store and reports.
  package var name: String {
    switch self {
    case .reached: "reached"
    case .notReached: "not-reached"
    case .notVerified: "not-verified"
    }
  }
}

/// How much of one file was in the page cache.
package struct FileResidency: Hashable, Codable, Sendable {
  package var path: String

  /// Whether the file is the target's own, and so must not be resident before a cold launch.
  package var isOwn: Bool

  package var residentPages: Int

  package var totalPages: Int

  /// Why pages stayed, such as `mapped by pid 1 and 41 others`; nil when nothing stayed,
  /// or nothing was meant to go.
  package var pinnedBy: String?

  package init(
    path: String,
    isOwn: Bool,
    residentPages: Int,
    totalPages: Int,
    pinnedBy: String? = nil
  ) {
    self.path = path
    self.isOwn = isOwn
    self.residentPages = residentPages
    self.totalPages = totalPages
    self.pinnedBy = pinnedBy
  }
}

/// What was done right before a launch, and the evidence of what it reached.
package struct Preparation: Hashable, Codable, Sendable {
  /// How long the preparation took, all in.
  package var duration: Nanoseconds

  /// How many unmeasured launches made the target warm.
  package var warmUps: Int

  /// Per file, read last before the launch; empty when it cannot be read.
  package var residency: [FileResidency]

  /// Why the state cannot be verified, if so.
  package var unverified: String?

  /// Why the preparation itself did not reach the state, if so.
  package var failure: String?

  /// How the launch waited for the machine to settle; nil when that is not asked for.
  package var settling: Settling?

  package init(
    duration: Nanoseconds = .zero,
    warmUps: Int = 0,
    residency: [FileResidency] = [],
    unverified: String? = nil,
    failure: String? = nil,
    settling: Settling? = nil
  ) {
    self.duration = duration
    self.warmUps = warmUps
    self.residency = residency
    self.unverified = unverified
    self.failure = failure
    self.settling = settling
  }
}

extension Preparation {
  /// How many major faults a launch may have that read nothing: the kernel counts one for a hole of
  /// a sparse file, such as chromium makes in each launch.
  private static let faultsWithoutReading: Int64 = 8

  /// Whether a launch was warm: it had at most one major fault per 1,000 pages of its files, or a few
  /// and read nothing from storage.
  ///
  /// - Parameters:
  ///   - figures: Those of the launch.
  ///   - residency: The files that are watched.
  /// - Returns: Nil where major faults are not known.
  package static func isWarm(_ figures: Figures, watching residency: [FileResidency]) -> Bool? {
    guard let faults = figures.majorFaults else { return nil }
    let tolerated = Int64(residency.reduce(0) { $0 + $1.totalPages } / 1_000)
    return faults <= tolerated || (faults <= faultsWithoutReading && figures.bytesRead == 0)
  }
}

/// What a cold launch brought into the page cache, beside what came from storage meanwhile.
package struct ReadIn: Hashable, Sendable {
  /// The bytes of the target's own files that were not resident before the launch, and are after it.
  package var ownBytes: Int64

  /// The bytes that the whole machine read from block devices in the same time, so at least what the
  /// launch did.
  package var machineBytes: Int64

  package init(ownBytes: Int64, machineBytes: Int64) {
    self.ownBytes = ownBytes
    self.machineBytes = machineBytes
  }
}
