import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

@Suite struct StagesSectionTests {
  private func scenario(_ stages: String, launches: Int = 10) throws(ScenarioError) -> Scenario {
    let text = """
      scenario: stages
      targets: {perl: {command: [perl, -e, "1"]}}
      states: [reinstall-cold, warm]
      launches: \(launches)
      stages: \(stages)
      """
    return try ScenarioFile.load(text: text, path: "/scenario.yml")
  }

  private func problems(_ stages: String) -> [String] {
    do throws(ScenarioError) {
      _ = try scenario(stages)
      return []
    } catch {
      return error.diagnostics.map(\.problem)
    }
  }

  @Test func `reads every key of the section`() throws {
    let scenario = try scenario(
      #"""
      {collect: [text, probe], launches: 3, probe_hidden: true, env: {GODEBUG: inittrace=1},
        patterns: ['(?<stage>\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)']}
      """#
    )
    #expect(
      scenario.stages
        == StagePlan(
          collectors: [.text, .probe],
          launches: 3,
          isProbeHidden: true,
          environment: ["GODEBUG": "inittrace=1"],
          patterns: [#"(?<stage>\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)"#]
        )
    )
  }

  @Test func `collects with the probe unless told otherwise`() throws {
    #expect(try scenario("{launches: 2}").stages == StagePlan(launches: 2))
  }

  @Test(arguments: [
    ("{collect: [probe, probe]}", "the collector \"probe\" is given twice"),
    (
      "{collect: [text], patterns: ['(']}",
      #"the pattern "(" cannot be used: there is no ")" for the "(" at character 1"#
    ),
    (
      #"{collect: [text], patterns: ['(?<stage>(?=a)\w)']}"#,
      #"the pattern "(?<stage>(?=a)\w)" cannot be used: lookaround, such as (?=…), cannot be "#
        + "matched in linear time, and is not supported, at character 10"
    ),
    (
      #"{collect: [text], patterns: ['(?<stage>(a{1,99}){1,99})']}"#,
      #"the pattern "(?<stage>(a{1,99}){1,99})" cannot be used: it has 19704 steps once its "#
        + "repetitions are written out, and 1000 is the most"
    ),
    (
      #"{collect: [text], patterns: ['(?<stage>a)(?<value>1)']}"#,
      #"the pattern "(?<stage>a)(?<value>1)" has no group named "unit""#
    ),
    (
      "{collect: [probe], env: {A: b}}",
      "\"env\" is for the collector text, which is not asked for"
    ),
  ])
  func `says what is wrong with the section`(stages: String, problem: String) {
    #expect(problems(stages) == [problem])
  }

  @Test func `gives each collector an arm per target and state`() throws {
    let plan = Planner.plan(try scenario("{collect: [probe, statistics], launches: 3}"), seed: 1)
    let collecting = plan.arms.filter { $0.kind.collector != nil }
    #expect(
      collecting == [
        Arm(target: "perl", state: .reinstallCold, kind: .probe),
        Arm(target: "perl", state: .reinstallCold, kind: .statistics),
        Arm(target: "perl", state: .warm, kind: .probe),
        Arm(target: "perl", state: .warm, kind: .statistics),
      ]
    )
  }

  @Test func `takes marks along with the probe, and alone where there is no other collector`()
    throws
  {
    let both = Planner.plan(try scenario("{collect: [probe, marks]}"), seed: 1)
    #expect(both.arms.compactMap(\.kind.collector) == [.probe, .probe])
    let alone = Planner.plan(try scenario("{collect: [marks]}"), seed: 1)
    #expect(alone.arms.compactMap(\.kind.collector) == [.marks, .marks])
  }

  @Test func `spreads the collector launches over the blocks, beside every plain launch`() throws {
    let plan = Planner.plan(try scenario("{launches: 3}", launches: 9), seed: 5)
    let orders = (0..<plan.blockCount).map(plan.order(ofBlock:))
    let withProbe = orders.indices.filter { block in
      orders[block].contains { plan.arms[$0].kind == .probe }
    }
    #expect(withProbe.count == 3)
    #expect(Set(withProbe.map { $0 / 3 }).count == 3)
    #expect(orders.allSatisfy { order in order.count { plan.arms[$0].kind == .plain } == 2 })
    #expect(plan.launchCount == 9 * 2 + 3 * 2)
  }

  @Test func `has no more collector launches than blocks`() throws {
    let plan = Planner.plan(try scenario("{launches: 30}", launches: 4), seed: 5)
    #expect(plan.launches(of: .probe) == 4)
  }
}
