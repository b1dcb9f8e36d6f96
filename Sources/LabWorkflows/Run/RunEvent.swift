package import LabModel

/// What a run tells while it goes on.
package enum RunEvent: Sendable {
  /// A build has begun; the log is kept beside the build.
  case building(BuildRecord)

  case built(BuildRecord)

  /// Two builds are launched in the same blocks next, to settle a suspicion about some arms, such as
  /// `server warm`. `good` and `bad` are the first digits of their commits or digests.
  case proving(arms: String, good: String, bad: String)

  /// The first launch comes next. `done` launches are stored from before, on resumption.
  case started(run: RunRecord, done: Int)

  /// A launch has ended. `total` counts the `repeated` launches too, and so grows with them.
  case launched(arm: Arm, outcome: Outcome, done: Int, total: Int, repeated: Int = 0)
}
