import Comparison
import Foundation
import LaunchCore
import Measuring
import Rendering

/// Shows the events of a run on stderr: a bar with the time left on a terminal, lines otherwise.
///
/// It is redrawn between launches only, at most ten times a second.
final class ProgressDisplay {
  private let console: Console
  private var beginning = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?
  private var done = 0
  private var resumedAt = 0
  private var isBarShown = false

  /// Whether the launches that follow are of a run that was told of.
  private var isAnnounced = false

  /// Whether the run may end before the last block.
  private var mayEndEarly = false

  /// After which time it ends anyway, once so many launches are made.
  private var limits: AdaptiveLaunches?
  private var arms = 1
  private var fewest = 0

  init(console: Console) { self.console = console }

  func show(_ event: RunEvent) {
    switch event {
    case .building(let build):
      note("building \(build.commit.prefix(12)) \(build.subject)")
    case .built(let build):
      note("\(build.wasCached ? "using the cached build of" : "built") \(build.commit.prefix(12))")
    case .proving(let arms, let good, let bad):
      note("proving a suspicion: \(arms), last good \(good) against \(bad)")
    case .explaining(let alert, let good, let bad):
      note("explaining \(alert): last good \(good) against \(bad)")
    case .started(let run, let done):
      beginning = .now
      resumedAt = done
      isAnnounced = true
      mayEndEarly = run.plan.looks.count > 1
      limits = run.plan.scenario.adaptive
      arms = run.plan.arms.count
      fewest = run.plan.looks[0] * arms
      note(Self.announcement(of: run, done: done))
      if run.purpose == .night {
        let name = run.plan.scenario.name.printable
        note("this run counts as a night of \(name); use --no-verdict for a run by hand")
      }
    case .launched(let arm, let outcome, let done, let total, let repeated):
      launched(arm, outcome, done: done, total: total, repeated: repeated)
    case .hopeless(let outlook): note(OutlookText(outlook).line)
    }
  }

  /// Removes the bar, so that what follows begins on a clean line.
  func clear() {
    guard isBarShown else { return }
    try? console.stderr.redraw("")
    isBarShown = false
  }

  private func note(_ line: String) {
    clear()
    console.note(line)
  }

  private func launched(
    _ arm: Arm,
    _ outcome: Outcome,
    done: Int,
    total: Int,
    repeated: Int
  ) {
    self.done = done
    if done == 1, !isAnnounced {
      beginning = .now
      resumedAt = 1
    }
    isAnnounced = false
    if outcome != .ready, !console.stderr.isTerminal {
      note("\(arm.target) \(arm.state.rawValue): \(outcome)")
    }
    let launches = (total == 1 ? "launch" : "launches") + (mayEndEarly ? " at most" : "")
    let again = repeated > 0 ? " (\(repeated) repeated)" : ""
    drawSometimes("\(launches)\(again)", of: total, what: "\(arm.target) \(arm.state.rawValue)")
  }

  /// Shows which one of several programs is run.
  func show(program: String, _ number: Int, of count: Int) {
    done = number
    drawSometimes("programs", of: count, what: program)
  }

  /// Draws how much is done and what is going on, unless that was drawn just now.
  private func drawSometimes(_ unit: String, of total: Int, what: String) {
    let now = ContinuousClock.now
    let pause: Duration = console.stderr.isTerminal ? .milliseconds(100) : .seconds(10)
    if let lastDrawn, now - lastDrawn < pause { return }
    lastDrawn = now
    let line = "\(done)/\(total) \(unit), \(remaining(of: total, elapsed: now - beginning))"
    guard console.stderr.isTerminal else { return console.note(line) }
    draw(share: Double(done) / Double(total), text: "\(line)  \(what)")
  }

  private func draw(share: Double, text: String) {
    let cells = 24
    let full = min(cells, Int(clamping: share * Double(cells)))
    let bar =
      String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
    let line = "\(bar) \(text)".prefix(max(20, (console.stderr.width ?? 80) - 1))
    try? console.stderr.redraw(String(line))
    isBarShown = true
  }

  /// The time left, from the pace since this process began.
  private func remaining(of total: Int, elapsed: Duration) -> String {
    let launched = done - resumedAt
    guard launched > 0 else { return "ETA unknown" }
    let spent = elapsed / .seconds(1)
    let pace = spent / Double(launched)
    let atPace = pace * Double(total - done)
    guard let limits, let timeLimit = limits.timeLimit else { return "ETA \(Self.clock(atPace))" }
    func left(to launches: Int) -> Double { pace * Double(max(0, launches - done)) }
    let wanted = min(
      left(to: (limits.fewestInTime ?? 0) * arms),
      Double(timeLimit.count * AdaptiveLaunches.patience) / 1e9 - spent
    )
    let left = max(left(to: fewest), wanted, Double(timeLimit.count) / 1e9 - spent)
    return "ETA \(Self.clock(min(left, atPace)))"
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(clamping: seconds.rounded(.up))
    guard whole >= 60 else { return "\(whole) s" }
    guard whole >= 3_600 else { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }

  private static func announcement(of run: RunRecord, done: Int) -> String {
    let plan = run.plan
    let most = plan.looks.count > 1 ? "at most " : ""
    let launches = most + Quantity.launches(plan.launchCount)
    let resumed = done > 0 ? ", \(done) of them stored already" : ""
    let arms = Quantity.count(plan.arms.count, "arm")
    return "run \(run.id): \(launches) of \(arms)\(resumed), seed \(plan.seed)"
  }
}

/// Where results and messages go: results to stdout, everything else to stderr.
struct Console: Sendable {
  let stdout: Terminal
  let stderr: Terminal

  /// The console of this process; colour is off when `NO_COLOR` is set or it is not a terminal.
  static let standard = Console(stdout: .standardOutput, stderr: .standardError)

  /// The style for text on stdout.
  var resultStyle: TextStyle { Self.style(of: stdout) }

  private static func style(of terminal: Terminal) -> TextStyle {
    TextStyle(
      usesColor: terminal.isColored,
      width: terminal.width ?? .max,
      isASCII: terminal.isASCII
    )
  }

  /// Writes a result for people to stdout.
  func write(_ text: String) throws { try stdout.write(text) }

  /// Shows diagnostics on stderr; a closed stderr is no reason to fail.
  func show(_ diagnostics: [Diagnostic]) {
    let style = Self.style(of: stderr)
    try? stderr.write(DiagnosticText(diagnostics, style: style).rendered())
  }

  /// Shows the gravest diagnostics on stderr in a few lines, and with what all of them are shown.
  func showBriefly(_ diagnostics: [Diagnostic], allWith hint: String) {
    let text = DiagnosticText(diagnostics, style: Self.style(of: stderr))
    try? stderr.write(text.brief(atMost: 3, allWith: hint))
  }

  /// Writes a line of progress to stderr; no name in it can steer a terminal.
  func note(_ line: String) { try? stderr.write([line].joinedLines()) }
}
