import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct LaunchValueTests {
  /// What launches are for, by what is measured.
  struct Case: Sendable, CustomTestStringConvertible {
    let measure: BisectMeasure
    var counting: CountingMethod?
    var collectors: [StageCollector]?
    let kind: Arm.Kind

    var testDescription: String { "\(measure.name) by \(kind.rawValue)" }
  }

  @Test(arguments: [
    Case(measure: .metric(.peakRSS), kind: .plain),
    Case(measure: .counter(.pageFaults), counting: .software, kind: .counters),
    Case(measure: .counter(.instructions), counting: .hardware, kind: .counters),
    Case(measure: .counter(.instructions), counting: .valgrind, kind: .plain),
    Case(measure: .stage("fixup"), kind: .probe),
    Case(measure: .stage("fixup"), collectors: [.breakpoints], kind: .breakpoints),
    Case(measure: .stage("fixup"), collectors: [.text], kind: .probe),
    Case(measure: .tally("libraries"), kind: .probe),
    Case(measure: .tally("relocations"), kind: .statistics),
  ])
  func `launches with what the measure needs`(test: Case) {
    let stages = test.collectors.map { StagePlan(collectors: $0) }
    let start = BisectStart.sample(test.measure, counting: test.counting, stages: stages)

    let plan = start.plan(of: [(3, .build(3))], rows: 4, seed: 1)

    #expect(plan.arms == [Arm(target: "3", state: .warm, kind: test.kind)])
    let counted = test.kind == .counters ? [test.measure.name] : []
    #expect(plan.scenario.targets.map(\.counters) == [counted])
  }

  @Test(arguments: [CountingMethod.hardware, .valgrind])
  func `keeps the environment and addresses the same where instructions are counted`(
    counting: CountingMethod
  ) {
    let controls = ControlPlan(cpus: [1], settle: SettleLimits(), steal: DisturbanceLimits())
    let start = BisectStart.sample(
      .counter(.instructions),
      counting: counting,
      controls: controls
    )

    let found = start.plan(of: [(3, .build(3))], rows: 4, seed: 1).scenario.controls

    var expected = controls
    expected.padsEnvironment = false
    expected.randomizesAddresses = false
    if counting == .valgrind {
      expected.settle = nil
      expected.steal = nil
    }
    #expect(found == expected)
  }

  /// Cycles scatter like time, whatever counts them.
  @Test(arguments: [
    (CounterEvent.instructions, CountingMethod.hardware, true), (.instructions, .valgrind, true),
    (.cycles, .hardware, false), (.pageFaults, .software, false),
  ])
  func `fixes the seeds of tables where instructions are counted, but for those of the scenario`(
    event: CounterEvent,
    counting: CountingMethod,
    isFixed: Bool
  ) {
    let start = BisectStart.sample(.counter(event), counting: counting)
    var build = Target.build(3)
    build.environment = ["PYTHONHASHSEED": "7"]

    let found = start.plan(of: [(3, build)], rows: 4, seed: 1).scenario.targets[0].environment

    #expect(found["PYTHONHASHSEED"] == "7")
    #expect(found["PERL_HASH_SEED"] == (isFixed ? "0" : nil))
  }

  @Test func `reads counters`() {
    let value = value(.counter(.pageFaults), .counters)
    var result = LaunchResult.ready
    result.figures.counters = ["page-faults": 71]
    #expect(value.reading(of: result) == .value(71))

    result.figures.counters = [:]
    result.figures.missing = ["page-faults": "this kernel has no perf events"]
    let reason = "page-faults is not available: this kernel has no perf events"
    #expect(value.reading(of: result) == .failed(reason: reason))
  }

  @Test(arguments: [("load", 10.0), ("fixup", 30), ("init", 30), ("pre_main", 70)])
  func `reads stages`(name: String, nanoseconds: Double) {
    #expect(value(.stage(name), .probe).reading(of: .probed()) == .value(nanoseconds))
  }

  @Test func `takes no stage whose end was not seen`() {
    let reading = value(.stage("fixup"), .probe).reading(of: .probed(isConsistentSeen: false))

    guard case .failed(let reason) = reading else {
      Issue.record("it was taken as \(reading)")
      return
    }
    #expect(reason.hasPrefix("fixup is not available"))
  }

  @Test(arguments: [("libraries", 1.0), ("libraries_loaded_later", 0), ("programs", 1)])
  func `reads what collectors count`(name: String, count: Double) {
    #expect(value(.tally(name), .probe).reading(of: .probed()) == .value(count))
  }

  @Test func `sums pages that came in, and relocations of every program`() {
    var result = LaunchResult.probed()
    result.pageIns = PageIns(files: [
      PageIn(path: "/a", isOwn: true, pages: 5), PageIn(path: "/b", isOwn: false, pages: 2),
    ])
    #expect(value(.tally("page_ins"), .probe).reading(of: result) == .value(7))

    result.observation?.loaderText = Array(Self.loaderText.utf8)
    #expect(value(.tally("relocations"), .statistics).reading(of: result) == .value(4545))
  }

  private func value(_ measure: BisectMeasure, _ kind: Arm.Kind) -> LaunchValue {
    LaunchValue(measure, arm: Arm(target: "3", state: .warm, kind: kind), stages: nil)
  }

  /// Of glibc 2.36.
  private static let loaderText = """
         7:\t
         7:\truntime linker statistics:
         7:\t  total startup time in dynamic loader: 1559214 cycles
         7:\t            time needed for relocation: 1367332 cycles (87.6%)
         7:\t                 number of relocations: 101
         7:\t      number of relocations from cache: 7
         7:\t        number of relative relocations: 4437
         7:\t           time needed to load objects: 64118 cycles (4.1%)
         7:\t
         7:\truntime linker statistics:
         7:\t           final number of relocations: 142
         7:\tfinal number of relocations from cache: 7

    """
}

extension LaunchResult {
  /// A launch of 100 ns as the probe saw it: a program with one library.
  fileprivate static func probed(isConsistentSeen: Bool = true) -> Self {
    let begin = Nanoseconds(1_000)
    func event(_ kind: LaunchEvent.Kind, _ time: Int64, object: UInt32 = 0) -> LaunchEvent {
      LaunchEvent(
        kind: kind,
        pid: 7,
        time: begin + Nanoseconds(time),
        object: object,
        text: kind == .programBegan ? "/bin/app" : "/lib/\(object).so"
      )
    }
    var result = LaunchResult(outcome: .ready, launch: Nanoseconds(100))
    var events = [
      event(.programBegan, 0), event(.objectOpened, 5), event(.objectOpened, 10, object: 1),
      event(.consistent, 40), event(.mainBegins, 70),
    ]
    if !isConsistentSeen { events.removeAll { $0.kind == .consistent } }
    result.observation = StageObservation(
      collector: .probe,
      begin: begin,
      ready: begin + Nanoseconds(100),
      process: 7,
      events: events
    )
    return result
  }
}
