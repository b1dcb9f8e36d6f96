import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct StageDifferenceTests {
  /// Launches of a build in its own directory; times are in microseconds.
  private func launches(
    of build: String,
    initializer: Int64?,
    main: Int64 = 500,
    scatter: Int64 = 0,
    count: Int = 5,
    collector: StageCollector = .probe
  ) -> [LaunchStages] {
    let jitter: [Int64] = [0, 1, -1, 2, -2, 1, 0]
    return (0..<count).map { number in
      let noise = scatter * jitter[number % jitter.count]
      func stage(
        _ name: String,
        _ time: Int64,
        _ place: CodePlace? = nil,
        _ children: [Stage] = []
      ) -> Stage {
        Stage(
          name: place?.name ?? name,
          duration: Nanoseconds(time * 1_000),
          source: collector,
          place: place,
          children: children
        )
      }
      let base = "/builds/\(build)"
      let libraries = ["app", "libold.so"] + (initializer == nil ? [] : ["libnew.so"])
      let load = libraries.map { stage("", 10, CodePlace(file: "\(base)/\($0)")) }
      let new = initializer.map { time in
        let place = CodePlace(file: "\(base)/libnew.so", offset: 64, symbol: "prepare()")
        let unnamed = stage("", 1, CodePlace(file: "\(base)/libnew.so", offset: 99))
        return stage(
          "",
          time,
          CodePlace(file: "\(base)/libnew.so"),
          [stage("", time, place), unnamed]
        )
      }
      let initial = 100 + (initializer ?? 0)
      let others = stage("", 100, CodePlace(file: "\(base)/libold.so"))
      let parts = [
        stage("load", Int64(10 * load.count), nil, load),
        stage("init", initial, nil, [others] + [new].compactMap(\.self)),
        stage("main_to_ready", main + noise),
      ]
      let whole = parts.reduce(Nanoseconds.zero) { $0 + ($1.duration ?? .zero) }
      return LaunchStages(
        collector: collector,
        launch: Stage(name: "launch", duration: whole, source: collector, children: parts),
        program: "\(base)/app",
        counters: ["libraries": Int64(load.count - 1), "late_events": Int64(number)],
        pageIns: PageIns(files: [PageIn(path: "/x", isOwn: true, pages: 40)], majorFaults: 3)
      )
    }
  }

  @Test func `lists the stages of one build with their shares, small ones left out`() {
    let parts = StageDifference.parts(of: launches(of: "a", initializer: 1_880, main: 3_000))
    #expect(parts.map(\.path) == ["init", "main_to_ready"])
    #expect(parts.map(\.after) == [1_980_000, 3_000_000])
    #expect(parts.map(\.share) == [1_980.0 / 5_010, 3_000.0 / 5_010])
    #expect(parts.allSatisfy { $0.before == nil && $0.kind == .stage })
    #expect(StageDifference.parts(of: []).isEmpty)
  }

  @Test func `gives a time the 95 % interval of its difference`() throws {
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: 100, scatter: 0),
      to: launches(of: "b", initializer: 900, scatter: 0)
    )
    #expect(differences.first?.interval == 800_000...800_000)
    // Five launches each, with 500, 501, 499, 502 and 498 µs: the median absolute deviation is
    // 1 µs, and so the half-width 2.306 · 1.2533 · 1.4826 µs · √(2/5).
    let scattered = StageDifference.differences(
      from: launches(of: "a", initializer: nil, scatter: 1),
      to: launches(of: "b", initializer: nil, main: 800, scatter: 1)
    )
    let interval = try #require(scattered.first { $0.path == "main_to_ready" }?.interval)
    #expect(abs(interval.lowerBound - (300_000 - 2_710)) < 20)
    #expect(abs(interval.upperBound - (300_000 + 2_710)) < 20)
  }

  @Test func `puts the largest share first, and what is within a stage after it`() {
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: nil, scatter: 5),
      to: launches(of: "b", initializer: 900, scatter: 5)
    )
    #expect(
      differences.map(\.path) == [
        "init", "init > libnew.so", "init > libnew.so > prepare()", "load > libnew.so", "libraries",
      ]
        || differences.map(\.path) == [
          "init", "init > libnew.so", "init > libnew.so > prepare()", "load", "load > libnew.so",
          "libraries",
        ]
    )
    #expect(differences.first?.difference == 900_000)
    #expect(differences.first?.interval?.contains(900_000) == true)
    #expect(differences.first?.share.map { abs($0 - 900.0 / 910) < 1e-9 } == true)
    #expect(
      differences.last == StageDifference(kind: .tally, path: "libraries", before: 1, after: 2)
    )
  }

  @Test func `says which library came, though it takes little time`() {
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: nil),
      to: launches(of: "b", initializer: 900)
    )
    let library = differences.first { $0.kind == .library }
    #expect(library?.path == "load > libnew.so")
    #expect(library?.before == nil)
    #expect(library?.after == 10_000)
  }

  @Test func `says which library went`() {
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: 900),
      to: launches(of: "b", initializer: nil)
    )
    #expect(differences.first { $0.kind == .library }?.after == .none)
    #expect(differences.first?.difference == -900_000)
  }

  @Test func `finds nothing between builds in other directories`() {
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: 900, scatter: 20),
      to: launches(of: "b", initializer: 900, scatter: 20, count: 7)
    )
    #expect(differences.isEmpty)
  }

  @Test func `leaves out what is within its noise`() {
    let calm = StageDifference.differences(
      from: launches(of: "a", initializer: 900),
      to: launches(of: "b", initializer: 990)
    )
    #expect(calm.contains { $0.path == "init" })
    let noisy = launches(of: "b", initializer: 900, scatter: 80).map { launch in
      var launch = launch
      launch.launch.children[2].duration = launch.launch.children[2].duration.map {
        $0 + Nanoseconds(60_000)
      }
      return launch
    }
    let differences = StageDifference.differences(
      from: launches(of: "a", initializer: 900, scatter: 80),
      to: noisy
    )
    #expect(differences.isEmpty)
  }

  @Test func `compares neither few launches nor different collectors`() {
    let after = launches(of: "b", initializer: 900)
    let few = launches(of: "a", initializer: nil, count: 2)
    #expect(StageDifference.differences(from: few, to: after).isEmpty)
    let other = launches(of: "a", initializer: nil, collector: .breakpoints)
    #expect(StageDifference.differences(from: other, to: after).isEmpty)
  }
}
