import Foundation

@testable import Bisection
@testable import LaunchCore
@testable import Stages

/// Bisections of 16 commits of one program, one per way that they can end.
enum SampleBisect {
  static let hostile = "Tidy | <b>up</b> `rm` **now** \u{1B}[31m[x](y) -->\n\u{202E}" + long
  private static let long = String(repeating: "and more ", count: 40)

  // MARK: - Pieces

  static func id(_ index: Int) -> String {
    let digits = String(index * 7_919 + 1_000, radix: 16)
    return String(repeating: "0", count: 6 - digits.count) + digits
      + String(repeating: "ab", count: 17)
  }

  static func revisions(_ count: Int, subject: (Int) -> String) -> [BisectRevision] {
    (0...count).map { index in
      BisectRevision(
        id: id(index),
        subject: subject(index),
        author: "Jane Doe",
        authoredAt: Date(timeIntervalSince1970: 1_790_000_000 + 86_400 * Double(index)),
        parents: index == 0 ? [] : [id(index - 1)]
      )
    }
  }

  static func start(
    measure: BisectMeasure = .metric(.launch),
    counting: CountingMethod? = nil,
    artifacts: String? = nil,
    skips: [Int] = [],
    parameters: BisectParameters = BisectParameters(),
    subject: (Int) -> String = { "Change number \($0)" }
  ) -> BisectStart {
    var revisions = revisions(16, subject: subject)
    if artifacts != nil {
      for index in revisions.indices {
        revisions[index] = BisectRevision(id: "app-\(index)", subject: "app-\(index)", parents: [])
      }
    }
    return BisectStart(
      id: "20261122-030000-1a2b",
      startedAt: Date(timeIntervalSince1970: 1_795_316_400),
      revisions: revisions,
      skips: skips,
      range: "v1.0..HEAD",
      scenario: Scenario(
        name: "demo",
        targets: [Target(name: "app", command: ["./app"], directory: "/src/demo")],
        states: [.warm],
        launches: 20,
        directory: "/src/demo"
      ),
      artifacts: artifacts,
      measure: measure,
      counting: counting,
      parameters: parameters,
      fingerprint: "5f3a9c01",
      launchlabVersion: "0.6.0"
    )
  }

  static func log(_ estimate: Double, _ lower: Double, _ upper: Double) -> LogInterval {
    LogInterval(
      estimate: Foundation.log1p(estimate),
      lower: Foundation.log1p(lower),
      upper: Foundation.log1p(upper)
    )
  }

  static func level(
    _ revision: Int,
    _ change: Double,
    _ rounds: Int,
    _ bad: Double?
  )
    -> BisectLevel
  {
    BisectLevel(
      revision: revision,
      level: revision == 0
        ? log(0, 0, 0) : log(change, change - 0.006, change + 0.006),
      rounds: rounds,
      probabilityBad: bad
    )
  }

  static let levels = [
    level(0, 0, 40, 0), level(8, 0.001, 12, 0.0001), level(10, -0.002, 40, 0.0004),
    level(11, 0.051, 40, 0.9996), level(12, 0.052, 12, 0.9999), level(16, 0.05, 40, 1),
  ]

  static func summary(_ answer: BisectAnswer) -> BisectSummary { summary(start(), answer) }

  static func summary(_ start: BisectStart, _ answer: BisectAnswer) -> BisectSummary {
    var answer = answer
    answer.launchNoise = 0.03
    var summary = BisectSummary(
      start: start,
      answer: answer,
      builds: 6,
      failedBuilds: 0,
      launches: 212,
      seconds: 754,
      log: "/src/demo/.launchlab/bisect/20261122-030000-1a2b/log.jsonl"
    )
    summary.conditions = conditions
    return summary
  }

  static func culprit(
    _ revisions: ClosedRange<Int>,
    _ effect: LogInterval = log(0.052, 0.048, 0.056),
    share: Double? = 1.02
  ) -> BisectCulprit {
    BisectCulprit(revisions: revisions, effect: effect, probability: 0.9981, share: share)
  }

  /// What is known of a culprit and of its builds.
  static let details = CulpritDetails(
    files: [
      ChangedFile(path: "assets/logo.png", added: nil, removed: nil),
      ChangedFile(path: "src/conf.c", added: 120, removed: 3),
      ChangedFile(path: "src/[x]_`y`|.c", added: 1, removed: 0),
    ],
    fileCount: 3,
    builds: LaunchedPair(
      parent: Target(name: "app", command: ["/builds/one/app", "-v"], directory: "/builds/one"),
      culprit: Target(name: "app", command: ["/builds/two/app", "-v"], directory: "/builds/two")
    ),
    stageChanges: stageChanges
  )

  static let conditions = BisectConditions(
    compilers: ["cc, gcc: gcc (Debian 12.2.0-14) 12.2.0", "ld: GNU ld 2.40"],
    variables: ["CFLAGS": "-O2 -g", "CC": "gcc"],
    loadBefore: 0.42,
    loadAfter: 1.3,
    processors: 2
  )

  static let stageChanges = [
    StageDifference(
      kind: .stage,
      path: "init",
      before: 1_200_000,
      after: 5_300_000,
      share: 0.97,
      interval: 4_000_000...4_200_000
    ),
    StageDifference(
      kind: .initializer,
      path: "init > init.libraries > libconf.so.2 > read_everything()",
      before: nil,
      after: 4_050_000,
      share: 0.95
    ),
    StageDifference(
      kind: .library,
      path: "load > libconf.so.2",
      before: nil,
      after: 90_000,
      share: 0.02
    ),
    StageDifference(kind: .tally, path: "libraries", before: 7, after: 8),
  ]
}
