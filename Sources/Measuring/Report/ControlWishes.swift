import Foundation
package import LaunchCore
package import Rendering

/// What a run would do to the machine as a whole, and what it would watch.
///
/// Each line is a control by its name and what is asked of it, in the order of ``ControlName``.
package struct ControlWishes {
  private let plan: ControlPlan
  private let obstacles: [ControlName: String]

  /// - Parameters:
  ///   - plan: What is asked for.
  ///   - obstacles: Why the machine cannot do a control, or not wholly.
  package init(_ plan: ControlPlan, obstacles: [ControlName: String] = [:]) {
    self.plan = plan
    self.obstacles = obstacles
  }

  package func lines(style: TextStyle) -> [String] {
    let lines = ControlName.allCases.flatMap { name -> [String] in
      guard let wish = wish(for: name) else { return [] }
      let required = plan.required.contains(name) ? " (required)" : ""
      let line = "  \(name.rawValue): \(wish.printable)\(required)"
      let obstacle = obstacles[name].map {
        style.wrapped("      not available here: \($0.printable)", indent: 8)
          .map { style.paint($0, .warning) }
      }
      return style.wrapped(line, indent: 6) + (obstacle ?? [])
    }
    return lines.isEmpty
      ? [] : ["controls during the run, restored afterwards:"] + lines
  }

  /// What is asked of a control; nil when it is left alone.
  private func wish(for name: ControlName) -> String? {
    plan.setting(of: name).map { phrase(for: name) ?? $0 }
  }

  /// What is asked, where the word of the scenario does not say it.
  private func phrase(for name: ControlName) -> String? {
    switch name {
    case .cpus: plan.cpus.map { "targets run on \(Self.processors($0)) only" }
    case .shield: "everything else is moved off them"
    case .aslr:
      "addresses are \(plan.randomizesAddresses == true ? "randomized" : "not randomized")"
    case .environmentSize: "the environment is padded at random before each launch"
    case .priority: plan.priority.map(Self.priority)
    case .scheduling: "targets run before every other program (SCHED_FIFO)"
    case .governor: plan.governor.map { "\($0) on every processor" }
    case .swap: plan.swap.map(Self.swap)
    case .network: "each launch sees only a loopback of its own"
    case .environment: "PATH, HOME, LANG and TZ are fixed, all else is gone"
    case .services: services
    case .settle: plan.settle.map(Self.settle)
    case .steal: plan.steal.map(Self.steal)
    case .proactiveReclaim: "switched off"
    default: nil
    }
  }

  private var services: String? {
    guard !plan.services.isEmpty else { return nil }
    let names = plan.services.map { $0 == "timers" ? "every active timer" : $0 }
    return "\(names.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") stopped"
  }
}

// MARK: - Phrases

extension ControlWishes {
  /// Runs of three and more as ranges.
  private static func processors(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    let texts = ranges.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    return "\(numbers.count == 1 ? "processor" : "processors") \(texts.joined(separator: ", "))"
  }

  private static func priority(_ priority: LaunchPriority) -> String {
    [
      priority.nice.map { "nice \($0)" }, priority.policy.map { "policy \($0.rawValue)" },
      priority.level.map { "level \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
  }

  private static func swap(_ swap: SwapPolicy) -> String {
    switch swap {
    case .off: "vm.swappiness 0, and swap areas off where their content fits into memory"
    case .swappiness(let value): "vm.swappiness \(value)"
    }
  }

  private static func settle(_ limits: SettleLimits) -> String {
    let parts = [
      limits.cpuIdle.map { "CPU idle at least \(percent($0))" },
      limits.ioPressure.map { "I/O pressure at most \(percent($0))" },
      limits.load.map { "load at most \(number($0))" },
      limits.temperature.map { "at most \(number($0)) °C" },
    ].compactMap(\.self)
    return "before each launch \(parts.joined(separator: ", ")), "
      + "waited for at most \(number(Double(limits.within.count) / 1e9)) s"
  }

  private static func steal(_ limits: DisturbanceLimits) -> String {
    "a launch is repeated if more than \(percent(limits.stolen)) of it was stolen, or others "
      + "used its processors for more than \(percent(limits.foreign)), up to "
      + "\(percent(limits.share)) of the launches"
  }

  /// A number as short as it was written.
  private static func number(_ value: Double) -> String { String(format: "%.6g", value) }

  private static func percent(_ share: Double) -> String {
    "\(number(share * 100)) %"
  }
}
