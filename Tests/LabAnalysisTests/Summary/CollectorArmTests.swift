import Testing

@testable import LaunchCore
@testable import Measuring
@testable import Stages

@Suite struct CollectorArmTests {
  private static let arms = [
    Arm(target: "perl", state: .warm), Arm(target: "perl", state: .warm, kind: .probe),
  ]

  private func stages(pages: Int? = nil) -> LaunchStages {
    var stages = StageTree.stages(of: TreeEvents.usual.observation(ready: 3_000))
    stages.pageIns = pages.map {
      PageIns(files: [PageIn(path: "/bin/tool", isOwn: true, pages: $0)])
    }
    return stages
  }

  @Test func `stages of launches that missed their state count only where none reached it`() throws
  {
    var builder = RunBuilder(arms: Self.arms)
    builder.add([3_000], arm: 1, state: .notReached(reason: "cold"), stages: stages())
    let alone = try #require(builder.summary.arms[1].stages.first)
    #expect(alone.launches == 1)
    #expect(alone.launch.median == 3_000_000)
    #expect(alone.notes.first?.text.hasPrefix("no launch reached its state") == true)
    #expect(builder.summary.arms[0].stages == [alone])
    builder.add([3_000, 3_000], arm: 1, stages: stages())
    let both = try #require(builder.summary.arms[1].stages.first)
    #expect(both.launches == 2)
    #expect(both.notes.isEmpty)
  }

  @Test func `pages of launches that did not become ready are not mixed with the others`() throws {
    var builder = RunBuilder(arms: Self.arms)
    builder.add([1], arm: 1, outcome: .exited(code: 1), stages: stages(pages: 900))
    #expect(builder.summary.arms[1].pageIns == nil)
    builder.add([3_000], arm: 1, stages: stages(pages: 10))
    let found = try #require(builder.summary.arms[1].pageIns)
    #expect(found.launches == 1)
    #expect(found.pages == 10)
  }

  @Test func `what was folded before is not counted as one`() throws {
    var accumulator = StageAccumulator()
    for block in 0..<2 {
      accumulator.add(stages().folded(minimumShare: 0.05), block: block)
    }
    let load = try #require(
      accumulator.summaries().first?.folded(minimumShare: 0.9).launch.child("load")
    )
    #expect(load.children.map(\.name) == ["shorter ones"])
    #expect(load.children.map(\.foldedCount) == [nil])
    var whole = StageAccumulator()
    whole.add(stages(), block: 0)
    let folded = whole.summaries().first?.folded(minimumShare: 0.9).launch.child("load")
    #expect(folded?.children.map(\.foldedCount) == [3])
  }
}
