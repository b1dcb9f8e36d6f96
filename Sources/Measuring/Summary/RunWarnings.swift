import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// What a reader must know before trusting the numbers of a run, the gravest first.
struct RunWarnings {
  private let run: RunRecord
  private let arms: [ArmSummary]

  init(run: RunRecord, arms: [ArmSummary]) {
    self.run = run
    self.arms = arms
  }

  /// Check by check in the order of gravity, and within a check in the order of the arms.
  var all: [Diagnostic] {
    let found = ArmSummary.checks.flatMap { check in
      arms.compactMap { arm in
        var diagnostic = check(arm)
        diagnostic?.place = arm.phrase
        return diagnostic
      }
    }
    let errors = found.prefix { $0.severity == .error }
    return errors + [unmetControls, tooDisturbed].compactMap(\.self)
      + found.dropFirst(errors.count) + [noise].compactMap(\.self)
  }

  /// What was asked for and is not had: the numbers are of another machine than the reader thinks.
  private var unmetControls: Diagnostic? {
    run.plan.scenario.controls.flatMap { UnmetControls($0, receipts: run.controls).warning }
  }

  /// One line for all arms that scatter much.
  private var noise: Diagnostic? {
    let plain = arms.filter { $0.arm.kind == .plain }
    let noisy = plain.compactMap { arm in arm.highVariation.map { (arm: arm.arm, variation: $0) } }
    guard let worst = noisy.max(by: { $0.variation < $1.variation }) else { return nil }
    let name =
      "\(worst.arm.target) \(worst.arm.state.rawValue) at \(Quantity.percent(worst.variation))"
    return Diagnostic(
      .warning,
      id: "high-variation",
      problem: plain.count == 1
        ? "noisy: \(name) CV"
        : "noisy: \(noisy.count) of \(plain.count) arms above 10 % CV, worst \(name)",
      remedy: "stop other work (see `top`), or measure more launches"
    )
  }

  /// More launches were disturbed or unsettled than the scenario tolerates.
  private var tooDisturbed: Diagnostic? {
    let summary = RunSummary(run: run, arms: arms, warnings: [])
    guard summary.isTooDisturbed, let limit = run.plan.tolerableShare else { return nil }
    return summary.disturbances.inconclusive(share: summary.doubtfulShare, limit: limit)
  }
}

extension ArmSummary {
  /// The arm as a place, such as `perl, warm`.
  fileprivate var phrase: String {
    [arm.target, arm.state.rawValue, arm.kind.phrase].compactMap(\.self).joined(separator: ", ")
  }
}

/// How numbers are put into the sentences of a diagnostic.
enum Wording {
  /// A time of either sign with three significant digits, such as `1.23 ms`.
  static func time(_ nanoseconds: Double) -> String {
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
    // Half a unit of the third digit is added, so that 999.6 µs is 1.00 ms.
    let unit = units.first { abs(nanoseconds) * 1.0005 >= $0.1 } ?? ("ns", 1)
    return "\(multiple(nanoseconds / unit.1)) \(unit.0)"
  }

  /// A multiple with three significant digits, such as `3.10`.
  static func multiple(_ value: Double) -> String {
    let size = abs(value)
    let decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f", value)
  }
}

extension ArmSummary {
  /// Every check of an arm, the gravest first; each gives a diagnostic without a place, or nil.
  static var checks: [@Sendable (Self) -> Diagnostic?] {
    [
      { $0.noReadyLaunch },
      { $0.unexpectedOutcomes },
      { $0.stateNotReached },
      { $0.disturbedLaunches },
      { $0.unsettledLaunches },
      { $0.flagged(.replaced) },
      { $0.stateNotVerified },
      { $0.fewValues },
      { $0.coarseResolution },
      { $0.remark("two-modes") },
      { $0.remark("drift") },
      { $0.remark("first-launch") },
      { $0.flagged(.outputBlocked) },
      { $0.flagged(.leftProcesses) },
      { $0.flagged(.stoppedEarly) },
      { $0.flagged(.killed) },
      { $0.flagged(.afterKill) },
      { $0.flagged(.crowded) },
      { $0.remark("outliers") },
    ]
  }

  // MARK: - Outcomes

  private var noReadyLaunch: Diagnostic? {
    guard readyLaunches == 0 else { return nil }
    guard launches > 0 else {
      return Diagnostic(
        .error,
        id: "no-ready-launch",
        problem: "not launched: the run ended first",
        remedy: "run again"
      )
    }
    let count = "none of \(Quantity.launches(launches)) became ready (\(failures))"
    guard var failure else {
      return Diagnostic(
        .error,
        id: "no-ready-launch",
        problem: "\(count); the command, its readiness condition or its timeout is probably wrong",
        remedy: "run the command by hand, or see its output with `launchlab export`"
      )
    }
    if launches > 1 { failure.problem = "\(count); the last one \(failure.problem)" }
    return failure
  }

  private var unexpectedOutcomes: Diagnostic? {
    guard readyLaunches > 0, readyLaunches < launches else { return nil }
    return Diagnostic(
      .warning,
      id: "unexpected-outcomes",
      problem: "\(Quantity.launches(launches - readyLaunches, of: launches)) did not become ready "
        + "(\(failures)); the numbers are of the others",
      remedy: "see the output of the failed launches with `launchlab export`"
    )
  }

  private var failures: String {
    outcomes.filter { $0.key != Outcome.ready.name }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }
      .joined(separator: ", ")
  }

  // MARK: - State

  private var stateNotReached: Diagnostic? {
    guard state.notReached > 0 else { return nil }
    let fate =
      isUnreached
      ? "the numbers are of launches in another state"
      : "are excluded"
    return Diagnostic(
      .warning,
      id: "state-not-reached",
      problem: "\(Quantity.launches(state.notReached, of: readyLaunches)) did not reach "
        + "\(arm.state.rawValue), and \(fate): \(Self.mainReason(unreachedReasons))",
      remedy: arm.state.isCold
        ? "stop the processes that use the files, or measure another state"
        : "free memory, or measure another state"
    )
  }

  private var stateNotVerified: Diagnostic? {
    guard state.notVerified > 0 else { return nil }
    return Diagnostic(
      .warning,
      id: "state-not-verified",
      problem: "unverified: whether \(Quantity.launches(state.notVerified, of: readyLaunches)) "
        + "reached \(arm.state.rawValue): \(Self.mainReason(state.unverifiedReasons))",
      remedy: "run as root, to see what is in memory"
    )
  }

  private var unreachedReasons: [String: Int] {
    state.reasons.merging(state.unverifiedReasons) { $0 - $1 }
  }

  private static func mainReason(_ reasons: [String: Int]) -> String {
    reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "no reason was recorded"
  }

  // MARK: - Launch times

  private var launch: MetricSummary? { arm.kind == .plain ? summary(of: .launch) : nil }

  private func remark(_ id: String) -> Diagnostic? { launch?.remarks.first { $0.id == id } }

  private var fewValues: Diagnostic? {
    guard let n = launch?.estimates.n, n < 5 else { return nil }
    return Diagnostic(
      .warning,
      id: "few-values",
      problem: "\(n == 1 ? "one launch time is" : "\(n) launch times are") too few for an "
        + "interval of the median",
      remedy: "measure at least 5 launches, better 20: `--launches 20`"
    )
  }

  private var coarseResolution: Diagnostic? {
    guard let median = launch?.estimates.median, resolution > .zero else { return nil }
    let step = Double(resolution.count)
    guard step > 0.01 * median else { return nil }
    let isTooShort = median < 5 * step
    return Diagnostic(
      isTooShort ? .warning : .note,
      id: "coarse-resolution",
      problem:
        "readiness is polled: times are up to \(Wording.time(step)) too long, "
        + "\(Quantity.percent(step / max(median, 1))) of the median"
        + (isTooShort ? "; too coarse for so short a launch" : ""),
      remedy: "use a condition that is not polled, such as `exit`, `stdout` or `notify`"
    )
  }

  /// The coefficient of variation of launches that scatter by more than a tenth; nil of others, and of
  /// those with two modes, which are the cause then.
  var highVariation: Double? {
    guard let variation = launch?.estimates.coefficientOfVariation, variation > 0.1,
      remark("two-modes") == nil
    else { return nil }
    return variation
  }

  // MARK: - Flags

  private func flagged(_ flag: LaunchFlag) -> Diagnostic? {
    guard let count = flags[flag] else { return nil }
    let (problem, remedy) = Self.words(of: flag)
    return Diagnostic(
      .warning,
      id: flag.rawValue,
      problem: "in \(Quantity.launches(count, of: launches)) \(problem)",
      remedy: remedy
    )
  }

  private static func words(of flag: LaunchFlag) -> (problem: String, remedy: String) {
    switch flag {
    case .replaced:
      (
        "the executable was not the same file as in the first launch: the numbers are of different "
          + "programs",
        "run again without building or updating the target"
      )
    case .outputBlocked:
      (
        "an output pipe was full, so the target may have been blocked; it writes very "
          + "much",
        "make the target write less, or send its output to a file"
      )
    case .leftProcesses:
      (
        "leftover processes were killed, so later launches may have found work half "
          + "done; the target starts children that it does not wait for",
        "wait for what the children do with a readiness condition other than `exit`"
      )
    case .killed:
      (
        "the target did not stop within its grace time and was killed, so it may not have saved its "
          + "state",
        "set `stop: {signal, grace}` to what the target needs, or try `stop: {after: 200ms}`"
      )
    case .stoppedEarly:
      (
        "the target was stopped before the condition of `stop: {when}` held, so it may not have been "
          + "ready to stop",
        "correct the condition, or raise `timeout`, which also limits this wait"
      )
    case .afterKill:
      (
        "the target was killed in the launch before and may have had to recover; launches that "
          + "then stopped by themselves are excluded",
        "let it stop by itself with `stop: {grace, after}`, or set `stop: {signal: KILL}` if it "
          + "can only be killed"
      )
    case .outputTruncated:
      (
        "the middle of the output was dropped: it is very long",
        "make the target write less"
      )
    case .crowded:
      (
        "more threads than processors were runnable; with `scheduling: fifo` a thread "
          + "runs until it waits, so others of the target may have waited for it",
        "leave `scheduling` out for this target, or give it more processors with `cpus`"
      )
    case .relaunched:
      (
        "the spawner was killed, and the launch was repeated",
        "see `dmesg | tail` if you did not kill it: memory may have run out"
      )
    }
  }
}
