import Testing

@testable import Bisection
@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite struct MeasureResolverTests {
  /// What a name means on a machine without counters of the processor.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let measure: BisectMeasure
    var counting: CountingMethod?

    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "launch", measure: .metric(.launch)),
    Case(name: "slow-share", measure: .metric(.launch)),
    Case(name: "peak-rss", measure: .metric(.peakRSS)),
    Case(name: "minor_faults", measure: .metric(.minorFaults)),
    Case(name: "minor-faults", measure: .counter(.minorFaults), counting: .software),
    Case(name: "task_clock", measure: .counter(.taskClock), counting: .software),
    Case(name: "instructions", measure: .counter(.instructions), counting: .valgrind),
    Case(name: "fixup", measure: .stage("fixup")),
    Case(name: "init.libraries", measure: .stage("init.libraries")),
    Case(name: "main-to-ready", measure: .stage("main_to_ready")),
    Case(name: "relocations", measure: .tally("relocations")),
    Case(name: "page-ins", measure: .tally("page_ins")),
  ])
  func `finds measures by their names`(test: Case) throws {
    let resolver = MeasureResolver(countsByProcessor: false, hasValgrind: true)

    let found = try resolver.measure(test.name, state: .rebootCold)

    #expect(found.measure == test.measure)
    #expect(found.counting == test.counting)
  }

  @Test func `counts by the processor where that is possible`() throws {
    let resolver = MeasureResolver(countsByProcessor: true, hasValgrind: true)

    for name in ["instructions", "branch-misses"] {
      #expect(try resolver.measure(name, state: .warm).counting == .hardware)
    }
  }

  @Test(arguments: MeasureResolver.names)
  func `knows every name that it lists`(name: String) throws {
    let resolver = MeasureResolver(countsByProcessor: true, hasValgrind: false)

    let measured = name == "slow_share" ? "launch" : name
    #expect(try resolver.measure(name, state: .firstRun).measure.name == measured)
  }

  @Test func `names the nearest measure for an unknown one`() throws {
    let resolver = MeasureResolver(countsByProcessor: true, hasValgrind: true)

    let error = try #require(throws: WorkflowError.self) {
      try resolver.measure("instruction", state: .warm)
    }

    let diagnostic = try #require(error.diagnostics.first)
    #expect(diagnostic.problem == "invalid value \"instruction\" for --metric")
    #expect(diagnostic.remedy?.hasPrefix("give instructions, or one of: launch, peak_rss") == true)
    #expect(error.exitCode == .usage)
  }

  @Test(arguments: [("cycles", LaunchState.warm), ("page_ins", .warm)])
  func `refuses what cannot be had here`(name: String, state: LaunchState) {
    let resolver = MeasureResolver(countsByProcessor: false, hasValgrind: true)

    #expect(throws: WorkflowError.self) { try resolver.measure(name, state: state) }
  }

  @Test func `says how to get valgrind`() throws {
    let resolver = MeasureResolver(countsByProcessor: false, hasValgrind: false)

    let error = try #require(throws: HostError.self) {
      try resolver.measure("instructions", state: .warm)
    }

    #expect(
      error.diagnostics.map { "\($0.problem)|\($0.remedy ?? "")" } == [
        "valgrind not found in PATH, needed to count instructions, which no counter of the processor does here|"
          + "install it with `apt-get install valgrind`"
      ]
    )
  }
}
