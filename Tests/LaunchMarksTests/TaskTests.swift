import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite(.temporaryDirectory, .enabled(if: Workbench.has("cc"), "needs a C compiler, cc"))
struct TaskTests {
  struct Build: Sendable, CustomTestStringConvertible {
    var compiler = "cc"
    var options: [String]

    var testDescription: String { ([compiler] + options).joined(separator: " ") }
    var isAvailable: Bool { Workbench.has(compiler) }
  }

  static let builds = [
    Build(options: ["-std=c11", "-O0"]),
    Build(options: ["-std=gnu11", "-O2", "-fvisibility=hidden"]),
    Build(options: ["-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]),
    Build(options: ["-O2", "-flto=1"]),
    Build(options: ["-O2", "-no-pie", "-fno-pic"]),
    Build(options: ["-O2", "-static"]),
    Build(compiler: "clang", options: ["-std=c11", "-O2", "-fdata-sections", "-Wl,--gc-sections"]),
    Build(compiler: "clang", options: ["-O2", "-flto", "-fuse-ld=lld", "-Wl,--gc-sections"]),
  ].filter(\.isAvailable)

  static let printed = [
    "settings", "main", "theme", "window", "icons", "menu", "caption", "statistics",
  ]

  @Test(arguments: builds)
  func `runs tasks once, in the order of their registration, each timed`(_ build: Build) throws {
    let program = try Workbench.compile("program.c", with: build.compiler, build.options)
    let file = try MarksFile(at: "\(TemporaryDirectory.path)/events")

    let run = try Workbench.run([program], events: file.path)

    #expect(run == Workbench.Run(stdout: Self.printed.joined(separator: "\n") + "\n"))
    let events = try file.events()
    #expect(
      events.outline == [
        "phase pre_main", "task pre_main/settings", "interval work", "phase first screen",
        "task first screen/theme", "task first screen/window", "phase nested",
        "task nested/icons", "task first screen/menu", "task first screen/caption",
        "mark first frame", "phase first screen", "phase deferred", "task deferred/statistics",
        "phase empty", "mark ready",
      ]
    )
    #expect(events.unfinished.isEmpty)
    #expect(events.map(\.time) == events.map(\.time).sorted())
    for event in events where event.kind == .task {
      let phase = events[Int(event.object) - 1]
      #expect(phase.time <= event.time)
      #expect(try #require(event.end) <= #require(phase.end))
      #expect(event.address != 0)
    }
  }

  @Test func `runs the tasks of libraries before those of what uses them`() throws {
    let directory = TemporaryDirectory.path
    let library = "\(directory)/liblibrary.so"
    try Workbench.compile(
      "library.c",
      ["-shared", "-fPIC", "-O2", "-fvisibility=hidden"],
      as: "liblibrary.so"
    )
    let options = ["-DWITH_LIBRARY", library, "-Wl,-rpath,\(directory)"]
    let program = try Workbench.compile("program.c", options)
    let file = try MarksFile(at: "\(directory)/events")

    let run = try Workbench.run([program], events: file.path)

    var expected = ["locale"] + Self.printed
    expected.insert(contentsOf: ["fonts", "colours"], at: 3)
    #expect(run.lines == expected)
    let outline = try file.events().outline
    #expect(outline.prefix(2) == ["phase pre_main", "task pre_main/locale"])
    #expect(
      outline[5...8] == [
        "phase first screen", "task first screen/fonts", "task first screen/colours",
        "task first screen/theme",
      ]
    )
    #expect(outline.suffix(2) == ["mark library", "mark ready"])
    #expect(try Workbench.run([program]).lines == expected)
  }

  @Test func `finds the tasks of a library that shows no symbols, and forgets them`() throws {
    let directory = TemporaryDirectory.path
    let script = "\(directory)/hidden.map"
    try "{ global: use_library; local: *; };".write(
      toFile: script,
      atomically: true,
      encoding: .utf8
    )
    try Workbench.compile(
      "library.c",
      ["-shared", "-fPIC", "-Wl,--version-script,\(script)"],
      as: "plugin.so"
    )
    let host = try Workbench.compile("host.c", ["-ldl"])
    let file = try MarksFile(at: "\(directory)/events")

    let run = try Workbench.run([host, "\(directory)/plugin.so"], events: file.path)

    #expect(run.lines == ["locale", "window", "fonts", "colours", "end"])
    #expect(
      try file.events().outline == [
        "phase pre_main", "task pre_main/locale", "phase first screen",
        "task first screen/window", "task first screen/fonts", "task first screen/colours",
        "phase first screen",
      ]
    )
  }

  @Test(
    .enabled(if: Workbench.has("c++"), "needs a C++ compiler, c++"),
    arguments: ["-O0", "-O2", "-flto=1"]
  )
  func `constructs objects before the tasks below them`(option: String) throws {
    let program = try Workbench.compile("program.cpp", with: "c++", ["-std=c++11", option])
    let file = try MarksFile(at: "\(TemporaryDirectory.path)/events")
    let run = try Workbench.run([program], events: file.path)
    #expect(run.lines == ["hello", "theme", "window", "menu"])
    #expect(
      try file.events().outline == [
        "phase pre_main", "task pre_main/greet", "phase first screen", "task first screen/theme",
        "task first screen/window", "task first screen/menu", "mark ready",
      ]
    )
  }

  @Test func `runs a task once, whatever thread runs its phase`() throws {
    let program = try Workbench.compile("threads.c", ["-O2", "-pthread"])
    let file = try MarksFile(at: "\(TemporaryDirectory.path)/events", capacity: 1_000)
    #expect(try Workbench.run([program], events: file.path).stdout == "1\n")
    // 2,000 marks, four phases and one task; what found no room is lost, and counted.
    #expect(try file.claimed() == 2_005)
    #expect(try file.events().count { $0.text.isEmpty } == 0)
    #expect(try file.events().count == 1_000)
  }
}
