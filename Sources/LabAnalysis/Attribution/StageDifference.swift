/// What differs between the launches of two builds, as a collector saw them.
package struct StageDifference: Hashable, Sendable {
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
  /// the launches do not differ.
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
