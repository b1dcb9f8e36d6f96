import History
import LaunchCore
import Rendering

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
    let double = Int(clamping: min(2 * seconds, longest).rounded(.up))
    let hours = double.isMultiple(of: 3600)
    let minutes = double.isMultiple(of: 60)
    return hours ? "\(double / 3600)h" : minutes ? "\(double / 60)m" : "\(double)s"
  }

  /// Commands with what they do, the likeliest first.
  var all: [(command: String, purpose: String)] {
    var commands: [(command: [String], purpose: String)] = []
    if summary.isInterrupted { commands.append((resumption(), "go on")) }
    if let prolongation {
      commands.append((prolongation, "go on, keeping all that was built and launched"))
    }
    if !summary.answer.culprits.isEmpty {
      commands += inside(0).map { ($0, "find the commit inside the merge") }
      if let view = view(0) { commands.append(view) }
      if let comparison = comparison(0) {
        commands.append((comparison, "compare \(compared) of both kept builds"))
      }
    }
    commands.append(
      (
        ["launchlab", "bisect", "--replay", summary.log, "-v"],
        "show every build, and check every decision"
      )
    )
    return commands.map { (ShellQuoting.text($0.command).printable, $0.purpose) }
  }

  // MARK: - A culprit

  private var git: [String] {
    ["git"] + (summary.places.repository.map { ["-C", $0] } ?? [])
  }

  /// Shows what a culprit changes; nil for artifacts.
  private func view(_ index: Int) -> (command: [String], purpose: String)? {
    let start = summary.start
    guard start.artifacts == nil else { return nil }
    let culprit = summary.answer.culprits[index]
    let last = start.revisions[culprit.newest]
    let parent = start.revisions[culprit.parent].id
    guard culprit.revisions.count == 1 else {
      return (git + ["log", "-p", "\(parent)..\(last.id)"], "see the changes")
    }
    // Of a merge `git show` has only what was resolved by hand.
    return (
      git + (last.parents.count > 1 ? ["diff", parent, last.id] : ["show", last.id]),
      "see the change"
    )
  }

  /// Searches what a merge has brought in, once per parent beside the one that it was held against;
  /// empty for other culprits, and where the command line is not known.
  func inside(_ index: Int) -> [[String]] {
    let start = summary.start
    let culprit = summary.answer.culprits[index]
    let last = start.revisions[culprit.newest]
    guard culprit.revisions.count == 1, start.artifacts == nil, let words = start.words,
      summary.details.indices.contains(index), summary.details[index].merge?.count ?? 0 > 0
    else { return [] }
    let own = start.revisions[culprit.parent].id
    let invocation = BisectInvocation(words: words, range: start.range)
    return last.parents.filter { $0 != own }.map { other in
      let ends = culprit.isOnlyInGood ? [other, own] : [own, other]
      return ["launchlab", "bisect"]
        + invocation.bisection(of: "\(ends[0].prefix(12))..\(ends[1].prefix(12))")
    }
  }

  /// Launches the kept builds of a culprit and its parent side by side; nil where that cannot be done
  /// from the command line.
  func comparison(_ index: Int) -> [String]? {
    let start = summary.start
    guard summary.details.indices.contains(index), let builds = summary.details[index].builds else {
      return nil
    }
    let culprit = summary.answer.culprits[index]
    let compared: [String]
    if start.artifacts == nil, let path = start.scenarioPath {
      let ends = [culprit.parentBuild, culprit.build].map { start.revisions[$0].id.prefix(12) }
      compared =
        ["--revisions", "\(ends[0])..\(ends[1])", path]
        + (start.scenario.targets.first.map { ["--target", $0.name] } ?? [])
    } else {
      // What a scenario says of launches, commands do not.
      guard start.scenarioPath == nil || builds.culprit.isPlain else { return nil }
      let options = BisectInvocation(words: start.words ?? [], range: start.range).launchOptions
      compared = Self.commands(builds) + options
    }
    return ["launchlab", "compare"] + compared + state + metric
      + (summary.places.store.map { ["--store", $0] } ?? [])
  }

  /// Both commands; where they differ by their working directory only, they are run in it.
  private static func commands(_ builds: LaunchedPair) -> [String] {
    let targets = [builds.parent, builds.culprit]
    let isSame = builds.parent.command == builds.culprit.command
    return targets.map { target in
      ShellQuoting.text((isSame ? ["env", "-C", target.directory] : []) + target.command)
    }
  }

  /// What a comparison is of: of counts and stages it is the launch time.
  private var compared: String {
    guard case .metric(let metric) = summary.start.measure else { return "launch times" }
    return metric == .launch ? "launch times" : TrendWords.name(metric)
  }

  private var state: [String] {
    let state = summary.start.scenario.states.first ?? .warm
    return state == .warm && summary.start.scenarioPath == nil ? [] : ["--state", state.rawValue]
  }

  private var metric: [String] {
    guard case .metric(let metric) = summary.start.measure, metric != .launch else { return [] }
    return ["--metric", metric.rawValue]
  }
}

extension Target {
  /// The path of what is launched, or the directory that it is launched in where the program is
  /// another one, such as an interpreter.
  var place: String { command[0].hasPrefix("/") && command.count == 1 ? command[0] : directory }

  /// Whether nothing but the command says how it is launched.
  fileprivate var isPlain: Bool {
    ready == .exit && exitStatuses == nil && environment.isEmpty && standardInput == nil && !tty
      && prepare == nil
      && cleanup == nil && home == nil && state.isEmpty
  }
}

/// The words of the command line that a bisection was asked for by, for commands that repeat some of
/// them.
package struct BisectInvocation {
  private let options: [[String]]

  /// What follows `--`; empty without it.
  private let command: [String]

  /// Options that only `bisect` has, with a value or without one; those of a launch are others.
  package static let ownOptions: Set = [
    "--scenario", "--build", "--submodules", "--artifacts", "--alert", "--target", "--state",
    "--metric", "--find", "--min-effect", "--confidence", "--max-launches", "--max-builds",
    "--max-time", "--build-timeout", "--jobs", "--skip", "--path", "--resume", "--replay",
    "--store", "--wait", "--json", "--markdown", "--git-log",
  ]
  package static let ownFlags: Set = [
    "--all", "--force", "--retry-failed", "--no-explain", "--verbose", "-v",
  ]

  /// Options that another range does not take over: where answers go, and which commits are skipped.
  private static let once: Set = ["--json", "--markdown", "--git-log", "--skip"]

  /// - Parameters:
  ///   - words: Those after `bisect`.
  ///   - range: The range as it was written, which is left out.
  package init(words: [String], range: String) {
    let end = words.firstIndex(of: "--") ?? words.endIndex
    command = Array(words[end...])
    var rest = words[..<end]
    if let place = rest.firstIndex(of: range) { rest.remove(at: place) }
    var options: [[String]] = []
    for word in rest {
      if word != "-", word.hasPrefix("-") || options.isEmpty {
        options.append([word])
      } else {
        options[options.endIndex - 1].append(word)
      }
    }
    self.options = options
  }

  /// The words of `bisect` for another range, with the same options.
  package func bisection(of range: String) -> [String] {
    [range] + options.filter { !Self.once.contains(Self.name($0)) }.flatMap(\.self) + command
  }

  /// The options that say how a command is launched.
  package var launchOptions: [String] {
    options.filter {
      let name = Self.name($0)
      return !Self.ownOptions.contains(name) && !Self.ownFlags.contains(name)
    }
    .flatMap(\.self)
  }

  private static func name(_ option: [String]) -> String {
    String(option[0].prefix { $0 != "=" })
  }
}
