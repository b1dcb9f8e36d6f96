import LaunchCore
import Rendering
import Stages

/// The report of one run in Markdown.
///
/// The first lines tell what was run, when and where, whether every state was reached, and what is
/// wrong. The same result gives the same bytes.
package struct RunMarkdown {
  private let summary: RunSummary
  private let command: [String]?
  private let facts: RunFacts
  private let arms: [ArmText]

  /// Creates the report of a run.
  ///
  /// - Parameters:
  ///   - summary: The result of the run.
  ///   - command: The launchlab command that repeats the run, without its seed; nil if not known.
  package init(_ summary: RunSummary, command: [String]? = nil) {
    self.summary = summary
    self.command = command
    facts = RunFacts(summary)
    arms = ArmText.shown(of: summary)
  }

  /// The report, with a line feed after every line.
  package func rendered() -> String {
    let sections = [
      answer, launchTimes, WarningsMarkdown(warnings: summary.warnings).lines, figures, stages,
      pageIns, evidence, host, reproduction,
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joinedLines() }
      .joined(separator: "\n")
  }

  // MARK: - The answer

  private var answer: [String] {
    let build = facts.build.map { ", \(escaped($0))" } ?? ""
    return [
      "# Launch times of \(escaped(facts.scenario))",
      "",
      "- **What:** \(escaped(facts.order))\(build)",
      "- **When and where:**  \(facts.startedAt); \(escaped(facts.host))",
      "- **States:** \(stateAnswer)",
      "- **Problems:** \(trouble)",
    ]
  }

  private var stateAnswer: String {
    let doubtful = arms.filter { !$0.isStateReached }
    let judged = arms.reduce(0) { $0 + $1.summary.state.reached }
    if judged == 0, doubtful.isEmpty { return "no state was checked" }
    guard !doubtful.isEmpty else { return "every launch reached its state" }
    return doubtful.map { "\(escaped($0.name)) \($0.coldness)" }.joined(separator: "; ")
  }

  private var trouble: String {
    let failed = arms.filter { $0.failure != nil }.map { "\(escaped($0.name)) has no result" }
    let problems = summary.warnings.filter { $0.severity != .note }
    let gravest = problems.first.map { gravest in
      let count = Quantity.count(problems.count, "warning")
      return "\(count) below, the most severe: \(escaped(gravest.problem))"
    }
    let all = [facts.unfinished].compactMap(\.self) + failed + [gravest].compactMap(\.self)
    return all.isEmpty ? "none" : all.joined(separator: "; ")
  }

  // MARK: - Tables

  private var launchTimes: [String] {
    let table = MarkdownTable(
      titles: ["target", "state", "median", "95 % interval", "mean ± sd", "variance", "CV"]
        + ["min…max", "n", "× floor", "reached"],
      textColumns: [0, 1, 10],
      rows: arms.map { arm in
        let name = arm.isFloor ? "empty (the floor)" : arm.summary.arm.target
        let figures = [
          arm.median, arm.interval, arm.meanAndDeviation, arm.variance, arm.variation, arm.range,
          arm.count, arm.floorMultiple, arm.failure ?? arm.coldness,
        ]
        return ([name, arm.summary.arm.state.rawValue] + figures).map(escaped)
      }
    )
    let isDoubtful = arms.contains { $0.summary.isDoubtful }
    let drawn = LaunchDistributions.markdown(ArmText.distributions(of: summary))
    return ["## Launch times", ""] + table.lines
      + ["", "The interval, the mean and the extremes are in the unit of the median."]
      + (isDoubtful ? [ArmText.parentheses] : []) + (drawn.isEmpty ? [] : [""] + drawn)
  }

  private var figures: [String] {
    let metrics = Metric.allCases.filter { metric in
      metric != .launch && arms.contains { $0.summary.summary(of: metric) != nil }
    }
    guard !metrics.isEmpty else { return [] }
    let names = metrics.map { $0.rawValue.replacing("_", with: " ") }
    let table = MarkdownTable(
      titles: ["arm"] + names + ["prepared in"],
      textColumns: [0],
      rows: arms.map { arm in
        [escaped(arm.name)] + metrics.map(arm.median) + [arm.preparation]
      }
    )
    return ["## Other figures", "", "Medians over the launches of each arm.", ""] + table.lines
  }

  private var stages: [String] {
    let sections = arms.flatMap { arm in
      arm.summary.stages.map { StagesMarkdown($0, title: arm.name).lines }
    }
    return sections.isEmpty ? [] : ["## Stages"] + sections.flatMap { [""] + $0 }
  }

  private var pageIns: [String] {
    let sections = arms.compactMap { arm in
      arm.summary.pageIns.map { PageInText($0).markdown(title: arm.name) }
    }
    guard !sections.isEmpty else { return [] }
    let lead = "Pages of files that were not in memory before a launch and were after it; medians."
    return ["## Page-ins", "", lead] + sections.flatMap { [""] + $0 }
  }

  // MARK: - Evidence

  private var evidence: [String] {
    let reasons = arms.flatMap { arm in
      arm.summary.state.reasons.sorted { $0.key < $1.key }.map { reason, count in
        "- \(escaped(arm.name)): \(count) × \(escaped(reason))"
      }
    }
    let items = RunEvidence(summary).items.flatMap { item in
      item.phrases.map { "- \(item.label): \(escaped($0))" }
    }
    let controls = facts.controls.markdown
    let lines = reasons + items + (controls.isEmpty ? [] : [""] + controls)
    return lines.isEmpty
      ? [] : ["## Controls and evidence"] + (lines[0].isEmpty ? [] : [""]) + lines
  }

  private var host: [String] {
    let host = summary.run.host
    // Old runs do not name their machine.
    let names = [("name", host.name), ("identity", host.identity)].filter { $0.1 != nil }
    let rows: [(String, String?)] = [
      ("cpu", host.cpuModel), ("cpus", host.cpuCount.map { String($0) }),
      ("memory", host.memoryBytes.map { Quantity.text(Double($0), .bytes) }),
      ("kernel", "\(host.kernel) \(host.architecture)"), ("libc", host.libc),
      ("microcode", host.microcode), ("governor", host.governor),
      ("file system", host.fileSystem), ("device", host.device),
      ("read-ahead", host.readAheadKilobytes.map { "\($0) KiB" }),
      ("I/O scheduler", host.ioScheduler), ("proactive reclaim", proactiveReclaim),
      ("virtualisation", host.virtualization ?? "none"), ("fingerprint", host.fingerprint),
    ]
    let table = MarkdownTable(
      titles: ["fact", "value"],
      textColumns: [0, 1],
      rows: (names + rows).map { [$0, escaped($1 ?? "not known")] }
    )
    return ["## Host", ""] + table.lines
  }

  private var proactiveReclaim: String? {
    let run = summary.run
    let isHidden = run.controls.contains {
      $0.name == "proactive_reclaim" && $0.status == .unavailable
    }
    return isHidden ? nil : run.host.proactiveReclaim ?? "none"
  }

  private var reproduction: [String] {
    let run = summary.run
    let seed = ["--seed", String(run.plan.seed)]
    let repeated = command.map { ["    \(ShellQuoting.text($0 + seed).printable)", ""] } ?? []
    let targets = run.plan.scenario.targets.map { target in
      let place = ShellQuoting.text(["cd", target.directory])
      return "    \(place) && \(ShellQuoting.text(target.command))".printable
    }
    let identity = "run \(run.id), seed \(run.plan.seed), launchlab \(run.tool)"
    return ["## How to reproduce it", "", "This is \(escaped(identity)).", ""] + repeated
      + ["What it launches:", ""] + targets
  }

  private func escaped(_ text: String) -> String { MarkdownTable.escaped(text) }
}
