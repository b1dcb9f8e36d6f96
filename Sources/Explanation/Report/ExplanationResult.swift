package import LaunchCore
import LaunchStatistics
package import Stages

/// What `explain` found, and how it was measured: the value that every report is made from.
package struct ExplanationResult: Hashable, Sendable {
  /// The program whose launches are explained, or the two that are compared, the former first.
  package var arms: [Arm]

  package var explanation: LaunchExplanation

  /// The modules that the runtime of the programs loads; nil where it does not say.
  package private(set) var modules: ModuleComparison?

  /// How two programs differ by stage, or the stages that the launches of one are made of, by separate
  /// launches with the probe; empty where that was not asked, or nothing differs.
  package var stages: [StageDifference] = []

  /// Whether the launches of one program are of two kinds, which are the two arms then; nil where that was
  /// not asked.
  package var slow: SlowLaunches?

  /// Why some launches of the last program are slow, where the launches that explain it were of two kinds; at
  /// most one.
  package var slowOnes: [Self] = []

  /// How the launches were looked into, in the order in which that is told.
  package var collectors: [Collector] = []

  /// On how many blocks launched later the reasons were looked for again; nil where they were not.
  package var freshBlocks: Int?

  /// What else the reader should know, the most severe first.
  package var warnings: [Diagnostic] = []

  /// The path of the directory that the launches are kept in, if they are.
  package var store: String?

  /// The command that shows it again in full; nil where the launches are not kept.
  package var showCommand: String?

  /// The names of the files that were written.
  package var files: [String] = []

  /// A program that was launched.
  package struct Arm: Hashable, Sendable {
    /// What it is called in sentences, such as `A` or the name of a target.
    package var name: String
    package var command: [String]

    /// A traced launch that took about the median time and waited little for processors, and the
    /// sampled one of median time; nil where there are none.
    package var traced: RecordedLaunch?
    package var sampled: LaunchProfile?

    package init(
      name: String,
      command: [String],
      traced: RecordedLaunch? = nil,
      sampled: LaunchProfile? = nil
    ) {
      self.name = name
      self.command = command
      self.traced = traced
      self.sampled = sampled
    }
  }

  /// One way to look into launches, and what it cost; or why it was not there.
  package struct Collector: Hashable, Sendable {
    package var kind: Kind

    /// How many launches of each program it saw.
    package var launches: Int

    /// Processor time with it by that without it, or launch time where ``costsTime``.
    package var costRatio: Double?

    /// Whether the cost is one of launch time and not of processor time.
    package var costsTime: Bool

    /// Why there is none of it, in lower case without a full stop; nil where there is.
    package var missing: String?

    /// How much it sees; nil where there is nothing to choose from.
    package var rights: Rights?

    /// How much of a launch a collector is allowed to see.
    package struct Rights: Hashable, Sendable {
      /// `bpf` or `ptrace` of timelines, `kernel` or `user` of profiles.
      package var level: String

      /// Why it is no better one, in lower case without a full stop; nil where that was not tried.
      package var obstacle: String?

      package init(_ level: String, obstacle: String?) {
        self.level = level
        self.obstacle = obstacle
      }
    }

    package init(
      _ kind: Kind,
      launches: Int,
      costRatio: Double? = nil,
      costsTime: Bool = false,
      missing: String? = nil
    ) {
      self.kind = kind
      self.launches = launches
      self.costRatio = costRatio
      self.costsTime = costsTime
      self.missing = missing
    }

    /// What a launch is looked into for; the raw value is the name used in JSON.
    package enum Kind: String, CaseIterable, Sendable {
      /// Nothing but its time.
      case plain

      /// What its threads did, and waited for.
      case timeline

      /// Which functions they were in.
      case profile

      /// How many instructions each function executed, under valgrind.
      case callgrind

      /// Which modules its runtime loads.
      case modules
    }
  }
}

// MARK: - What it comes to

extension ExplanationResult {
  /// The programs, each with what its launches are called in the explanation.
  var sides: [(side: Side, arm: Arm)] {
    arms.count == 2
      ? [(.before, arms[0]), (.after, arms[1])] : arms.map { (side: .after, arm: $0) }
  }

  /// Adds what is known of the modules.
  mutating func add(_ found: ModuleComparison?) {
    guard let found else { return }
    modules = found
    collectors.append(Collector(.modules, launches: found.blocks))
    guard let first = explanation.reasons.firstIndex(where: \.isSpecific),
      explanation.reasons[first].actor == .main,
      let module = found.leading, explanation.reasons[first].isMostly(module)
    else { return }
    explanation.reasons[first].module = module
  }

  /// What can be said of the whole launches.
  enum Outcome: Hashable, Sendable {
    /// There is one program only.
    case single

    /// They differ.
    case different

    /// The interval of their difference lies within what would be called one.
    case same

    /// No difference was found, but one would not have been seen for certain.
    case notSignificant
  }

  var outcome: Outcome {
    guard arms.count == 2 else { return .single }
    if explanation.coverage != nil { return .different }
    let change = headline
    guard let interval = change.interval else { return .notSignificant }
    let limit = max(explanation.floor, 0.02 * Double(change.before.count))
    return interval.low > -limit && interval.high < limit ? .same : .notSignificant
  }

  /// The difference of the first sentence: that of plain launches, unless these do not show what the
  /// traced ones do, as on a busy machine.
  var headline: TimeChange { isHeadlinePlain ? plain ?? traced : traced }

  var isHeadlinePlain: Bool {
    guard let plain else { return false }
    guard arms.count == 2, explanation.coverage != nil else {
      return arms.count < 2 || !isNarrower(traced, than: plain)
    }
    guard let interval = plain.interval else { return false }
    let isTold = interval.excludesZero
    return isTold && (plain.difference > .zero) == (traced.difference > .zero)
      && !isNarrower(traced, than: plain)
  }

  /// Whether an interval is less than half as wide as another.
  private func isNarrower(_ one: TimeChange, than other: TimeChange) -> Bool {
    guard let narrow = one.interval, let wide = other.interval else { return false }
    return narrow.high - narrow.low < (wide.high - wide.low) / 2
  }

  private var plain: TimeChange? { explanation.difference.plain }
  private var traced: TimeChange { explanation.difference.traced }

  /// The share of the difference that must be explained for a result to count as one.
  static let neededCoverage = 0.8

  /// Done where the difference is explained or there is none, and inconclusive otherwise.
  package var exitCode: LabExitCode {
    if let slow { return slow.exitCode(explanation.coverage?.share) }
    return switch outcome {
    case .single, .same: .done
    case .different:
      (explanation.coverage?.share ?? 0) >= Self.neededCoverage ? .done : .inconclusive
    case .notSignificant: isTooLittle ? .inconclusive : .done
    }
  }

  /// Whether there are too few blocks for any difference to be seen.
  var isTooLittle: Bool {
    explanation.notes.contains { if case .fewBlocks = $0 { true } else { false } }
  }

  /// The warnings, then what the numbers themselves have to say.
  package var diagnostics: [Diagnostic] {
    warnings + (slow.map { $0.diagnostics } ?? []) + explanation.notes.map(Diagnostic.init(note:))
      + slowOnes.flatMap(\.diagnostics)
  }
}

extension LaunchReason {
  /// Whether at least two thirds of it are the loading of a module.
  ///
  /// Both are shares of the same difference: what they are together beyond it, they have in common.
  fileprivate func isMostly(_ module: ModuleComparison.Change) -> Bool {
    guard let share, share > 0, let loading = module.share else { return false }
    return 3 * (share + min(1, loading) - 1) >= 2 * share
  }
}

extension Diagnostic {
  /// What the reader must know of the figures, as a sentence.
  init(note: LaunchExplanation.Note) {
    switch note {
    case .notSampled:
      self.init(
        .note,
        id: "not-sampled",
        problem: "no function is named, since no call stacks were sampled"
      )
    case .fewBlocks(let count, let needed):
      self.init(
        .warning,
        id: "few-blocks",
        problem: "\(count) usable \(count == 1 ? "block is" : "blocks are") too few to call "
          + "anything different; it takes \(needed)",
        remedy: "allow more time or more launches"
      )
    case .pathSwitched(let from, let to, let amount):
      let time = ExplanationNumbers(for: amount).text(amount)
      self.init(
        .note,
        id: "path-switched",
        problem: "\(time) of the critical path moved from \(ExplanationWords.name(of: from)) to "
          + "\(ExplanationWords.name(of: to)), which is no difference"
      )
    case .unknownTime(let share):
      self.init(
        .warning,
        id: "unknown-time",
        problem:
          "the trace does not say what \(ExplanationNumbers.percent(share)) of the launch was"
      )
    case .tracedDiffersFromPlain(let plain, let traced):
      let numbers = ExplanationNumbers(
        for: max(plain.difference.magnitude, traced.difference.magnitude)
      )
      self.init(
        .warning,
        id: "traced-differs",
        problem: "traced launches differ by \(numbers.signed(traced.difference)), "
          + "plain ones by \(numbers.signed(plain.difference))"
      )
    case .lostSamples(let count):
      self.init(
        .warning,
        id: "lost-samples",
        problem: "there was no room for \(count) \(count == 1 ? "sample" : "samples")"
      )
    }
  }
}
