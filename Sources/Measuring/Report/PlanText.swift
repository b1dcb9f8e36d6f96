package import LaunchCore
package import Rendering

/// What a run would do, as `--dry-run` prints it.
package struct PlanText {
  private static let shownBlocks = 3

  private let plan: Plan
  private let estimate: Nanoseconds?
  private let obstacles: [ControlName: String]
  private let style: TextStyle

  /// Creates the text of a plan.
  ///
  /// - Parameters:
  ///   - plan: What would be run.
  ///   - estimate: How long the whole run may take; nil when nothing is known about it.
  ///   - obstacles: Why the machine cannot do a control, or not wholly.
  ///   - style: How the text is shown.
  package init(
    _ plan: Plan,
    estimate: Nanoseconds?,
    obstacles: [ControlName: String] = [:],
    style: TextStyle
  ) {
    self.plan = plan
    self.estimate = estimate
    self.obstacles = obstacles
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    [summary, arms, order, controls, effects].filter { !$0.isEmpty }
      .map { $0.joinedLines(style) }.joined(separator: "\n")
  }

  private var summary: [String] {
    let most = plan.looks.count > 1 ? "at most " : ""
    let launches = most + Quantity.launches(plan.launchCount)
    let blocks = Quantity.count(plan.blockCount, "block")
    let time =
      estimate.map { "takes \(most)\(Quantity.estimate($0))" } ?? "duration not known yet"
    let name = style.paint(plan.scenario.name.printable, .bold)
    var control = ""
    if case .revision(let revision, _) = plan.scenario.control {
      control = ", also \(revision.printable) for the control"
    }
    return ["\(name)  \(launches) in \(blocks), \(time), seed \(plan.seed)"]
      + looks
      + (plan.scenario.source.map {
        style.wrapped(
          "first builds \($0.repository.printable)\(control) with: \($0.build.printable)",
          indent: 2
        )
      } ?? [])
  }

  /// When the launches may end before the last block; empty for a fixed number.
  private var looks: [String] {
    guard plan.looks.count > 1, let precision = plan.scenario.adaptive?.precision else { return [] }
    let counts = plan.looks.map(String.init).joined(separator: ", ")
    let sentence =
      "\(plan.looks[0]) to \(plan.blockCount) launches of each arm, looked at after \(counts), until "
      + "every median is exact to \(Quantity.percent(precision))"
    return style.wrapped(sentence, indent: 2)
  }

  // MARK: - Arms and order

  private var arms: [String] {
    let rows = plan.arms.enumerated().map { number, arm in
      let target = plan.scenario.targets.first { $0.name == arm.target }
      let command = target.map { ShellQuoting.text($0.command).printable } ?? "the floor"
      let ready = target.map { "until \($0.ready.description.printable)" } ?? ""
      let launches = plan.launches(of: arm.kind)
      let mayEnd = arm.kind == .plain && plan.looks.count > 1
      let fewest = mayEnd ? "\(plan.looks[0]) to " : ""
      let kind = arm.kind == .plain ? "" : " (\(arm.kind.rawValue))"
      return [
        TextTable.Cell(label(number), .bold), TextTable.Cell(arm.target.printable),
        TextTable.Cell(arm.state.rawValue + kind), TextTable.Cell("\(fewest)\(launches) ×"),
        TextTable.Cell(command.truncated(to: 40), .dim), TextTable.Cell(ready, .dim),
      ]
    }
    return TextTable(columns: [.right, .left, .left, .right, .left, .left], rows: rows)
      .lines(style: style)
  }

  private var order: [String] {
    let shown = min(plan.blockCount, Self.shownBlocks)
    let lines = (0..<shown).flatMap { block in
      let arms = plan.order(ofBlock: block).map(label).joined(separator: " ")
      return style.wrapped("block \(block + 1): \(arms)", indent: 4)
    }
    let more = plan.blockCount - shown
    let rest = Quantity.count(more, "more block")
    return lines + (more > 0 ? ["and \(rest), each in a new random order"] : [])
  }

  /// A name for an arm that is short enough for the order: A to Z, then A2 and on.
  private func label(_ arm: Int) -> String {
    let letter = String(UnicodeScalar(UInt8(65 + arm % 26)))
    return arm < 26 ? letter : "\(letter)\(arm / 26 + 1)"
  }
}

// MARK: - What it does to the machine

extension PlanText {
  private var controls: [String] {
    plan.scenario.controls.map { ControlWishes($0, obstacles: obstacles).lines(style: style) } ?? []
  }

  private var effects: [String] {
    let states = LaunchState.allCases.filter { state in plan.arms.contains { $0.state == state } }
    let lines = states.flatMap { state in
      let sentence = effect(of: state)
      return style.wrapped("  \(state.rawValue): \(sentence)", indent: 6)
    }
    return ["before each launch:"] + lines
      + ["after each launch all processes of the target are stopped"] + commands + [""]
      + ["Dry run: nothing was launched or changed."]
  }

  /// What targets want to be run beside their launches.
  private var commands: [String] {
    plan.scenario.targets.flatMap { target in
      LaunchCommands.Moment.allCases.flatMap { moment in
        [("before", target.prepare), ("after", target.cleanup)].flatMap { when, commands in
          guard let command = commands?[moment] else { return [String]() }
          let what = moment == .run ? "the run" : "each \(moment)"
          let text = LaunchCommands.text(of: command).printable
          return style.wrapped("  \(target.name), \(when) \(what): \(text)", indent: 6)
        }
      }
    }
  }

  private func effect(of state: LaunchState) -> String {
    switch state {
    case .rebootCold:
      "sync, then vm.drop_caches=3, which empties the page cache of the whole host"
    case .reinstallCold:
      eviction
    case .firstRun:
      "\(hasReinstall ? "as reinstall-cold" : eviction); HOME is private, \(homes)\(resets)"
    case .warm:
      "at most 10 unmeasured launches, until one has no major fault"
    }
  }

  private var hasReinstall: Bool { plan.arms.contains { $0.state == .reinstallCold } }

  private var eviction: String {
    "the target's own files are evicted from the page cache\(ownFiles)\(installs); other files stay cached"
  }

  private var ownFiles: String {
    let files = unique(plan.scenario.targets.flatMap(\.files))
    let named = files.isEmpty ? "" : ", and \(files.joined(separator: ", "))"
    let rules = unique(plan.scenario.targets.map { ($0.own ?? .package).rawValue })
    guard rules != [OwnRule.listed.rawValue] else {
      return " (the executable and its libraries outside the system\(named))"
    }
    return " (of those that one unmeasured launch opens, by the rule "
      + "\(rules.joined(separator: " or "))\(named))"
  }

  private var installs: String {
    let directories = unique(plan.scenario.targets.flatMap(\.install))
    return directories.isEmpty
      ? "" : "; every file under \(directories.joined(separator: ", ")) is recreated as a copy"
  }

  private var homes: String {
    let homes = plan.scenario.targets.map { target in
      target.home.map { "filled from \($0)" } ?? "empty at first"
    }
    return unique(homes).joined(separator: " or ")
  }

  private var resets: String {
    let resets = plan.scenario.targets.flatMap(\.state).map { directory in
      let source = directory.template.map { "filled from \($0)" } ?? "left empty"
      return "\(directory.path) is cleared and \(source)".printable
    }
    return resets.isEmpty ? "" : "; \(unique(resets).joined(separator: ", "))"
  }

  private func unique(_ texts: [String]) -> [String] {
    texts.reduce(into: []) { if !$0.contains($1.printable) { $0.append($1.printable) } }
  }
}
