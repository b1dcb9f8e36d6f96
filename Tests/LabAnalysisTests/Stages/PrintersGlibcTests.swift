import Testing

@testable import LaunchCore
@testable import Stages

/// Whatever the models of glibc's printer write is read back as it was printed.
@Suite struct PrintersGlibcTests {
  static let versions = [2, 3, 4, 5, 19, 20, 29, 31, 36, 41].map { GlibcVersion(2, $0) }

  @Test(arguments: versions)
  func `reads what every version writes`(_ version: GlibcVersion) {
    for seed in 0..<100 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var printer = GlibcPrinter(version: version, pid: 1 + generator.spread(digits: 7))
      printer.hasClock = !generator.chance(1, of: 8)
      let counters = Self.counters(&generator)
      var text = printer.startup(counters)
      if generator.chance(1, of: 2) { text = text + printer.final(counters) }
      check(text, version, seed)
    }
  }

  @Test(arguments: versions)
  func `tells processes apart that write between each other's lines`(_ version: GlibcVersion) {
    for seed in 500..<560 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var texts = (0..<3).map { index in
        let printer = GlibcPrinter(version: version, pid: UInt64(100 + index))
        return printer.startup(Self.counters(&generator))
      }
      var mixed = PrintedText()
      while let first = texts.indices.randomElement(using: &generator) {
        if texts[first].lines.isEmpty {
          texts.remove(at: first)
        } else {
          // The heading and the total are one write.
          let count = texts[first].lines[0].hasSuffix("\t") ? 3 : 1
          if count == 3 { mixed.facts += texts[first].facts }
          mixed.lines += texts[first].lines.prefix(count)
          texts[first].lines.removeFirst(count)
        }
      }
      check(mixed, version, seed)
    }
  }

  @Test func `a paste that expands tabs leaves the scale open, or to the version`() {
    for seed in 0..<60 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let printer = GlibcPrinter(version: GlibcVersion(2, 36), pid: 1 + generator.spread(digits: 6))
      let printed = printer.startup(Self.counters(&generator))
      let pasted = printed.text.replacing("\t", with: "     ")
      let open = TextExample.strictly(pasted)
      #expect(open.blocks.map(\.lastDigitDropped) == [nil], "seed \(seed)")
      #expect(open.blocks[0].stages.allSatisfy { $0.cycles == nil }, "seed \(seed)")
      let options = LoaderLogOptions(mode: .strict, glibc: GlibcVersion(2, 36))
      let known = TextExample.parse(pasted, options)
      #expect(known.facts == printed.facts, "seed \(seed)")
    }
  }

  private func check(_ printed: PrintedText, _ version: GlibcVersion, _ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let isKnown = generator.chance(1, of: 2)
    let others = ["", "hello\n", "ls: x\r\n", "\t\n"]
    let text = generator.pick(others) + printed.text + generator.pick(others)
    // Before 2.5 the layout is that of 2.31, but the unit is another one.
    let options = LoaderLogOptions(mode: .strict, glibc: isKnown ? version : nil)
    let result = TextExample.parse(text, options)
    let difference = result.difference(from: printed)
    #expect(difference == nil, "\(version) seed \(seed): \(difference ?? "")\n\(text)")
  }

  private static func counters(_ generator: inout SplitMix64) -> GlibcPrinter.Counters {
    let total = 10 + generator.spread(digits: 9)
    let load = generator.spread(digits: 9) % (total + 1)
    return GlibcPrinter.Counters(
      total: total,
      relocation: generator.chance(1, of: 9) ? total : total - load,
      load: load,
      relocations: generator.spread(digits: 6),
      cached: generator.spread(digits: 6),
      relative: generator.spread(digits: 6),
      final: generator.spread(digits: 6),
      finalCached: generator.spread(digits: 6)
    )
  }
}
