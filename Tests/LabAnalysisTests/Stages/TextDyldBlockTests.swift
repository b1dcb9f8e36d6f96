import Testing

@testable import LaunchCore
@testable import Stages

/// Where blocks of dyld begin and end, what is missing, and what is refused.
@Suite struct TextDyldBlockTests {
  @Test func `blocks are kept apart and in order`() {
    let hot = TextExample.summary.replacing("400.00", with: "399.99")
    let result = TextExample.strictly("Cold:\n" + TextExample.summary + "Hot:\n" + hot)
    #expect(result.blocks.map { $0.total?.amount?.printed } == ["400.00", "399.99"])
    #expect(result.blocks.map(\.lines) == [2...9, 11...18])
    #expect(result.usedLines == [2...9, 11...18])
    #expect(result.ignoredLines == [1...1, 10...10])
  }

  @Test func `a summary and its details are two blocks`() {
    let result = TextExample.strictly(TextExample.summary + "\n" + TextExample.details)
    #expect(result.blocks.map(\.format) == ["dyld.summary", "dyld.details"])
    #expect(result.blocks.map(\.images.count) == [2, 1])
  }

  @Test func `processes of a log are kept apart`() {
    let lines = TextExample.summary.split(separator: "\n")
    let other = TextExample.summary.replacing("400.00", with: "400.01").split(separator: "\n")
    let text = zip(lines, other).map { "Demo[1:7] \($0)\nDemo[2:8] \($1)\n" }.joined()
    let result = TextExample.strictly(text)
    #expect(result.blocks.map(\.pid) == [1, 2])
    #expect(result.blocks.map { $0.total?.amount?.printed } == ["400.00", "400.01"])
    #expect(result.blocks.map(\.stages.count) == [4, 4])
    #expect(result.blocks.map(\.images.count) == [2, 2])
  }

  @Test func `a total without a unit opens no block, and ends the one before`() {
    let text =
      TextExample.summary + "Total pre-main time: 639.734\n  late : 9.00 milliseconds (2.2%)\n"
    let result = TextExample.parse(text)
    #expect(result.blocks.count == 1)
    #expect(result.blocks[0].images.count == 2)
    #expect(result.ids() == ["no-unit"])
    #expect(result.diagnostics[0].place == "a.log:9")
    #expect(result.diagnostics[0].remedy?.contains("milliseconds (100.0%)") == true)
  }

  @Test(arguments: [
    "total time: 5 seconds later", "total time: 12.00 milliseconds (3.0%)",
    "the total time: 5.0 seconds", "my total time: 3 s", "Total pre-main time is 5.0 seconds",
    "dylib loading time: 40 ms", "Pre-main time: 1.2 seconds (100.0%)",
  ])
  func `words of other programs open no block`(_ line: String) {
    #expect(TextExample.parse(line + "\nmore\n").blocks.isEmpty)
  }

  @Test func `a stage without a total that is not in dyld's form is told of`() {
    let result = TextExample.parse("  dylib loading time:  40.00 milliseconds\n")
    #expect(result.blocks.isEmpty)
    #expect(result.ids().contains("no-total"))
  }

  @Test func `lines whose total is cut off are a block without a total`() throws {
    let lines = TextExample.summary.split(separator: "\n").dropFirst()
    let result = TextExample.parse("some line\n" + lines.joined(separator: "\n") + "\n")
    let whole = TextExample.parse(TextExample.summary).blocks[0]
    let block = try #require(result.blocks.first)
    #expect(result.blocks.count == 1)
    #expect(block.format == "dyld.summary")
    #expect(block.total == nil)
    #expect(block.flags == ["missing:total"])
    #expect(block.stages.map(\.amount) == whole.stages.map(\.amount))
    #expect(block.images.map(\.name) == whole.images.map(\.name))
    #expect(!result.isComplete)
    #expect(result.ids() == ["incomplete"])
    #expect(result.diagnostics[0].remedy?.contains("Total pre-main time") == true)
    #expect(block.launchStages.map(\.name) == whole.launchStages.prefix(4).map(\.name))
  }

  @Test func `each launch without a total is a block, and a total begins the next one`() {
    let part = TextExample.summary.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n"
    let result = TextExample.parse(part + part + TextExample.summary)
    #expect(result.blocks.map { $0.total == nil } == [true, true, false])
    #expect(result.blocks.map(\.stages.count) == [4, 4, 4])
  }

  @Test func `details whose total is cut off are a block, too`() {
    let text = "total images loading time: 252.41 milliseconds (54.6%)\n"
    let block = TextExample.parse(text).blocks.first
    #expect(block?.format == "dyld.details")
    #expect(block?.flags == ["missing:init", "missing:total", "truncated"])
  }

  @Test func `a second stage of a name is not mixed into a block`() {
    let text =
      TextExample.summary + "  dylib loading time:  99.00 milliseconds (10.0%)\n"
      + "  late : 9.00 milliseconds (2.2%)\n"
    let result = TextExample.parse(text)
    #expect(result.blocks[0].stages[0].amount?.printed == "40.00")
    #expect(result.blocks[0].images.count == 2)
    #expect(result.ids() == ["second-stage"])
  }

  @Test func `an ellipsis is told of, and what it stands for is missing`() {
    let text = """
      Total pre-main time: 400.00 milliseconds (100.0%)
            ...
           initializer time: 200.00 milliseconds (50.0%)

      """
    let result = TextExample.parse(text)
    #expect(
      result.blocks[0].flags == [
        "elided", "missing:ObjC setup time", "missing:dylib loading time",
        "missing:rebase/binding time",
      ]
    )
    #expect(result.ids() == ["incomplete"])
    #expect(!result.isComplete && !result.hasErrors)
    #expect(TextExample.strictly(text).hasErrors)
  }

  @Test(arguments: [TextExample.summary, TextExample.details])
  func `a text cut anywhere gives only values of the whole text`(_ text: String) {
    let bytes = Array(text.utf8)
    let whole = LoaderLog.parse(bytes, name: "a").blocks[0]
    let stages = Set(whole.stages.map { "\($0.name) \($0.amount?.printed ?? "")" })
    let images = Set(whole.images.map { "\($0.name) \($0.amount?.printed ?? "")" })
    for end in bytes.indices {
      let result = LoaderLog.parse(Array(bytes[..<end]), name: "a")
      guard let block = result.blocks.first else { continue }
      let foundStages = block.stages.map { "\($0.name) \($0.amount?.printed ?? "")" }
      let foundImages = block.images.map { "\($0.name) \($0.amount?.printed ?? "")" }
      #expect(stages.isSuperset(of: foundStages), "cut at \(end)")
      #expect(images.isSuperset(of: foundImages), "cut at \(end)")
      for (name, count) in block.counters {
        // The last number of all is taken for whole without a line end.
        guard name != "images_using_weak" else { continue }
        #expect(whole.counters[name] == count, "\(name) cut at \(end)")
      }
    }
  }

  @Test func `a cut block is truncated, and strictly an error`() {
    let text = String(TextExample.details.prefix(280))
    let result = TextExample.parse(text)
    #expect(result.blocks[0].flags == ["missing:init", "truncated"])
    #expect(result.ids() == ["incomplete"])
    #expect(TextExample.strictly(text).hasErrors)
  }

  @Test func `an imitation is read and marked, and strictly refused with its line`() {
    let text = TextExample.summary.replacing("40.00 milliseconds (10.0%)", with: "40ms (10.0%)")
    let lenient = TextExample.parse(text)
    #expect(lenient.blocks[0].stages[0].amount?.nanoseconds == 40_000_000)
    #expect(!lenient.blocks[0].isStandard && !lenient.isStandard)
    #expect(lenient.ids("warning") == ["nonstandard"])
    let strict = TextExample.strictly(text)
    #expect(strict.blocks.isEmpty)
    #expect(strict.ids("error") == ["nonstandard"])
    #expect(strict.diagnostics[0].place == "a.log:2")
    #expect(strict.usedLines.isEmpty)
  }

  @Test func `words about stages after a block are no stages`() {
    let result = TextExample.strictly(
      TextExample.summary + "* dylib loading time: 动态库加载\n* ObjC setup time：注册\n"
        + "Total pre-main time: 全部\n"
    )
    #expect(result.diagnostics.isEmpty)
    #expect(result.blocks[0].stages.count == 4)
  }

  @Test func `notes behind times make an imitation`() {
    let text =
      "Total pre-main time: 350ms\n  dylib loading time: 100ms (26 dylibs)\n"
      + "  rebase/binding time: 150ms (12,000 fixups)\n"
    let block = TextExample.parse(text).blocks.first
    #expect(block?.stages.map { $0.amount?.seconds } == ["0.1", "0.15"])
    #expect(block?.stages.map(\.flags) == [["no_percent"], ["no_percent"]])
    #expect(TextExample.strictly(text).blocks.isEmpty)
  }

  @Test func `stages of other names are read if their share agrees`() {
    let text = """
      Total pre-main time: 456.78 ms (100.0%)
        dyld3 closure:  12.34 ms (2.7%)
        rebase/binding: 78.90 ms (17.3%)
        cache: 10 ms (99.0%)

      """
    let block = TextExample.parse(text).blocks.first
    #expect(block?.stages.map(\.name) == ["dyld3 closure", "rebase/binding"])
    #expect(block?.stages.map(\.stage) == [nil, "fixup"])
  }

  @Test func `the broken printer before 46 16 is refused with the reason`() {
    let text = """
      total time: 1.110 seconds (100.0%)
      total images loaded:  40 (12 used prebinding)
      total images loading time: 0.15 seconds (10.0%)
      total init time time: 12.3 milliseconds (1.0%)

      """
    let result = TextExample.parse(text)
    #expect(result.blocks.isEmpty)
    #expect(result.ids("error") == ["broken-printer"])
  }

  @Test func `the printer of 46 16 is read with one decimal`() {
    let text = """
      total time: 40.0 milliseconds (100.0%)
      total images loaded:  40 (12 used prebinding)
      total images loading time: 10.0 milliseconds (25.0%)
      total rebase fixups:  1,234
      total rebase fixups time: 10.0 milliseconds (25.0%)
      total binding fixups: 99
      total binding fixups time: 10.0 milliseconds (25.0%)
      total bindings lazily fixed up: 0 of 1,000
      total notify time time: 0.0 milliseconds (0.0%)
      total init time time: 10.0 milliseconds (25.0%)

      """
    let block = TextExample.strictly(text).blocks.first
    #expect(block?.counters["images_used_prebinding"] == 12)
    #expect(block?.counters["lazy_possible"] == 1_000)
    #expect(block?.flags == [])
    #expect(block?.stages.first?.amount?.resolution == 100_000)
  }

  @Test func `the counts of versions 95 to 132 are read`() {
    let text = """
      total time: 40.0 milliseconds (100.0%)
      total images loaded:  40 (30 from dyld shared cache, 2 needed no fixups)
      total binding symbol lookups: 1,234, average images searched per symbol: 2.5
      total initializer time: 10.0 milliseconds (25.0%)

      """
    let counters = TextExample.strictly(text).blocks.first?.counters
    #expect(
      counters == [
        "images_loaded": 40, "images_from_shared_cache": 30, "images_without_fixups": 2,
        "binding_symbol_lookups": 1_234,
      ]
    )
  }

  @Test func `details become parts that sum to the total`() {
    let stages = TextExample.parse(TextExample.details).blocks[0].launchStages
    let parts = stages.filter { $0.kind == .part }
    #expect(parts.map(\.name) == ["load", "fixup", "init"])
    #expect(parts[1].duration == Nanoseconds(435_810_000))
    #expect(stages.filter { $0.kind == .excluded }.count == 2)
  }
}
