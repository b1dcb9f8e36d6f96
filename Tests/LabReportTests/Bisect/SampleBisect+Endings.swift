import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

extension SampleBisect {
  struct Ending: CustomTestStringConvertible {
    var name: String
    var summary: BisectSummary
    var testDescription: String { name }
  }

  static let difference = log(0.05, 0.045, 0.055)

  static var found: BisectSummary {
    var summary = summary(
      BisectAnswer(
        outcome: .found,
        culprits: [culprit(11...11)],
        difference: difference,
        levels: levels
      )
    )
    summary.details = [details]
    summary.medians = BisectSummary.Medians(good: 12_300_000, bad: 12_940_000)
    return summary
  }

  /// A culprit of which it is known why it is slower.
  static var explained: BisectSummary {
    var summary = found
    let section = """
      ### 0123 is 0.64 ms slower than 4567 (12.30 → 12.94 ms, 95 % interval +0.59 to +0.69 ms)

      | reason                | before, ms | after, ms | difference, ms | share | evidence       |
      | --------------------- | ---------: | --------: | -------------: | ----: | -------------- |
      | `read_settings` (new) |       0.00 |      0.61 |   +0.61 ± 0.04 |  95 % | openat conf/ 0 → 40 |

      """
    summary.explanation = CulpritExplanation(
      BisectExplanation(
        parentBuild: 10,
        build: 11,
        why: "read_settings (new), openat conf/ 0 → 40: +0.61 of +0.64 ms (95 %)",
        markdown:
          "**Why**: `read_settings` (new), openat conf/ 0 → 40: +0.61 of +0.64 ms (95 %)",
        section: section
      ),
      document: """
        {
          "schema": "launchlab.explain/1",
          "reasons": [
            {
              "text": "read_settings (new)"
            }
          ]
        }

        """,
      flameGraph: "/src/demo/.launchlab/bisect/20261122-030000-1a2b/explanation.svg"
    )
    return summary
  }

  /// A commit that good has and bad has not; the first five revisions lead back to a merge base.
  static var ownSide: BisectSummary {
    var summary = found
    for index in 0..<5 { summary.start.revisions[index].parents = [id(index + 1)] }
    summary.start.revisions[5].parents = [id(99)]
    let answer = BisectAnswer(
      outcome: .found,
      culprits: [culprit(3...3)],
      difference: difference,
      levels: [level(0, 0, 40, 0), level(2, 0.001, 40, 0), level(3, 0.051, 40, 1)],
      notes: [.improvement(8...9, log(-0.02, -0.025, -0.015))],
      launchNoise: 0.03
    )
    summary.answer = answer.naming(commitsOf: summary.start)
    return summary
  }

  /// A set of commits on both sides of a merge base.
  static var bothSides: BisectSummary {
    var summary = ownSide
    let answer = BisectAnswer(
      outcome: .found,
      culprits: [culprit(4...6)],
      difference: difference,
      levels: levels
    )
    summary.answer = answer.naming(commitsOf: summary.start)
    summary.skipped = [4, 5]
    return summary
  }

  /// A culprit that is not what its alert is of.
  static var alertRest: BisectSummary {
    var summary = found
    summary.start.alert = 17
    summary.start.parameters.alertEffect = Foundation.log1p(0.93)
    return summary
  }

  /// A culprit that could not be traced.
  static var untraced: BisectSummary {
    var summary = found
    summary.explanationFailure = "not traced here (perf events are refused (permission denied))"
    return summary
  }

  /// A merge, found by a command that was typed, in a repository elsewhere.
  static var merge: BisectSummary {
    var summary = found
    summary.start.revisions[11].parents.append(id(90))
    summary.start.words = ["v1.0..HEAD", "--build", "make all", "--json", "-", "--", "./app", "-v"]
    summary.details[0].merge = MergeContents(
      commits: (0..<10).map { number in
        BisectRevision(id: id(90 - number), subject: "Part \(number) of | a *branch*")
      },
      count: 23
    )
    summary.details[0].fileCount = 12
    summary.places = BisectSummary.Places(store: "/var/my store.sqlite", repository: "/src/demo")
    return summary
  }

  /// A count that good has nothing of.
  static var fromZero: BisectSummary {
    var summary = summary(
      start(measure: .metric(.majorFaults)),
      BisectAnswer(
        outcome: .found,
        culprits: [culprit(11...11, log(3, 3, 3))],
        difference: log(3, 3, 3)
      )
    )
    summary.medians = BisectSummary.Medians(good: 0, bad: 2)
    return summary
  }

  static var set: BisectSummary {
    var start = start(skips: [4])
    start.alert = 17
    var levels = levels
    levels.remove(at: 3)
    var summary = summary(
      start,
      BisectAnswer(
        outcome: .found,
        culprits: [culprit(11...13)],
        difference: difference,
        levels: levels.map { level in
          var level = level
          if level.revision == 12 { level.revision = 13 }
          return level
        }
      )
    )
    summary.skipped = [4, 11, 12]
    summary.failures = [4: "it is skipped, as --skip says", 11: "make ended with 2", 12: "no app"]
    summary.unlaunchable = [12]
    summary.failedBuilds = 2
    return summary
  }

  static var several: BisectSummary {
    var answer = BisectAnswer(
      outcome: .found,
      culprits: [
        culprit(11...11, share: 0.6), culprit(3...3, log(0.031, 0.027, 0.035), share: 0.38),
      ],
      difference: log(0.084, 0.08, 0.089),
      levels: levels,
      notes: [
        .split(at: 8), .improvement(14...15, log(-0.02, -0.025, -0.015)), .layoutNoise(0.007),
      ],
      twoChanges: 0.97
    )
    answer.buildNoise = 0.007
    answer.unsearched = [
      UnsearchedStretch(good: 0, bad: 2, difference: 0.002, reason: .equalEnds),
      UnsearchedStretch(good: 3, bad: 8, difference: 0.014, reason: .notEstablished),
    ]
    var summary = summary(start(parameters: BisectParameters(findsAll: true)), answer)
    var other = details
    other.files = [ChangedFile(path: "logo.png", added: nil, removed: nil)]
    other.fileCount = 1
    other.stageChanges = Array(stageChanges.suffix(1))
    summary.details = [details, other]
    summary.told = [Diagnostic(.warning, id: "submodule-missing", problem: "no submodule")]
    summary.timeouts = 2
    summary.warnings = [Diagnostic(.warning, id: "noisy", problem: "the machine is noisy")]
    return summary
  }

  /// A search for all changes that a limit has ended, of a store and a repository elsewhere.
  static var cutShort: BisectSummary {
    var answer = BisectAnswer(
      outcome: .found,
      culprits: [culprit(11...11, share: 0.6)],
      difference: log(0.084, 0.08, 0.089),
      levels: levels
    )
    answer.unsearched = [
      UnsearchedStretch(good: 0, bad: 10, difference: 0.03, reason: .limit(.launchesSpent))
    ]
    let parameters = BisectParameters(minimumEffect: 0.02, findsAll: true)
    var summary = summary(start(parameters: parameters), answer)
    summary.places = BisectSummary.Places(store: "/var/my store.sqlite", repository: "/src/demo")
    return summary
  }

  static var partial: BisectSummary {
    summary(
      start(measure: .counter(.instructions), counting: .valgrind),
      BisectAnswer(
        outcome: .found,
        culprits: [culprit(11...11, log(0.0004, 0.0003, 0.0005), share: 0.6)],
        difference: log(0.00067, 0.0006, 0.0007),
        levels: levels,
        notes: [.spread],
        twoChanges: 0.5
      )
    )
  }

  static var hostileNames: BisectSummary {
    var start = start(subject: { $0 == 11 ? SampleBisect.hostile : "Change number \($0)" })
    start.revisions[11].author = "Eve\u{1B}[2J `<script>` |"
    start.scenario.targets[0].name = "a|b<i>`x`"
    start.range = "good..\u{1B}]0;x\u{7}bad"
    var summary = found
    summary.start = start
    summary.failures = [9: "ended | with\n\u{1B}[31m `2` <b>"]
    summary.skipped = [9]
    summary.failedBuilds = 1
    return summary
  }

  static var artifacts: BisectSummary {
    var found = found
    found.start = start(artifacts: "/srv/nightly")
    found.details = []
    return found
  }

  /// Versions of which the one with the change and the two after it are the same executable.
  static var equalArtifacts: BisectSummary {
    var culprit = culprit(11...11)
    culprit.build = 13
    var levels = levels
    levels[3].revision = 13
    levels.remove(at: 4)
    return summary(
      start(artifacts: "/srv/nightly"),
      BisectAnswer(outcome: .found, culprits: [culprit], difference: difference, levels: levels)
    )
  }

  /// A change that is smaller than what was looked for.
  static var small: BisectSummary {
    summary(
      start(parameters: BisectParameters(findsAll: true)),
      BisectAnswer(
        outcome: .found,
        culprits: [culprit(11...11, log(0.005, 0.004, 0.006))],
        difference: log(0.02, 0.018, 0.022),
        levels: levels
      )
    )
  }

  static var failed: BisectSummary {
    var failed = summary(BisectAnswer(outcome: .failed(end: 16)))
    failed.builds = 1
    failed.failedBuilds = 1
    failed.launches = 0
    failed.skipped = [16]
    failed.failures = [16: "the build command ended with 2"]
    failed.buildLogTail = ["app.c:12: error: expected ‘;’", "make: *** [app] Error 1\u{1B}[0m"]
    return failed
  }

  static var interrupted: BisectSummary {
    var interrupted = summary(
      BisectAnswer(
        outcome: .inconclusive(.interrupted),
        difference: difference,
        interval: 9...16,
        levels: [levels[0], levels[1], levels[5]]
      )
    )
    interrupted.isInterrupted = true
    return interrupted
  }

  static func refused(_ refusal: BisectRefusal, _ interval: LogInterval) -> BisectSummary {
    let levels = [level(0, 0, 16, nil), level(16, expm1(interval.estimate), 16, nil)]
    return summary(
      BisectAnswer(outcome: .refused(refusal), difference: interval, levels: levels)
    )
  }

  /// Inconclusive launch times, with what the CPU times of the same launches say.
  static func noisy(_ difference: LogInterval) -> BisectSummary {
    var summary = refused(.notEstablished, log(0.01, -0.03, 0.05))
    summary.processorTime = ProcessorTimeDifference(pairs: 512, difference: difference)
    return summary
  }

  static func inconclusive(_ obstacle: BisectObstacle) -> BisectSummary {
    summary(
      BisectAnswer(
        outcome: .inconclusive(obstacle),
        difference: difference,
        interval: 9...12,
        levels: levels,
        notes: obstacle == .nothingToLearn ? [.layoutNoise(0.021)] : []
      )
    )
  }

  /// One ending for each kind of section that a report can have.
  static let kinds = endings(
    named: [
      "several", "set", "merge", "explained", "own-side", "partial", "from-zero", "hostile",
      "equal-artifacts", "same", "cpu-time-open", "launches-spent", "failed",
    ]
  )

  static func endings(named names: [String]) -> [Ending] {
    endings.filter { names.contains($0.name) }
  }

  static var endings: [Ending] {
    [
      Ending(name: "found", summary: found), Ending(name: "merge", summary: merge),
      Ending(name: "explained", summary: explained), Ending(name: "untraced", summary: untraced),
      Ending(name: "from-zero", summary: fromZero),
      Ending(name: "set", summary: set), Ending(name: "own-side", summary: ownSide),
      Ending(name: "both-sides", summary: bothSides),
      Ending(name: "alert-rest", summary: alertRest),
      Ending(name: "several", summary: several), Ending(name: "partial", summary: partial),
      Ending(name: "cut-short", summary: cutShort),
      Ending(name: "hostile", summary: hostileNames),
      Ending(name: "artifacts", summary: artifacts),
      Ending(name: "equal-artifacts", summary: equalArtifacts),
      Ending(name: "small", summary: small),
      Ending(name: "same", summary: refused(.same, log(0.001, -0.004, 0.006))),
      Ending(name: "same-counts", summary: refused(.same, log(-2.7e-10, -1e-5, 1e-5))),
      Ending(name: "too-small", summary: refused(.tooSmall, log(0.005, 0.003, 0.007))),
      Ending(name: "opposite", summary: refused(.opposite, log(-0.05, -0.055, -0.045))),
      Ending(name: "not-established", summary: refused(.notEstablished, log(0.01, -0.03, 0.05))),
      Ending(name: "cpu-time-tells", summary: noisy(log(0.08, 0.07, 0.09))),
      Ending(name: "cpu-time-same", summary: noisy(log(0.001, -0.004, 0.006))),
      Ending(name: "cpu-time-open", summary: noisy(log(0.01, -0.02, 0.04))),
      Ending(name: "launches-spent", summary: inconclusive(.launchesSpent)),
      Ending(name: "builds-spent", summary: inconclusive(.buildsSpent)),
      Ending(name: "time-spent", summary: inconclusive(.timeSpent)),
      Ending(name: "nothing-to-learn", summary: inconclusive(.nothingToLearn)),
      Ending(name: "not-confirmed", summary: inconclusive(.notConfirmed)),
      Ending(name: "failed", summary: failed), Ending(name: "interrupted", summary: interrupted),
    ]
  }
}
