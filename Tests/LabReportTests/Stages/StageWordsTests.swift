import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Rendering
@testable import Stages

@Suite struct StageWordsTests {
  /// What is said below the stages of launches that took some time more than plain ones, in µs.
  private func evidence(plain: [Double]) -> String {
    var accumulator = StageAccumulator()
    for (block, time) in plain.enumerated() {
      accumulator.add(SampleStages.tool, block: block)
      accumulator.add(plain: Nanoseconds(Int64(time * 1_000)), block: block)
    }
    return StagesText(accumulator.summaries()[0], style: TextStyle(width: .max)).rendered()
  }

  @Test func `says what a collector adds, with signs and units`() {
    let text = evidence(plain: [7_900, 7_910, 7_920, 7_930, 7_940, 7_950])
    #expect(
      text.contains(
        "+75.00 µs a launch with the probe, +0.9 % of a plain one "
          + "(6 blocks, 95 % interval +55.00 µs to +95.00 µs)"
      )
    )
  }

  @Test func `says when a cost is within noise`() {
    let text = evidence(plain: [9_000, 7_910, 9_020, 7_930, 8_440, 7_950])
    #expect(text.contains("95 % interval −1.010 ms to +80.00 µs; within noise)"))
    #expect(evidence(plain: [8_100]).contains("−100.0 µs a launch with the probe"))
    #expect(evidence(plain: [8_100]).contains("(1 block, too few for an interval)"))
  }

  @Test func `takes a cost below 0 for noise, since looking makes no launch faster`() {
    let text = evidence(plain: [8_100, 8_110, 8_120, 8_130, 8_140, 8_150])
    #expect(text.contains(" to −105.0 µs; within noise)"))
  }

  @Test func `shows tasks and marks of a run in brief`() {
    let lines = StagesText(SampleStages.summary([SampleStages.tool]), style: TextStyle())
      .brief(title: "tool")
    #expect(lines.contains("tasks and marks"))
    #expect(lines.contains { $0.contains("    load fonts") && $0.contains("390.0 µs") })
    #expect(!lines.contains { $0.contains("loading plugin.so") })
  }

  @Test func `shows tasks that run before main`() throws {
    var stages = SampleStages.tool
    let index = try #require(
      stages.launch.children.firstIndex { $0.name == StageName.initializers }
    )
    let phase = Stage(
      name: "pre_main",
      kind: .detail,
      start: .milliseconds(1),
      duration: Nanoseconds(7_000),
      source: .marks,
      children: [
        Stage(
          name: "fold_case",
          kind: .detail,
          start: .milliseconds(1),
          duration: Nanoseconds(6_000),
          source: .marks
        )
      ]
    )
    stages.launch.children[index].children[0].children.append(phase)
    let text = StagesText(SampleStages.summary([stages]), style: TextStyle()).rendered()
    #expect(text.contains("  pre_main"))
    #expect(text.contains("    fold_case"))
  }

  @Test func `says in brief that no launch was ready`() {
    let summary = SampleStages.summary([SampleStages.unready, SampleStages.unready])
    let lines = StagesText(summary, style: TextStyle()).brief(title: "tool warm")
    #expect(lines.first == "tool warm  2 launches, none of them ready, collected by the probe")
  }

  @Test func `says how the sum compares with launches`() {
    #expect(
      evidence(plain: [7_900, 7_900])
        .contains(
          "in every launch the stages sum to it within 0.0 %; the medians sum to 8.000 ms, as much "
            + "as the median launch of 8.000 ms, and 1.3 % more than a plain launch of 7.900 ms"
        )
    )
    let one = StagesText(
      SampleStages.summary([SampleStages.tool]),
      style: TextStyle(width: .max)
    )
    .rendered()
    #expect(one.contains("sum       the stages sum to the launch within 0.0 %\n"))
  }

  @Test func `does not take printed parts for what came later`() {
    let parts = [Stage(name: "os", duration: .milliseconds(3), source: .text)]
    let printed = Stage(name: "site", duration: .milliseconds(4), source: .text, children: parts)
    let stages = StageTree.stages(
      printed: [printed],
      by: .text,
      result: LaunchResult(outcome: .ready, launch: .milliseconds(9))
    )
    let text = StagesText(SampleStages.summary([stages]), style: TextStyle()).rendered()
    #expect(text.contains("printed"))
    #expect(!text.contains("loaded later"))
  }

  @Test func `says how many marks are not listed`() {
    var stages = SampleStages.tool
    let index = stages.launch.children.lastIndex { $0.name == StageName.mainToReady } ?? 0
    stages.launch.children[index].children = (0..<40).map {
      Stage(name: "mark \($0)", kind: .detail, start: .zero, duration: .zero, source: .marks)
    }
    let summary = SampleStages.summary([stages])
    #expect(
      StagesText(summary, style: TextStyle()).rendered().contains("  and 16 more (see --all)")
    )
    #expect(StagesMarkdown(summary, title: "tool").rendered().contains("And 16 more."))
    let all = StagesText(summary, style: TextStyle(), showsAll: true).rendered()
    #expect(all.contains("mark 39"))
    #expect(!all.contains(" more (see"))
  }
}
