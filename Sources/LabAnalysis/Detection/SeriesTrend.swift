package import LabModel
package import LabStatistics

/// What is concluded of one metric of one arm: its history, and tonight.
package struct SeriesTrend: Hashable, Sendable {
  /// That of tonight's host.
  package var key: SeriesKey

  /// Every night, ascending.
  ///
  /// Those of tonight's host, and before its first one those of the host that it took over from.
  /// Values on both sides of a break are never compared.
  package var points: [SeriesPoint]

  /// Where values before and after may not be compared, ascending by index.
  package var breaks: [SeriesBreak]

  /// Stretches of one level that cover `points` without gaps; none reaches across a break.
  package var segments: [Segment]

  /// The boundaries between segments that are no breaks and beyond the effect limit, ascending.
  package var changes: [LevelChange]

  package var assessment: SeriesAssessment

  /// The slow changes, against 30 and 90 nights ago and releases, as far as there were such nights.
  package var drifts: [DriftCheck]

  package var noise: NoiseProfile

  package init(
    key: SeriesKey,
    points: [SeriesPoint],
    breaks: [SeriesBreak] = [],
    segments: [Segment] = [],
    changes: [LevelChange] = [],
    assessment: SeriesAssessment,
    drifts: [DriftCheck] = [],
    noise: NoiseProfile = .ok
  ) {
    self.key = key
    self.points = points
    self.breaks = breaks
    self.segments = segments
    self.changes = changes
    self.assessment = assessment
    self.drifts = drifts
    self.noise = noise
  }

  package var role: Role { Role(key.target) }

  /// What the series is looked at for.
  package enum Role: Hashable, Sendable {
    case target
    case control
    case floor
  }
}

/// A place in a series that nothing is compared across.
package struct SeriesBreak: Hashable, Sendable {
  /// The index of the first point after it, at least 1.
  package var index: Int

  package var reason: Reason

  /// Such as `kernel 6.1.0-40 → 6.1.0-41`.
  package var text: String

  package init(index: Int, reason: Reason, text: String) {
    self.index = index
    self.reason = reason
    self.text = text
  }

  /// The raw value is the name used in JSON and reports.
  package enum Reason: String, Codable, Sendable {
    /// Another fingerprint.
    case host

    /// An alert with the cause `machine` was confirmed.
    case machine

    /// The program of the control is another one.
    case control
  }
}

/// A change of the level of a series that the segmentation of its history found.
package struct LevelChange: Hashable, Sendable {
  /// The index of the first point of the new level.
  package var index: Int

  /// The medians of the segments on both sides.
  package var before: Double
  package var after: Double

  /// The number of the alert of the change, if there is one.
  package var alert: Int?

  package init(index: Int, before: Double, after: Double, alert: Int? = nil) {
    self.index = index
    self.before = before
    self.after = after
    self.alert = alert
  }

  package var ratio: Double { after / before }
}

/// A level now against one of long ago.
package struct DriftCheck: Hashable, Sendable {
  /// Of the interval, from 0 to 1; high, because it is looked at every night.
  package static let confidence = 0.99

  /// Such as `30 nights ago` or `release 2.1`.
  package var against: String

  /// The median of the nights around then, and of the newest ones.
  package var before: Double
  package var now: Double

  /// The 99 % interval of now / before; nil when there are too few nights.
  package var low: Double?
  package var high: Double?

  /// How much of the ratio is not explained by changes that have an alert.
  package var unexplained: Double

  /// Whether the whole unexplained interval lies beyond the effect limit.
  package var isBeyond: Bool

  /// The run in the middle of the nights of then.
  package var reference: String

  /// The runs of the nights of then, and of the newest ones, both ascending.
  package var nights: [String]
  package var newest: [String]

  package init(
    against: String,
    before: Double,
    now: Double,
    low: Double?,
    high: Double?,
    unexplained: Double,
    isBeyond: Bool,
    reference: String,
    nights: [String] = [],
    newest: [String] = []
  ) {
    self.against = against
    self.before = before
    self.now = now
    self.low = low
    self.high = high
    self.unexplained = unexplained
    self.isBeyond = isBeyond
    self.reference = reference
    self.nights = nights
    self.newest = newest
  }

  package var ratio: Double { now / before }
}

/// How the nightly medians of a series scatter; the raw value is the name used in JSON and reports.
package enum NoiseProfile: String, Codable, CaseIterable, Sendable {
  case ok
  case skewed
  case outliers
  case modal

  /// There are too few nights to tell.
  case unknown
}
