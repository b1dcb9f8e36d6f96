import Testing

@testable import LaunchCore
@testable import Stages

/// Whatever the models of the printers of runtimes and tools write is read back.
@Suite struct PrintersRuntimeTests {
  enum Kind: CaseIterable {
    case go
    case python
    case jvm
    case strace
    case perf
    case systemd

    func printed(_ generator: inout SplitMix64) -> PrintedText {
      switch self {
      case .go: RuntimePrinter.go(&generator)
      case .python: RuntimePrinter.python(&generator)
      case .jvm: RuntimePrinter.jvm(&generator)
      case .strace: RuntimePrinter.strace(&generator)
      case .perf: RuntimePrinter.perf(&generator)
      case .systemd: RuntimePrinter.systemd(&generator)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `reads what runtimes and tools write`(_ kind: Kind) {
    for seed in 0..<200 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let printed = kind.printed(&generator)
      let others = ["", "hello\n", "a: b\r\n", "Took 3.2 seconds.\n", "\n"]
      let end = generator.pick(["\n", "\r\n"])
      let lines = printed.lines.map { $0 + end }.joined()
      let text = generator.pick(others) + lines + generator.pick(others)
      let result = TextExample.strictly(text)
      let difference = result.difference(from: printed)
      #expect(difference == nil, "seed \(seed): \(difference ?? "")\n\(text)")
      #expect(result.ids().isEmpty, "seed \(seed)")
    }
  }

  @Test func `a time of day is counted from midnight`() {
    let result = TextExample.strictly("10:00:01.828616 execve(\"/bin/a\", [], 0x7f) = 0\n")
    #expect(result.blocks[0].stages[0].instant?.seconds == "36001.828616")
  }

  @Test(arguments: [
    "99:00:01.5", "10:60:01.5", "10:00:61.5", "10:01.5", "10:00:00:01.5", "1:.5", ":1.5",
  ])
  func `what is no time of day begins no trace`(_ time: String) {
    #expect(TextExample.parse("\(time) execve(\"/bin/a\", [], 0x7f) = 0\n").blocks.isEmpty)
  }

  @Test func `a user's systemd tells a total only, and other programs are not systemd`() {
    let text =
      "host systemd[812]: Startup finished in 389ms.\nEmacs startup finished in 12ms\n"
      + "Startup finished in 3s.\nsystemd[1]: Startup finished in 3s of waiting.\n"
    let result = TextExample.strictly(text)
    #expect(result.blocks.map { $0.total?.amount?.nanoseconds } == [389_000_000])
    #expect(result.blocks[0].stages.isEmpty && result.blocks[0].flags.isEmpty)
  }

  @Test(arguments: [
    "[GC (Allocation Failure)  512K->400K(2048K), 0.0012345 secs]", "Stopped, 0.01 secs",
    "[Full GC 100K->20K(300K), 0.0012345 secs]", "a: b, 0.0012345 secs",
    "[Genesis, 0.0012345 secs", ", 0.0012345 secs",
  ])
  func `collections of garbage are not phases of the JVM`(_ line: String) {
    #expect(TextExample.parse(line + "\n").blocks.isEmpty)
  }

  @Test func `a JVM before 9 writes phases in brackets`() {
    let block = TextExample.strictly("[Genesis, 0.0012345 secs]\n").blocks[0]
    #expect(block.stages.map(\.name) == ["Genesis"])
    #expect(block.stages[0].amount?.nanoseconds == 1_234_500)
  }

  @Test func `columns of Go that were aligned by hand are read`() {
    let block = TextExample.strictly("init os  @0.24 ms,  0.002 ms clock, 0 bytes, 2 allocs\n")
      .blocks[0]
    #expect(block.stages.map(\.name) == ["os"])
    #expect(block.stages[0].amount?.nanoseconds == 2_000)
  }
}
