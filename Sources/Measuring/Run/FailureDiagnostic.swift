package import LaunchCore
import Rendering

/// What is said of a target that fails: how its last launch went, and what it printed.
enum FailureDiagnostic {
  /// An arm has ended its run, with the last of so many launches in a row that were not ready.
  static func make(
    arm: Arm,
    ready: Readiness,
    record: LaunchRecord,
    times: Int
  ) -> Diagnostic {
    let count = times == 1 ? " at its first launch" : ", \(times) times in a row"
    let fate = "\(phrase(record.result.outcome, ready))\(count), so the run stops"
    return make(fate, arm: arm, ready: ready, record: record)
  }

  /// No launch of an arm was ready, though the run went on to its end.
  static func make(unready arm: Arm, ready: Readiness, record: LaunchRecord) -> Diagnostic {
    let fate = "\(phrase(record.result.outcome, ready)), so the launch has no total"
    return make(fate, arm: arm, ready: ready, record: record)
  }

  /// No launch of an arm was ready, so that its run has no result.
  static func make(_ unready: LaunchRecord, arm: Arm, ready: Readiness) -> Diagnostic {
    let fate = phrase(unready.result.outcome, ready)
    var diagnostic = make(fate, arm: arm, ready: ready, record: unready)
    diagnostic.id = "no-ready-launch"
    return diagnostic
  }

  private static func phrase(_ outcome: Outcome, _ ready: Readiness) -> String {
    guard case .exited = outcome, ready != .exit else { return "\(outcome)" }
    return "\(outcome) before it was ready (\(ready))"
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
    let seen =
      (result.sight.map { sight(of: $0, ready: ready) } ?? [])
      + (result.windows.map(WindowSight.lines) ?? [])
    let place = ["target \"\(arm.target)\"", arm.state.rawValue, arm.kind.phrase]
    return Diagnostic(
      .error,
      id: "target-fails",
      problem: ([fate] + seen + said).joined(separator: "\n    "),
      place: (place.compactMap(\.self) + ["block \(record.block)"]).joined(separator: ", "),
      remedy: remedy(for: result, ready: ready) + hint(for: arm.kind)
    )
  }

  /// The remedy that most is known for.
  private static func remedy(for result: LaunchResult, ready: Readiness) -> String {
    let ofWindow = ready.window.flatMap { condition in
      result.outcome == .timedOut
        ? result.windows.flatMap { WindowSight.remedy(for: $0, condition) } : nil
    }
    return ofWindow ?? result.sight.flatMap { remedy(for: $0, ready: ready) }
      ?? remedy(for: result.outcome, ready: ready)
  }

  // MARK: - What it was seen doing

  /// What the target did instead of becoming ready.
  private static func sight(of sight: TreeSight, ready: Readiness) -> [String] {
    let count = sight.processes.count
    let who = count == 1 ? sight.processes[0] : "\(count) processes (\(list(sight.processes)))"
    let verb = count == 1 ? "is" : "are"
    let window = seconds(sight.window)
    let activity =
      sight.isAsleep
      ? "asleep: no processor time in the last \(window)"
      : sight.used > .zero
        ? "at work: \(seconds(sight.used)) of processor time in the last \(window)"
        : "waiting for storage, or about to run"
    let listeners = sight.ports.map { "tcp \($0)" } + sight.sockets.map { "unix \($0)" }
    return ["waiting for \(ready); \(who) \(verb) \(activity)"]
      + (listeners.isEmpty ? [] : ["listening on \(listeners.joined(separator: ", "))"])
      + (sight.files.isEmpty
        ? [] : ["with these files open: \(sight.files.joined(separator: ", "))"])
  }

  /// The names without repetitions, and not too many of them.
  private static func list(_ names: [String]) -> String {
    let different = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return different.prefix(4).joined(separator: ", ") + (different.count > 4 ? ", …" : "")
  }

  private static func seconds(_ time: Nanoseconds) -> String {
    let hundredths = (time.count + 5_000_000) / 10_000_000
    let isWhole = hundredths.isMultiple(of: 100)
    return isWhole ? "\(hundredths / 100) s" : "\(Double(hundredths) / 100) s"
  }

  /// What to do about a target that was seen; nil where that tells nothing more.
  private static func remedy(for sight: TreeSight, ready: Readiness) -> String? {
    guard sight.isAsleep else { return "it is still computing: raise `timeout`" }
    switch ready {
    case .tcp, .http:
      return sight.ports.first.map { "it listens elsewhere: set `ready: {tcp: \"\($0)\"}`" }
    case .unix:
      return sight.sockets.first.map { "it listens elsewhere: set `ready: {unix: \($0)}`" }
    case .exit:
      let other =
        sight.ports.first.map { "tcp: \"\($0)\"" }
        ?? sight.sockets.first.map { "unix: \($0)" } ?? "stdout: PATTERN"
      return "it does not exit by itself: set `ready`, such as to {\(other)}"
    case .output, .notify, .mark, .file, .window: return nil
    }
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
    case .exited(let code) where ready == .exit:
      "run the command by hand, or allow the status: `exit: [0, \(code)]` in the scenario, or "
        + "--exit-status 0,\(code); any is allowed by --ignore-exit-status"
    case .exited: "run the command by hand, or set `ready` to the condition that ends its launch"
    // SIGXCPU, which only a limit of processor time sends.
    case .signalled(signal: 24):
      "it computed without waiting for longer than the 10 s of `scheduling: fifo`: leave that "
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

extension Diagnostic {
  /// Whether it says that no launch of an arm was ready, which adds nothing to why a run has stopped.
  var tellsNoneReady: Bool { id == "no-ready-launch" }

  /// A report could not be written, which is no reason to hide the result.
  package static func reportNotWritten(
    to path: String,
    because error: any Error,
    option: String
  ) -> Self {
    let problem = (error as? any LabError)?.diagnostics.first?.problem ?? "\(error)"
    return Self(
      .warning,
      id: "report-not-written",
      problem: "the report cannot be written: \(problem)",
      place: path,
      remedy: "name a place that may be written to with \(option)"
    )
  }
}

/// What is said of the windows that were there when none was the one that a launch waited for.
private enum WindowSight {
  private static let most = 6

  static func lines(of windows: [SeenWindow]) -> [String] {
    guard !windows.isEmpty else { return ["it made no window on the display"] }
    let more = windows.count - most
    return windows.prefix(most).map { "\(name(of: $0)): \(fate(of: $0))" }
      + (more > 0 ? ["and \(Quantity.count(more, "more window"))"] : [])
  }

  static func remedy(for windows: [SeenWindow], _ condition: WindowCondition) -> String? {
    if windows.isEmpty {
      return "raise `timeout`, or try the other kind of display: `display: {wayland: headless}` or "
        + "`{x11: headless}`"
    }
    if let other = windows.first(where: { !$0.isOwn }), !windows.contains(where: \.isOwn) {
      let process = other.process.map { "process \($0)" } ?? "another process"
      return "\(process), which was there before, shows its window: end it, or give the program a "
        + "profile of its own"
    }
    let own = windows.filter { $0.isOwn && !$0.isPassing && $0.mapped != nil }
    if condition.title != nil || condition.windowClass != nil || condition.number > 1 {
      return own.isEmpty ? nil : "check `title`, `class` and `nth` of `ready`"
    }
    if own.contains(where: \.isPlain), condition.moment != .window {
      return "its window shows one color only: wait for `window`, or have the program make a "
        + "launch mark"
    }
    if case .settled = condition.moment, own.contains(where: { $0.content != nil }) {
      return "its window did not stop changing: wait for `frame`, or for a shorter time"
    }
    return nil
  }

  private static func name(of window: SeenWindow) -> String {
    let title = window.title.isEmpty ? "a window" : "window \"\(window.title.printable)\""
    let traits = [
      window.windowClass.isEmpty ? nil : window.windowClass.printable,
      "\(window.width)x\(window.height)", window.isPassing ? "a menu, tooltip or splash" : nil,
      window.isOwn ? nil : "of another process",
    ]
    return "\(title) (\(traits.compactMap(\.self).joined(separator: ", ")))"
  }

  private static func fate(of window: SeenWindow) -> String {
    guard let mapped = window.mapped else { return "not mapped" }
    let mapping = "mapped after \(Quantity.text(mapped))"
    if !window.isShown { return mapping + ", and gone again" }
    if let content = window.content {
      let changed = window.changed.map { ", last changed after \(Quantity.text($0))" } ?? ""
      return mapping + ", content after \(Quantity.text(content))" + changed
    }
    return mapping + (window.isPlain ? ", one color only" : "")
  }
}
