import Foundation
import LabAnalysis
import LabModel

/// What was run, when and where, as phrases that every format for people shares.
struct RunFacts {
  private let summary: RunSummary
  private var run: RunRecord { summary.run }

  init(_ summary: RunSummary) { self.summary = summary }

  /// The scenario's name, with what is suppressed.
  var scenario: String { summary.name.printable }

  var startedAt: String { Quantity.instant(run.startedAt) }

  /// What was planned, and how many launches of it are stored.
  var order: String {
    let most = Quantity.count(run.plan.blockCount, "block")
    let blocks = run.plan.looks.count > 1 ? "\(launchedBlocks) of at most \(most)" : most
    let arms = Quantity.count(run.plan.arms.filter { $0.kind == .plain }.count, "arm")
    let launches = Quantity.count(stored, "launch", plural: "launches")
    let repeated = summary.disturbances.repeated
    let again = repeated > 0 ? ", \(repeated) of them repeated" : ""
    return "\(blocks) of \(arms) in random order, seed \(run.plan.seed) · \(launches)\(again)"
  }

  /// What is wrong with the run as a whole; nil when every block was launched.
  var unfinished: String? {
    let planned = run.plan.launchCount + summary.disturbances.repeated
    let most = run.plan.looks.count > 1 ? "at most " : ""
    let progress = "\(stored) of \(most)\(planned) launches are stored"
    switch run.status {
    case .complete: return nil
    case .unfinished: return "unfinished: \(progress)"
    case .failed: return "stopped early because a target failed: \(progress)"
    case .interrupted: return "interrupted: \(progress)"
    }
  }

  /// Why nothing may be concluded from the run; nil when something may.
  var inconclusive: String? {
    guard summary.isTooDisturbed, let limit = run.plan.tolerableShare else { return nil }
    return
      "inconclusive: \(Quantity.percent(summary.doubtfulShare)) of the launches were disturbed "
      + "or unsettled, where \(Quantity.percent(limit)) is tolerated"
  }

  /// The machine in one phrase, without what is unknown.
  var host: String { run.host.phrase }

  /// The commit that was built, if any.
  var build: String? {
    run.build.map { "commit \($0.commit.prefix(12)) \($0.subject.printable)" }
  }

  /// Per target its readiness condition, with how late it may be seen.
  var readiness: [String] {
    run.plan.scenario.targets.map { target in
      let late = summary.arms.filter { $0.arm.target == target.name }.map(\.resolution).max()
      let resolution =
        late.flatMap { $0 > .zero ? ", commonly seen up to \(Quantity.text($0)) late" : nil } ?? ""
      return "\(target.name.printable): \(target.ready.description.printable)\(resolution)"
    }
  }

  /// What became of the controls.
  var controls: ReceiptTable { ReceiptTable(run.controls) }

  /// How many blocks were launched; a repeated launch belongs to the block of the first one.
  private var launchedBlocks: Int {
    let plain = summary.arms.filter { $0.arm.kind == .plain }
    return plain.map { $0.launches - $0.disturbances.repeated }.max() ?? 0
  }

  private var stored: Int { summary.arms.reduce(0) { $0 + $1.launches } }
}
