import Foundation

@testable import LaunchCore

/// Values to store.
enum Sample {
  static let start = Date(timeIntervalSince1970: 1_795_235_400.125)

  static let arms = [
    Arm(target: "server", state: .rebootCold),
    Arm(target: "server", state: .warm),
    Arm(target: "server", state: .warm, kind: .counters),
  ]

  /// A run whose every optional field has a value.
  static func run(
    _ id: String = "20261121T043000Z-3fa2",
    scenario: String = "redis",
    secondsLater: Double = 0
  ) -> RunRecord {
    let asked = Scenario(
      name: scenario,
      source: Source(repository: "/src/\(scenario)", build: "make -j2"),
      targets: [target],
      states: [.rebootCold, .warm],
      launches: 40,
      includesEmptyBaseline: true,
      directory: "/src",
      controls: ControlPlan(
        cpus: [1],
        swap: .swappiness(10),
        settle: SettleLimits(cpuIdle: 0.9),
        steal: DisturbanceLimits(),
        required: [.cpus],
        suppressed: ["vm"]
      )
    )
    return RunRecord(
      id: id,
      startedAt: start.addingTimeInterval(secondsLater),
      plan: Plan(scenario: asked, seed: .max - 7, arms: arms, blockCount: 40),
      host: host,
      controls: controls,
      build: BuildRecord(
        commit: "0123456789abcdef0123456789abcdef01234567",
        subject: "Make it \"faster\"",
        tree: "89abcdef",
        directory: "/cache/89abcdef",
        wasCached: true
      ),
      tool: "0.1.0"
    )
  }

  static func bareRun(_ id: String) -> RunRecord {
    var run = run(id)
    run.controls = []
    run.build = nil
    return run
  }

  /// A launch with only what every launch has.
  static func launch(block: Int, position: Int = 0, arm: Int = 0) -> LaunchRecord {
    LaunchRecord(
      block: block,
      position: position,
      arm: arm,
      startedAt: Nanoseconds(Int64(block) * 1_000_000 + Int64(position)),
      preparation: Preparation(),
      result: LaunchResult(outcome: .ready, launch: Nanoseconds(2_600_000 + Int64(block))),
      stateReached: .reached
    )
  }

  /// A launch whose every optional field has a value.
  static func fullLaunch(block: Int, arm: Int = 0) -> LaunchRecord {
    var launch = launch(block: block, arm: arm)
    launch.preparation = Preparation(
      duration: .milliseconds(3),
      warmUps: 2,
      residency: [
        FileResidency(path: "/src/server", isOwn: true, residentPages: 0, totalPages: 907),
        FileResidency(
          path: "/lib/libc.so.6",
          isOwn: false,
          residentPages: 480,
          totalPages: 481,
          pinnedBy: "mapped by pid 1 and 41 others"
        ),
      ],
      unverified: "mincore says nothing without root",
      failure: "one page came back",
      settling: Settling(waited: .seconds(30), obstacle: "cpu idle 12 % (limit 90 %)")
    )
    launch.result.spawn = Nanoseconds(31_000)
    launch.result.resolution = Nanoseconds(100_000)
    launch.result.figures = figures
    launch.result.flags = [
      .outputBlocked, .leftProcesses, .killed, .outputTruncated, .replaced,
    ]
    launch.result.output = CapturedOutput(
      stdout: CapturedStream(head: [0, 255, 10], tail: [1, 2], totalBytes: 200_000),
      stderr: CapturedStream(head: Array("é\n".utf8), totalBytes: 3)
    )
    launch.result.windowTimes = WindowTimes(
      window: Nanoseconds(1_500_000),
      frame: .milliseconds(2),
      settled: Nanoseconds(2_600_000)
    )
    launch.result.speedIndex = Nanoseconds(2_100_000)
    launch.result.disturbances = [
      Disturbance(kind: .steal, amount: 400_000, limit: 52_000),
      Disturbance(kind: .foreignCPU, amount: .max, limit: 0),
    ]
    launch.stateReached = .notReached(reason: "1 of 907 pages of /src/server was resident")
    launch.stages = stages
    return launch
  }

  static let film = Film(frames: [
    Film.Frame(time: Nanoseconds(1_500_000), progress: 0, png: [0x89, 0x50, 0x4E, 0x47]),
    Film.Frame(time: Nanoseconds(2_600_000), progress: 1, png: [0x89, 0x50, 0x4E, 0x47, 0x0D]),
  ])

  /// A collector whose every optional field has a value.
  static let collector = CollectorRow(
    arm: arms[0],
    collector: .breakpoints,
    version: 1,
    launches: 5,
    launch: 2_600_000,
    preMain: 900_000.5,
    sum: 2_590_000,
    worstLaunch: 0.01,
    plain: 2_500_000,
    cost: -10,
    stages: [
      StageMedian(
        path: "init",
        n: 5,
        median: 7.5,
        intervalLow: 6,
        intervalHigh: 8,
        share: 0.5
      ),
      StageMedian(path: "init > /lib/é.so", n: 1, median: 3),
    ]
  )

  /// The noise of the host that `run` was made on.
  static func noise(
    _ state: LaunchState = .warm,
    run: String = "20261121T043000Z-3fa2",
    fingerprint: String = "c0ffee",
    command: [String] = ["/bin/true", "é"],
    secondsLater: Double = 0
  ) -> HostNoise {
    HostNoise(
      run: run,
      measuredAt: start.addingTimeInterval(secondsLater),
      fingerprint: fingerprint,
      command: command,
      state: state,
      pairs: 40,
      median: 2_600_000.5,
      coefficientOfVariation: 0.07,
      detectable: [
        DetectableEffect(pairs: 10, effect: 0.08), DetectableEffect(pairs: 40, effect: 0.04),
      ],
      comparisons: 20,
      falseAlarms: 1
    )
  }

  /// Stages whose every optional field has a value.
  static let stages = LaunchStages(
    collector: .probe,
    launch: Stage(
      name: StageName.launch,
      start: .zero,
      duration: Nanoseconds(2_600_000),
      source: .probe,
      children: [
        Stage(
          name: StageName.initializers,
          start: Nanoseconds(600_000),
          duration: Nanoseconds(2_000_000),
          resolution: Nanoseconds(10),
          source: .probe,
          flags: [.merged],
          place: CodePlace(file: "/lib/é.so", offset: .max, symbol: "start()")
        ),
        Stage(name: StageName.spawn, kind: .excluded, duration: nil, source: .probe),
      ]
    ),
    preMain: Nanoseconds(2_600_000),
    pid: 7,
    program: "/src/server",
    others: [ProgramStages(pid: 8, program: "/bin/sh", isWrapper: true, stages: [])],
    counters: ["libraries": 3],
    pageIns: PageIns(
      files: [PageIn(path: "/src/server", isOwn: true, pages: 9, faulted: 2, readAhead: 7)],
      majorFaults: 3,
      notes: ["1 fault was elsewhere"]
    ),
    notes: ["a note"]
  )
}

// MARK: - Parts

extension Sample {
  private static let target = Target(
    name: "server",
    command: ["/src/redis-server", "--port", "7379"],
    ready: .tcp(host: "127.0.0.1", port: 7379),
    environment: ["MALLOC_ARENA_MAX": "1"],
    directory: "/src",
    standardInput: "/dev/zero",
    files: ["/src/redis.conf"],
    install: ["/src/bin"],
    home: "/src/home",
    state: [StateDirectory(path: "/src/state", template: "/src/template")],
    counters: ["instructions"]
  )

  private static let host = HostFacts(
    cpuModel: "Test CPU",
    cpuCount: 2,
    memoryBytes: 1 << 34,
    architecture: "x86_64",
    kernel: "6.18.0",
    libc: "glibc 2.36",
    microcode: "0x1",
    governor: "performance",
    fileSystem: "ext4",
    device: "vda",
    readAheadKilobytes: 128,
    ioScheduler: "none",
    proactiveReclaim: "DAMON pageout",
    virtualization: "kvm",
    fingerprint: "c0ffee"
  )

  private static let controls = [
    ControlReceipt(
      name: "governor",
      wanted: "performance",
      before: "powersave",
      after: "performance",
      status: .applied
    ),
    ControlReceipt(name: "boost", status: .unavailable, reason: "no cpufreq"),
  ]

  private static let figures = Figures(
    peakRSS: 1,
    peakRSSTree: 2,
    minorFaults: 3,
    majorFaults: 4,
    voluntarySwitches: 5,
    involuntarySwitches: 6,
    userTime: Nanoseconds(7),
    systemTime: Nanoseconds(8),
    bytesRead: 9,
    includesWaitedChildren: true,
    counters: ["instructions": .max, "page-faults": 0],
    missing: ["cycles": "the machine has none", "branches": "no right"]
  )
}

// MARK: - Random launches

extension Sample {
  /// A launch with random content, drawn from a seed.
  static func randomLaunch(
    block: Int,
    arm: Int,
    using generator: inout SplitMix64
  ) -> LaunchRecord {
    var launch = launch(block: block, arm: arm)
    launch.startedAt = Nanoseconds(Int64(generator.next(below: .max)))
    launch.preparation = Preparation(
      duration: Nanoseconds(Int64(generator.next(below: .max))),
      warmUps: generator.next(below: 11),
      residency: (0..<generator.next(below: 4)).map { _ in file(&generator) },
      unverified: optional(&generator, text),
      failure: optional(&generator, text),
      settling: optional(&generator) { generator in
        Settling(waited: Nanoseconds(number(&generator)), obstacle: optional(&generator, text))
      }
    )
    launch.stateReached =
      [
        .reached, .notReached(reason: text(&generator)), .notVerified(reason: text(&generator)),
      ][generator.next(below: 3)]
    launch.result = result(&generator)
    return launch
  }

  private static func result(_ generator: inout SplitMix64) -> LaunchResult {
    let outcome: Outcome = [
      .ready, .exited(code: Int32(generator.next(below: 256))), .timedOut,
      .signalled(signal: Int32(generator.next(below: 65))),
      .notStarted(reason: text(&generator)),
    ][generator.next(below: 5)]
    return LaunchResult(
      outcome: outcome,
      launch: outcome == .ready ? Nanoseconds(Int64(generator.next(below: .max))) : nil,
      spawn: optional(&generator) { Nanoseconds(Int64($0.next(below: .max))) },
      resolution: Nanoseconds(Int64(generator.next(below: 1_000_000))),
      figures: figures(&generator),
      flags: LaunchFlag.allCases.filter { _ in generator.next(below: 2) == 0 },
      // A launch that became ready keeps its text only when it is the first of its arm.
      output: outcome == .ready ? CapturedOutput() : output(&generator),
      disturbances: (0..<generator.next(below: 3)).map { _ in
        Disturbance(
          kind: Disturbance.Kind.allCases[generator.next(below: 4)],
          amount: number(&generator),
          limit: number(&generator)
        )
      }
    )
  }

  private static func figures(_ generator: inout SplitMix64) -> Figures {
    Figures(
      peakRSS: optional(&generator, number),
      minorFaults: optional(&generator, number),
      majorFaults: optional(&generator, number),
      involuntarySwitches: optional(&generator, number),
      userTime: optional(&generator) { Nanoseconds(number(&$0)) },
      bytesRead: optional(&generator, number),
      includesWaitedChildren: generator.next(below: 2) == 0,
      counters: optional(&generator) { [text(&$0): number(&$0), "known event": number(&$0)] }
        ?? [:],
      missing: optional(&generator) { [text(&$0): text(&$0), "known figure": text(&$0)] } ?? [:]
    )
  }

  private static func output(_ generator: inout SplitMix64) -> CapturedOutput {
    let bytes = (0..<generator.next(below: 300)).map { _ in UInt8(generator.next(below: 256)) }
    return CapturedOutput(
      stdout: CapturedStream(head: bytes, tail: bytes.suffix(3), totalBytes: number(&generator))
    )
  }

  private static func file(_ generator: inout SplitMix64) -> FileResidency {
    let total = generator.next(below: 100_000)
    return FileResidency(
      path: "/" + text(&generator),
      isOwn: generator.next(below: 2) == 0,
      residentPages: generator.next(below: total + 1),
      totalPages: total,
      pinnedBy: optional(&generator, text)
    )
  }

  private static func number(_ generator: inout SplitMix64) -> Int64 {
    Int64(generator.next(below: .max))
  }

  /// Text of characters that a program can trip over, without the NUL that no path can hold.
  private static func text(_ generator: inout SplitMix64) -> String {
    let characters = [
      "a", "'", "\"", "\\", "\n", "\t", "%", "_", "é", "e\u{301}", "日本", "👩‍🚀", "\u{202E}",
      "\u{FFFD}", "\u{1}", "?", ";", "--", " ",
    ]
    let count = generator.next(below: 12)
    return (0...count).map { _ in characters[generator.next(below: characters.count)] }.joined()
  }

  private static func optional<Value>(
    _ generator: inout SplitMix64,
    _ value: (inout SplitMix64) -> Value
  ) -> Value? {
    generator.next(below: 2) == 0 ? nil : value(&generator)
  }
}
