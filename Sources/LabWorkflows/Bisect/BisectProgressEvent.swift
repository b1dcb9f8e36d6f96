package import LabAnalysis
package import LabModel

/// What a bisection tells while it goes on.
package enum BisectProgressEvent: Sendable {
  /// The work begins, or goes on after `events` events of former processes.
  case started(BisectStart, plan: BisectPlan, events: Int)

  /// Something that a reader should know before the answer.
  case noted(Diagnostic)

  /// Another lab is at work.
  case waiting(LabPatience.Event)

  case building(BisectRevision, number: Int)

  case built(BisectBuilt, BisectRevision)

  /// A row is complete.
  case launched(done: Int, of: Int, BisectProgress)

  /// An action is done.
  case decided(BisectProgress)
}
