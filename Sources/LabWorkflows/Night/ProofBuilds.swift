import LabModel

/// The two builds of some targets that a proof launches in the same blocks.
struct ProofBuilds: Hashable {
  /// The targets as they were in the last good night.
  var baseline: [Target]

  /// The same targets as they are tonight.
  var candidate: [Target]

  /// The commits, or the first digits of the digests, of the two builds.
  var good: String
  var bad: String

  var scope: Proof.Scope

  /// What became of looking for the builds.
  enum Found: Hashable {
    case builds(ProofBuilds)

    /// The two are the same, so that nothing needs to be launched.
    case same

    /// The reason is a sentence without a full stop.
    case impossible(reason: String)
  }

  /// The first digits of two texts, at least seven, and so many that they differ.
  static func labels(_ good: String, _ bad: String) -> (String, String) {
    let common = zip(good, bad).prefix { $0 == $1 }.count
    let count = max(7, common + 1)
    return (String(good.prefix(count)), String(bad.prefix(count)))
  }
}
