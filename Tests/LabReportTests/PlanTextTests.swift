import LabAnalysis
import LabModel
import LabReport
import LabTestSupport
import Testing

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
    Case(name: "single", plan: SampleRun.single.run.plan, estimate: nil, style: TextStyle()),
  ])
  func `tells what a run would do`(_ example: Case) throws {
    let text = PlanText(example.plan, estimate: example.estimate, style: example.style).rendered()
    try expectSnapshot(text, named: example.name, suite: "PlanText")
  }

  @Test func `names what is written`() {
    let text = PlanText(Self.full, estimate: nil, style: TextStyle(width: 1_000)).rendered()
    let effects = ["/srv/app/bin", "/srv/app/cache", "/srv/app/var.template", "drop_caches"]
    #expect(effects.allSatisfy(text.contains))
  }
}
