import LabModel

/// What is said of a target that fails: how its last launch went, and what it printed.
enum FailureDiagnostic {
  /// An arm has ended its run.
  static func make(arm: Arm, ready: Readiness, record: LaunchRecord) -> Diagnostic {
    let times = LaunchLoop.toleratedFailures
    let fate = "\(record.result.outcome) \(times) times in a row, so the run stops"
    return make(fate, arm: arm, ready: ready, record: record)
  }

  /// No launch of an arm was ready, though the run went on to its end.
  static func make(unready arm: Arm, ready: Readiness, record: LaunchRecord) -> Diagnostic {
    let fate = "\(record.result.outcome), so that the launch has no total"
    return make(fate, arm: arm, ready: ready, record: record)
  }

  private static func make(
    _ fate: String,
    arm: Arm,
    ready: Readiness,
    record: LaunchRecord
  ) -> Diagnostic {
    let result = record.result
    let printed = OutputStream.allCases.flatMap { lines(of: $0, in: result.output) }
    let said = printed.isEmpty ? ["it printed nothing"] : printed
    let place = ["target \"\(arm.target)\"", arm.state.rawValue, arm.kind.phrase]
    return Diagnostic(
      .error,
      id: "target-fails",
      problem: ([fate] + said).joined(separator: "\n    "),
      place: (place.compactMap(\.self) + ["block \(record.block)"]).joined(separator: ", "),
      remedy: remedy(for: result.outcome, ready: ready) + hint(for: arm.kind)
    )
  }

  /// What else may help where the target could have noticed that it is looked at.
  private static func hint(for kind: Arm.Kind) -> String {
    guard kind == .probe else { return "" }
    return
      "; if it fails with the probe only, set `probe_hidden: true`, or collect with breakpoints"
  }

  private static func remedy(for outcome: Outcome, ready: Readiness) -> String {
    if case .mark(let name) = ready, let way = remedy(for: outcome, mark: name) { return way }
    return switch outcome {
    case .ready: "look at the launches with `launchlab export`"
    case .exited: "run the command by hand, or set `ready` to the condition that ends its launch"
    // SIGXCPU, which only a limit of processor time sends.
    case .signalled(signal: 24):
      "it computed for too long without waiting: with `scheduling: fifo` 10 s are allowed, so leave that "
        + "out; else see `ulimit -t`"
    case .signalled: "run the command by hand under a debugger"
    case .timedOut:
      "raise `timeout`, or check `ready`; a program that buffers its output needs `tty: true`"
    case .notStarted: "fix the problem above, then run again"
    }
  }

  /// How to make the launch mark that was waited for; nil when that is not what was missing.
  private static func remedy(for outcome: Outcome, mark name: String) -> String? {
    let call = name == "ready" ? "launch_ready()" : "launch_mark(\"\(name)\")"
    return switch outcome {
    case .timedOut:
      "raise `timeout`, or call `\(call)` of launch_marks.h in the program; it did not make "
        + "\(Readiness.mark(name: name)) in time"
    case .exited:
      "run the command by hand, or call `\(call)` of launch_marks.h in the program before it ends"
    default: nil
    }
  }

  /// The last lines of a stream, marked with its name.
  private static func lines(of stream: OutputStream, in output: CapturedOutput) -> [String] {
    let captured = stream == .stdout ? output.stdout : output.stderr
    let bytes = captured.tail.isEmpty ? captured.head : captured.tail
    return String(decoding: bytes.suffix(4_096), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
      .suffix(10)
      .map { "\(stream.rawValue) | \($0)" }
  }
}
