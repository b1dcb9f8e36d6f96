import LabAnalysis
import LabModel

/// What can be typed after a bisection to look closer, or to go on.
struct BisectCommands {
  private let summary: BisectSummary

  init(_ summary: BisectSummary) { self.summary = summary }

  /// Goes on, with other limits if some are given.
  func resumption(_ limits: [String] = []) -> [String] {
    let store = summary.places.store.map { ["--store", $0] } ?? []
    return ["launchlab", "bisect", "--resume", summary.start.id] + limits + store
  }

  /// Goes on with twice the limit that has ended the search; nil where none did, or none helps.
  var prolongation: [String]? {
    let limits = summary.start.parameters.limits
    switch summary.limitReached {
    case .launchesSpent?:
      let most = 2 * min(max(limits.launches, summary.launches), 1 << 40)
      return resumption(["--max-launches", "\(max(most, summary.answer.launchesToGoOn ?? 0))"])
    case .buildsSpent?:
      // The limit counts builds that succeed, and a third of those that may fail.
      let usable = summary.builds - summary.failedBuilds
      let most = max(limits.builds ?? 2, usable, (summary.failedBuilds + 2) / 3)
      return resumption(["--max-builds", "\(2 * min(most, 1 << 40))"])
    case .timeSpent?:
      return Self.longer(than: max(limits.seconds ?? 0, summary.seconds))
        .map { resumption(["--max-time", $0]) }
    default: return nil
    }
  }

  /// About twice a time, as a duration of the command line; nil above the longest one of these.
  private static func longer(than seconds: Double) -> String? {
    let longest = 86400.0
    guard seconds < longest else { return nil }
    let double = Int(min(2 * seconds, longest).rounded(.up))
    let hours = double.isMultiple(of: 3600)
    let minutes = double.isMultiple(of: 60)
    return hours ? "\(double / 3600)h" : minutes ? "\(double / 60)m" : "\(double)s"
  }

  /// Commands with what they do, the likeliest first.
  var all: [(command: String, purpose: String)] {
    let start = summary.start
    let git = ["git"] + (summary.places.repository.map { ["-C", $0] } ?? [])
    var commands: [(command: [String], purpose: String)] = []
    if summary.isInterrupted { commands.append((resumption(), "go on")) }
    if let prolongation {
      commands.append((prolongation, "go on, keeping all that was built and launched"))
    }
    if start.artifacts == nil, let first = summary.answer.culprits.first?.revisions {
      let last = start.revisions[first.upperBound].id
      let parent = start.revisions[first.lowerBound - 1].id
      commands.append(
        first.count == 1
          ? (git + ["show", last], "see the change")
          : (git + ["log", "-p", "\(parent)..\(last)"], "see the changes")
      )
    }
    commands.append((["launchlab", "bisect", "--replay", summary.log], "check every decision"))
    return commands.map { (ShellQuoting.text($0.command).printable, $0.purpose) }
  }
}
