import Foundation
import Glibc
import LabTestSupport
import LaunchMarks
import Testing

private typealias LaunchTask = (UInt, UInt, @convention(c) (UInt) -> Void, UInt)

@section("launch_tasks") @used private let theme: LaunchTask = (
  0, 0, { unsafe launch_task_describe($0, "first screen", "theme") { SwiftTests.ran("theme") } }, 0
)

@section("launch_tasks") @used private let statistics: LaunchTask = (
  0, 0, { unsafe launch_task_describe($0, "deferred", "statistics") { SwiftTests.ran("late") } }, 0
)

@section("launch_tasks") @used private let menu: LaunchTask = (
  0, 0, { unsafe launch_task_describe($0, "first screen", "menu") { SwiftTests.ran("menu") } }, 0
)

/// The marks of this very process: they look for the variable once, so there is only one test.
@Suite(.temporaryDirectory) struct SwiftTests {
  static func ran(_ name: String) { unsafe launch_mark(name) }

  @Test func `marks and runs tasks from Swift`() throws {
    let file = try MarksFile(at: "\(TemporaryDirectory.path)/events")
    unsafe setenv("LAUNCHLAB_EVENTS", file.path, 1)
    let work = unsafe launch_interval_begin("work")
    unsafe unsetenv("LAUNCHLAB_EVENTS")
    unsafe launch_run_phase("first screen")
    launch_interval_end(work)
    launch_ready()
    unsafe launch_run_phase("deferred")

    let events = try file.events()
    #expect(
      events.outline == [
        "interval work", "phase first screen", "task first screen/theme", "mark theme",
        "task first screen/menu", "mark menu", "mark ready", "phase deferred",
        "task deferred/statistics", "mark late",
      ]
    )
    #expect(events.unfinished.isEmpty)
  }
}
