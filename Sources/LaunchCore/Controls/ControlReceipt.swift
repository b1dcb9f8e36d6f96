/// What became of one control in a run.
package struct ControlReceipt: Hashable, Codable, Sendable {
  package var name: String
  package var wanted: String?
  package var before: String?
  package var after: String?
  package var status: Status

  /// Why the control did not do what was wanted; nil when it did.
  package var reason: String?

  package init(
    name: String,
    wanted: String? = nil,
    before: String? = nil,
    after: String? = nil,
    status: Status,
    reason: String? = nil
  ) {
    self.name = name
    self.wanted = wanted
    self.before = before
    self.after = after
    self.status = status
    self.reason = reason
  }

  /// What became of a control.
  package enum Status: String, Codable, Sendable {
    case applied

    /// It was only read and is reported.
    case observed
    case failed
    case unavailable
  }
}

/// What may get in the way of a launch before it counts as disturbed.
///
/// Throttling and swapping-in disturb at the first event.
package struct DisturbanceLimits: Hashable, Codable, Sendable {
  /// The largest stolen share of the launch, from 0 to 1.
  package var stolen: Double

  /// The largest share of the launch that others used the target's processors, from 0 to 1.
  package var foreign: Double

  /// The largest share of disturbed launches, from 0 to 1; so many are repeated, and a run with
  /// more is inconclusive.
  package var share: Double

  package init(stolen: Double = 0.02, foreign: Double = 0.1, share: Double = 0.25) {
    self.stolen = stolen
    self.foreign = foreign
    self.share = share
  }
}

/// Something that got in the way of a launch.
package struct Disturbance: Hashable, Codable, Sendable {
  package var kind: Kind

  /// Nanoseconds of `steal` and `foreign-cpu`, a count of the others.
  package var amount: Int64

  /// The largest amount that would have been tolerated, in the same unit.
  package var limit: Int64

  package init(kind: Kind, amount: Int64, limit: Int64) {
    self.kind = kind
    self.amount = amount
    self.limit = limit
  }

  /// The raw value is the name used in JSON, the store and reports.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    /// The hypervisor ran something else.
    case steal

    /// A processor was slowed down because it was hot.
    case throttling

    /// Pages came back from swap.
    case swapIn = "swap-in"

    /// Others used the target's processors.
    case foreignCPU = "foreign-cpu"
  }
}
