import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Rendering

@Suite struct PlanTextTests {
  private static let everything = Target(
    name: "app",
    command: ["/srv/app/bin/app", "--serve"],
    ready: .notify,
    directory: "/srv/app",
    files: ["/srv/app/data.bin"],
    install: ["/srv/app/bin"],
    state: [
      StateDirectory(path: "/srv/app/cache"),
      StateDirectory(path: "/srv/app/var", template: "/srv/app/var.template"),
    ],
    counters: ["page-faults"]
  )

  private static let full = Plan(
    scenario: Scenario(
      name: "app",
      source: Source(repository: "/srv/app", build: "make -j2"),
      targets: [everything],
      states: LaunchState.allCases,
      launches: 40,
      includesEmptyBaseline: true,
      directory: "/srv/app"
    ),
    seed: 4711,
    arms: LaunchState.allCases.map { Arm(target: "app", state: $0) }
      + LaunchState.allCases.map { Arm(target: Arm.emptyTarget, state: $0) }
      + [Arm(target: "app", state: .warm, kind: .counters)],
    blockCount: 40
  )

  private static let controlled = Plan(
    scenario: Scenario(
      name: "app",
      targets: [everything],
      states: [.warm],
      launches: 1,
      directory: "/srv/app",
      controls: ControlPlan(
        cpus: [1, 4, 5, 6],
        randomizesAddresses: false,
        priority: LaunchPriority(policy: .fifo, level: 10),
        governor: "performance",
        boost: false,
        hugePages: .never,
        swap: .off,
        nmiWatchdog: false,
        network: .none,
        environment: .pinned,
        services: ["timers", "cron.service"],
        settle: SettleLimits(cpuIdle: 0.9, ioPressure: 0.07, load: 1.5, temperature: 70),
        steal: DisturbanceLimits(),
        proactiveReclaim: false,
        required: [.cpus, .steal],
        suppressed: ["vm"]
      )
    ),
    seed: 1,
    arms: [Arm(target: "app", state: .warm)],
    blockCount: 1
  )

  private static let adaptive: Plan = {
    var plan = full
    plan.scenario.launches = 20
    plan.scenario.adaptive = AdaptiveLaunches(most: 200, precision: 0.01)
    plan.blockCount = 200
    return plan
  }()

  struct Case: CustomTestStringConvertible {
    var name: String
    var plan: Plan
    var estimate: Nanoseconds?
    var style: TextStyle
    var testDescription: String { name }
  }

  @Test(arguments: [
    Case(name: "full", plan: full, estimate: .seconds(400), style: TextStyle(width: 120)),
    Case(
      name: "full-colour",
      plan: full,
      estimate: .seconds(400),
      style: TextStyle(usesColor: true, width: 80)
    ),
    Case(name: "adaptive", plan: adaptive, estimate: .seconds(900), style: TextStyle(width: 100)),
    Case(name: "controls", plan: controlled, estimate: nil, style: TextStyle(width: 80)),
    Case(name: "single", plan: SampleRun.single.run.plan, estimate: nil, style: TextStyle()),
  ])
  func `tells what a run would do`(_ example: Case) throws {
    let text = PlanText(example.plan, estimate: example.estimate, style: example.style).rendered()
    try expectSnapshot(text, named: example.name, suite: "PlanText")
  }

  @Test func `says that targets run before everything else`() {
    var plan = Self.controlled
    plan.scenario.controls = ControlPlan(padsEnvironment: false, scheduling: .fifo)
    let text = PlanText(plan, estimate: nil, style: TextStyle(width: 100)).rendered()
    #expect(text.contains("  scheduling: targets run before every other program (SCHED_FIFO)\n"))
  }

  @Test func `says nothing of controls that leave the machine alone`() {
    var plan = Self.controlled
    plan.scenario.controls = ControlPlan(padsEnvironment: false)
    let text = PlanText(plan, estimate: nil, style: TextStyle()).rendered()
    #expect(!text.contains("controlled"))
  }

  @Test func `names the processors in short`() {
    var plan = Self.controlled
    plan.scenario.controls = ControlPlan(cpus: [3], isShielded: false, swap: .swappiness(10))
    let text = PlanText(plan, estimate: nil, style: TextStyle()).rendered()
    #expect(
      text.contains(
        """
        controls during the run, restored afterwards:
          cpus: targets run on processor 3 only
          env_size: the environment is padded at random before each launch
          swap: vm.swappiness 10

        """
      )
    )
  }

  @Test func `names what is written`() {
    let text = PlanText(Self.full, estimate: nil, style: TextStyle(width: 1_000)).rendered()
    let effects = ["/srv/app/bin", "/srv/app/cache", "/srv/app/var.template", "drop_caches"]
    #expect(effects.allSatisfy(text.contains))
  }
}
