import Bisection
import Foundation
import LaunchCore
import Measuring
import Rendering

/// Shows the events of a bisection on stderr: a line that is redrawn on a terminal, lines otherwise.
final class BisectProgressDisplay {
  private let console: Console
  private var lastDrawn: ContinuousClock.Instant?
  private var isLineShown = false
  private var start: BisectStart?

  init(console: Console) { self.console = console }

  func show(_ event: BisectProgressEvent) {
    switch event {
    case .started(let start, let plan, let events):
      self.start = start
      let resumed = events > 0 ? "going on after \(events) events, " : ""
      note("bisection \(start.id): \(resumed)\(start.range)")
      if events == 0 { BisectPlanText(plan, start: start).lines.forEach(note) }
    case .noted(let diagnostic):
      clear()
      console.show([diagnostic])
    case .waiting(let event):
      clear()
      LabWaiting(console: console).show(event)
    case .building(let revision, let number):
      note("build \(number): \(revision.id.prefix(12)) \(revision.subject.printable)")
    case .built(let built, _):
      if let failure = built.failure { note("  \(failure.printable)") }
    case .launched(let done, let total, let progress):
      draw("\(BisectProgressText(progress, start: start).rendered()), row \(done)/\(total)")
    case .decided(let progress):
      guard progress.phase != .done else { return }
      draw(BisectProgressText(progress, start: start).rendered())
    case .explaining:
      note("culprit found; tracing it and its parent to explain the difference")
    case .traced(let done, let total):
      draw("tracing: launch \(done)/\(total)")
    }
  }

  /// Removes the line, so that what follows begins on a clean one.
  func clear() {
    guard isLineShown else { return }
    try? console.stderr.redraw("")
    isLineShown = false
  }

  private func note(_ line: String) {
    clear()
    console.note(line)
  }

  /// Redraws the line at most ten times a second; writes one every ten seconds to what is no terminal.
  private func draw(_ line: String) {
    let now = ContinuousClock.now
    let pause: Duration = console.stderr.isTerminal ? .milliseconds(100) : .seconds(10)
    if let lastDrawn, now - lastDrawn < pause { return }
    lastDrawn = now
    guard console.stderr.isTerminal else { return console.note(line) }
    let width = max(20, (console.stderr.width ?? 80) - 1)
    try? console.stderr.redraw(String(line.prefix(width)))
    isLineShown = true
  }
}
