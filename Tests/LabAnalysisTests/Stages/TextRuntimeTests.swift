import Testing

@testable import LaunchCore
@testable import Stages

/// The grammars of runtimes and tools, and patterns.
@Suite struct TextRuntimeTests {
  private typealias Example = TextExample

  @Test(arguments: [
    ("0", 0, 1_000), ("0.079", 79_000, 1_000), ("2.5", 2_500_000, 100_000),
    ("50", 50_000_000, 1_000_000),
  ])
  func `Go prints two digits, whose resolution varies`(
    _ printed: String,
    _ nanoseconds: Int64,
    _ resolution: Int64
  ) {
    let text = "init os/signal @1.2 ms, \(printed) ms clock, 16 bytes, 2 allocs\n"
    let value = Example.strictly(text).blocks[0].stages[0]
    #expect(value.name == "os/signal")
    #expect(value.amount?.nanoseconds == nanoseconds && value.amount?.resolution == resolution)
    #expect(value.instant?.nanoseconds == 1_200_000)
    #expect(value.counters == ["bytes": 16, "allocs": 2])
  }

  @Test func `Go packages of a second program are another block`() {
    let one = "init a @1.2 ms, 1.0 ms clock, 16 bytes, 2 allocs\n"
    let two = "init b @0.2 ms, 2.0 ms clock, 16 bytes, 2 allocs\n"
    let result = Example.strictly("make: " + one + one + "noise\n" + two)
    #expect(result.blocks.map(\.stages.count) == [2, 1])
    let stages = result.blocks[0].launchStages
    #expect(stages.map(\.name) == ["init"])
    #expect(stages[0].duration == .milliseconds(2))
    #expect(stages[0].children.count == 2)
  }

  @Test(arguments: [
    "init a @1.2 ms, 1.0 ms clock, 16 bytes", "init a @ ms, 1.0 ms clock, 1 bytes, 2 allocs",
    "init a @1.2 s, 1.0 ms clock, 16 bytes, 2 allocs",
    "init  @1.2 ms, 1.0 ms clock, 1 bytes, 2 allocs",
  ])
  func `other lines that begin with init are not Go's`(_ line: String) {
    #expect(Example.parse(line + "\n").blocks.isEmpty)
  }

  @Test func `Python modules become a tree with children before parents`() {
    let text = """
      import time: self [us] | cumulative | imported package
      import time:         1 |          1 |     c
      import time:         2 |          3 |   b
      import time:         4 |          4 |   d
      import time:         5 |         12 | a
      import time:    cached |     cached |   e
      import time:         6 |          6 | f g

      """
    let block = Example.strictly(text).blocks[0]
    #expect(block.stages.map(\.name) == ["c", "b", "d", "a", "e", "f g"])
    #expect(block.stages.map(\.depth) == [2, 1, 1, 0, 1, 0])
    #expect(block.stages[3].own?.nanoseconds == 5_000)
    #expect(block.stages[4].amount == nil && block.stages[4].flags == ["cached"])
    let tree = block.launchStages
    #expect(tree.map(\.name) == ["a", "f g"])
    #expect(tree[0].children.map(\.name) == ["b", "d"])
    #expect(tree[0].children[0].children.map(\.name) == ["c"])
    #expect(tree[1].children[0].flags == [.unavailable])
  }

  @Test func `a second header of Python is another program`() {
    let text =
      "import time: self [us] | cumulative | imported package\n"
      + "import time:         1 |          1 | a\n"
    #expect(Example.strictly(text + text).blocks.map(\.stages.count) == [1, 1])
  }

  @Test func `Node marks are instants, and the time between two of them is a stage`() {
    let text =
      #"{"name":"node","startTime":0,"bootstrapComplete":54.1768559999764,"#
      + #""detail":{"x":[1,"}"]},"nodeStart":2.237968999892473,"v8Start":4.5,"loopExit":-1,"#
      + #""idleTime":1e-3,"duration":60}"#
    let block = Example.strictly("log " + text + "\n").blocks[0]
    let stages = block.stages
    #expect(
      stages.map(\.name) == ["nodeStart", "v8Start", "bootstrapComplete", "loopExit", "idleTime"]
    )
    let times = stages.map { $0.amount?.nanoseconds }
    #expect(times == [2_237_969, 2_262_031, 49_676_856, nil, 1_000])
    #expect(stages[2].instant?.nanoseconds == 54_176_856)
    #expect(stages[3].flags == ["not_reached"])
    #expect(block.total?.amount?.nanoseconds == 60_000_000)
    let runtime = block.launchStages[0]
    #expect(runtime.duration == Nanoseconds(51_938_887))
    #expect(runtime.children.map(\.name) == ["v8Start", "bootstrapComplete"])
  }

  @Test func `a cut JSON of Node is truncated`() {
    let result = Example.parse(#"{"name":"node","nodeStart":2.2,"v8Start":41.6"#)
    #expect(result.blocks[0].stages.map(\.name) == ["nodeStart"])
    #expect(result.blocks[0].flags == ["truncated"])
  }

  @Test(arguments: [
    "[0.012s][info][startuptime] ", "[12ms] ", "[2026-11-21T10:00:00.000+0000][0.012s][7] ",
  ])
  func `the decorations of the JVM may vary`(_ decorations: String) {
    let block = Example.strictly(decorations + "Create VM, 0.0191462 secs\n").blocks[0]
    #expect(block.stages[0].name == "Create VM")
    #expect(block.stages[0].amount?.nanoseconds == 19_146_200)
    #expect(block.stages[0].instant?.nanoseconds == 12_000_000)
    #expect(block.launchStages.map(\.name) == ["runtime_setup"])
  }

  @Test(arguments: ["", "[pid 42] ", "42 "])
  func `strace lines have a process, a time and a duration`(_ prefix: String) {
    let text =
      "\(prefix)     0.000123 execve(\"/bin/a\", [\"a)\"], 0x7f) = 0 <0.000456>\n"
      + "\(prefix)     0.000001 read(3,  <unfinished ...>\n\(prefix)     0.1 +++ exited with 0 +++\n"
    let block = Example.strictly(text).blocks[0]
    #expect(block.stages.map(\.name) == ["execve", "read"])
    #expect(block.stages[0].amount?.nanoseconds == 456_000)
    #expect(block.stages[0].instant?.printed == "0.000123")
    #expect(block.stages[0].pid == (prefix.isEmpty ? nil : 42))
    #expect(block.stages[1].flags == ["unfinished"])
    #expect(block.lines == 1...3)
  }

  @Test func `a call that waits is not over when another process prints`() {
    let text = """
      10 1795219254.000001 execve("/bin/a", [], 0x7f) = 0
      10 1795219254.000011 wait4(-1,  <unfinished ...>
      11 1795219254.000021 exit_group(0) = ?
      11 1795219254.000022 +++ exited with 0 +++
      10 1795219254.000041 <... wait4 resumed>NULL, 0, NULL) = 11 <0.000029>
      10 1795219254.000051 exit_group(0) = ?

      """
    let stages = Example.strictly(text).blocks[0].stages
    #expect(stages.map { $0.amount?.nanoseconds } == [10_000, 29_000, 1_000, nil])
    #expect(stages.map(\.flags) == [["until_next"], [], ["until_next"], []])
  }

  @Test func `each start of Vim is a block`() {
    let text =
      "times in msec\n clock   elapsed:              other lines\n\n"
      + "000.002  000.002: --- VIM STARTING ---\n"
    #expect(Example.strictly(text + text).blocks.map(\.stages.count) == [1, 1])
    #expect(Example.parse("000.002  000.002: --- VIM STARTING ---\n").blocks.isEmpty)
  }

  @Test func `classes of a JVM are counted by their source, and those of another apart`() {
    let text =
      "[0.012s] a.B source: shared objects file\n[0.013s] a.C source: file:/a b.jar\n"
      + "[0.014s] a.D source: shared objects file (top)\n[0.014s] a.C$1/0x0008 source: a.C\n"
    let blocks = Example.strictly(text + text).blocks
    #expect(blocks.count == 2)
    #expect(
      blocks[1].stages.map(\.name) == [
        "shared objects file", "file:/a b.jar", "shared objects file (top)", "made at run time",
      ]
    )
    #expect(blocks[1].counters == ["classes": 4, "shared_classes": 2])
    #expect(blocks[0].stages.map(\.percent) == ["25.0", "25.0", "25.0", "25.0"])
    #expect(blocks[0].stages.allSatisfy { $0.amount == nil })
  }

  @Test(arguments: [
    #"{"nodes":[],"startTime":1,"endTime":0,"samples":[],"timeDeltas":[]}"#,
    #"{"nodes":[],"samples":[],"timeDeltas":[]}"#,
    #"{"nodes":[{"id":1,"callFrame":{"functionName":"a"#,
    #"{"timeDeltas":1e999}"#,
  ])
  func `what is no profile, or a cut one, is not read as one`(_ text: String) {
    #expect(Example.parse(text).blocks.isEmpty)
  }

  @Test func `a profile whose functions call each other in a ring is read once around`() {
    let node = #"{"id":1,"callFrame":{"functionName":"f"},"children":[2]}"#
    let frame = #"{"functionName":"","url":"/a/b.js","lineNumber":0}"#
    let other = #"{"id":2,"callFrame":\#(frame),"children":[1,2]}"#
    let root = #"{"id":0,"callFrame":{"functionName":"(root)"},"children":[1]}"#
    let text =
      #"{"nodes":[\#(root),\#(node),\#(other)],"startTime":10,"endTime":40,"#
      + #""samples":[1,2,9,2],"timeDeltas":[5,5,-3,10]}"#
    let block = Example.strictly(text).blocks[0]
    #expect(block.stages.map(\.name) == ["(anonymous) b.js:1", "f", "(root)"])
    #expect(block.stages.map { $0.own?.printed } == ["10", "5", "0"])
    #expect(block.stages.map { $0.amount?.printed } == ["10", "15", "15"])
    #expect(block.total?.amount?.printed == "30")
    #expect(block.launchStages.map(\.name) == ["(root)"])
  }

  @Test func `a log with calls is not strace's`() {
    #expect(Example.parse("12:00:01.123 start(1) = 2\n").blocks.isEmpty)
  }

  @Test func `perf trace lines may have no duration and no process`() {
    let text =
      "     0.279 ( 0.016 ms): openat(dfd: CWD) = 3\n"
      + "         ? (         ): true/7  ... [continued]: execve()) = 0\n"
    let block = Example.strictly(text).blocks[0]
    #expect(block.stages.map(\.name) == ["openat", "execve"])
    #expect(block.stages.map { $0.amount?.nanoseconds } == [16_000, nil])
    #expect(block.stages.map(\.pid) == [nil, 7])
  }

  @Test(arguments: [
    ("19.842s", 19_842_000_000, 1_000_000), ("1min 13.233s", 73_233_000_000, 1_000_000),
    ("993ms", 993_000_000, 1_000_000), ("12us", 12_000, 1_000),
    ("1h 2min 3s", 3_723_000_000_000, 1_000_000_000),
  ])
  func `systemd prints spans of several units`(
    _ span: String,
    _ nanoseconds: Int64,
    _ resolution: Int64
  ) {
    let text = "x: Startup finished in 1s (kernel) + \(span) (userspace) = \(span).\n"
    let block = Example.strictly(text).blocks[0]
    #expect(block.total?.amount?.nanoseconds == nanoseconds)
    #expect(block.stages[1].amount?.resolution == resolution)
    #expect(Example.strictly("  \(span) a-b.service\n").blocks[0].stages[0].name == "a-b.service")
  }

  @Test func `patterns read what no grammar takes`() throws {
    let pattern = try StagePattern(#"phase (?<stage>\w+) took (?<value>[0-9.]+) ?(?<unit>\S+)"#)
    let text =
      "phase one took 1.5 s\nphase two took 20µs\nphase three took 3 weeks\n"
      + "phase four took 1.2.3 ms\n" + TextExample.summary
    let result = Example.parse(text, LoaderLogOptions(patterns: [pattern]))
    #expect(result.blocks.map(\.format) == ["pattern", "dyld.summary"])
    #expect(result.blocks[0].stages.map(\.name) == ["one", "two"])
    #expect(result.blocks[0].stages.map { $0.amount?.nanoseconds } == [1_500_000_000, 20_000])
    #expect(result.ignoredLines == [3...4])
  }

  @Test(arguments: [
    (
      "(",
      StagePatternError.unusable(
        "(",
        reason: "there is no \")\" for the \"(\" at character 1",
        remedy: "correct it"
      )
    ),
    ("(?<stage>a)(?<value>b)", .noGroup("unit", "(?<stage>a)(?<value>b)")),
  ])
  func `a pattern that is none is an error`(_ text: String, _ error: StagePatternError) {
    #expect(throws: error) { try StagePattern(text) }
  }
}
