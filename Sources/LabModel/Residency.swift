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
