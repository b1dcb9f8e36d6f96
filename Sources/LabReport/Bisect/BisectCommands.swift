import LabAnalysis
import LabModel

/// What can be typed after a bisection to look closer, or to go on.
struct BisectCommands {
  private let summary: BisectSummary

  init(_ summary: BisectSummary) { self.summary = summary }

  /// Commands with what they do, the likeliest first.
  var all: [(command: String, purpose: String)] {
    let start = summary.start
    var commands: [(command: [String], purpose: String)] = []
    if summary.isInterrupted {
      commands.append((["launchlab", "bisect", "--resume", start.id], "go on"))
    }
    if start.artifacts == nil, let first = summary.answer.culprits.first?.revisions {
      let last = start.revisions[first.upperBound].id
      let parent = start.revisions[first.lowerBound - 1].id
      commands.append(
        first.count == 1
          ? (["git", "show", last], "see the change")
          : (["git", "log", "-p", "\(parent)..\(last)"], "see the changes")
      )
    }
    commands.append((["launchlab", "bisect", "--replay", summary.log], "check every decision"))
    return commands.map { (ShellQuoting.text($0.command).printable, $0.purpose) }
  }
}
