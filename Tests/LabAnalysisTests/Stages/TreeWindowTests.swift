import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct TreeWindowTests {
  private func stages(_ window: SeenWindow, ready: Int64) -> LaunchStages? {
    var result = LaunchResult(outcome: .ready)
    result.observation = TreeEvents.usual.observation(ready: ready)
    result.windows = [SeenWindow(width: 1, height: 1), window]
    return StageTree.stages(of: result)
  }

  private func window(
    created: Int64,
    mapped: Int64,
    content: Int64?,
    changed: Int64? = nil
  ) -> SeenWindow {
    SeenWindow(
      width: 400,
      height: 300,
      isChosen: true,
      created: TreeEvents.us(created),
      mapped: TreeEvents.us(mapped),
      content: content.map { TreeEvents.us($0) },
      changed: changed.map { TreeEvents.us($0) }
    )
  }

  @Test func `the window divides what follows main`() throws {
    let window = window(created: 1_400, mapped: 1_600, content: 2_400, changed: 3_000)
    let stages = try #require(self.stages(window, ready: 3_000))
    let main = try #require(stages.part("main_to_ready"))
    #expect(
      main.children.map(\.name) == [
        "window_creation", "window_mapping", "first_frame", "settling",
      ]
    )
    #expect(main.children.map(\.microseconds) == [400, 200, 800, 600])
    #expect(main.children.allSatisfy { $0.kind == .detail })
  }

  @Test func `what came after the launch is no part of it`() throws {
    let window = window(created: 1_400, mapped: 1_600, content: 2_400, changed: 2_700)
    let stages = try #require(self.stages(window, ready: 1_600))
    #expect(stages.part("main_to_ready")?.children.map(\.microseconds) == [400, 200])
  }
}
