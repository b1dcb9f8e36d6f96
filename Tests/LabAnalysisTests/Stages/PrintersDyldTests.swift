import Testing

@testable import LaunchCore
@testable import Stages

/// Whatever the models of dyld's printers write is read back as it was printed.
@Suite struct PrintersDyldTests {
  @Test(arguments: DyldPrinter.Family.allCases)
  func `reads what every family of printers writes`(_ family: DyldPrinter.Family) {
    for seed in 0..<60 as Range<UInt64> {
      var source = DyldSource(family, seed: seed)
      check(source.blocks(1 + Int(seed % 3)), seed) { $0.joined(separator: "\n") }
    }
  }

  @Test(arguments: DyldPrinter.Family.allCases)
  func `reads them in any surroundings`(_ family: DyldPrinter.Family) {
    for seed in 1_000..<1_120 as Range<UInt64> {
      var source = DyldSource(family, seed: seed)
      var surroundings = Surroundings(seed: seed)
      check(source.blocks(1 + Int(seed % 2)), seed) { surroundings.wrap($0) }
    }
  }

  @Test(arguments: DyldPrinter.Family.allCases)
  func `reads them between the lines of others`(_ family: DyldPrinter.Family) {
    for seed in 2_000..<2_060 as Range<UInt64> {
      var source = DyldSource(family, seed: seed)
      var surroundings = Surroundings(seed: seed)
      check(source.blocks(1), seed) { surroundings.interleave($0).joined(separator: "\n") + "\n" }
    }
  }

  @Test(arguments: [DyldPrinter.Family.imageList, .objcSetup, .preMain, .withoutPrefetching])
  func `invents nothing when the text ends early`(_ family: DyldPrinter.Family) {
    for seed in 3_000..<3_040 as Range<UInt64> {
      var source = DyldSource(family, seed: seed)
      let printed = source.blocks(1)
      let bytes = Array(printed.lines.joined(separator: "\n").utf8)
      var generator = SplitMix64(seed: seed)
      let cut = generator.next(below: bytes.count)
      let result = LoaderLog.parse(Array(bytes.prefix(cut)), name: "cut")
      let allowed = Set(printed.facts.joined())
      for fact in result.facts.joined() where !Self.isOfCut(fact) {
        #expect(allowed.contains(fact), "seed \(seed) cut at \(cut): \(fact)")
      }
    }
  }

  /// Whether a fact tells that something is missing.
  private static func isOfCut(_ fact: String) -> Bool {
    fact.hasPrefix("flag truncated") || fact.hasPrefix("flag missing:")
      || fact.hasSuffix("|-|no_percent")
  }

  private func check(_ printed: PrintedText, _ seed: UInt64, _ wrap: ([String]) -> String) {
    let text = wrap(printed.lines)
    for mode in [LoaderLogOptions.Mode.lenient, .strict] {
      let result = TextExample.parse(text, LoaderLogOptions(mode: mode))
      let difference = result.difference(from: printed)
      #expect(difference == nil, "seed \(seed) \(mode): \(difference ?? "")\n\(text)")
      let wrapped = printed.facts.joined().count { $0.hasSuffix("|wrapped") }
      let expected = Array(repeating: "wrapped", count: wrapped)
      #expect(result.ids() == expected, "seed \(seed):\n\(text)")
    }
  }
}

/// Random launches as dyld printed them.
struct DyldSource {
  private var generator: SplitMix64
  private let printer: DyldPrinter

  init(_ family: DyldPrinter.Family, seed: UInt64) {
    generator = SplitMix64(seed: seed)
    let hertz = generator.pick([24_000_000, 1_000_000_000] as [UInt64])
    printer = DyldPrinter(hertz: hertz, family: family)
  }

  mutating func blocks(_ count: Int) -> PrintedText {
    (0..<count).reduce(into: PrintedText()) { text, _ in
      let times = times()
      let counts = (0..<15).map { _ in generator.spread(digits: 7) }
      guard printer.family.isPreMain else {
        text = text + printer.details(times, counts: counts)
        return
      }
      let which = generator.next(below: 3)
      if which != 1 { text = text + printer.summary(times) }
      if which != 0 { text = text + printer.details(times, counts: counts) }
    }
  }

  /// Up to some seconds, with a rebinding that may take longer than what it is taken from.
  private mutating func times() -> DyldPrinter.Times {
    func ticks(_ generator: inout SplitMix64, _ digits: Int) -> UInt64 {
      (generator.spread(digits: digits) + 1) * printer.hertz / 1_000_000
    }
    var times = DyldPrinter.Times(
      load: 0,
      rebase: ticks(&generator, 6),
      bind: ticks(&generator, 6),
      weakBind: ticks(&generator, 4),
      dof: ticks(&generator, 4),
      initializers: 0,
      pause: ticks(&generator, 6),
      objc: ticks(&generator, 6),
      redo: 0,
      notify: ticks(&generator, 4),
      images: []
    )
    times.load = times.pause + ticks(&generator, 7)
    times.initializers = times.objc + ticks(&generator, 7)
    let fixups = times.rebase + times.bind + times.weakBind
    let extra = printer.hertz / 1_000 * UInt64(1 + generator.next(below: 9))
    times.redo = generator.chance(1, of: 3) ? fixups + min(extra, times.dof) : fixups / 2
    times.images = images(times)
    return times
  }

  private mutating func images(_ times: DyldPrinter.Times) -> [(name: String, time: UInt64)] {
    var names: Set<String> = []
    var images = [("libSystem.B.dylib", times.objc + times.initializers / 7)]
    if generator.chance(1, of: 4) { images[0] = ("libSystem.dylib", times.objc - 1) }
    for _ in 0..<generator.next(below: 12) {
      let name = name()
      guard names.insert(name).inserted else { continue }
      images.append((name, times.initializers / UInt64(1 + generator.next(below: 2_000))))
    }
    return images
  }

  private static let pieces = [
    "lib", "Kit", "App", ".dylib", ".1", "-", "_", "+", " ", "2", "启动", "é", "Swift", "UI", ".A",
    "(Beta)", "my", "X", "s", "ms", "time", "&Co", "'s", "100", "😀",
  ]

  private mutating func name() -> String {
    let middle = (0..<generator.next(below: 5)).map { _ in generator.pick(Self.pieces) }.joined()
    return generator.pick(["lib", "App", "小帮", "01", "A", "z"]) + middle
      + generator.pick(["x", "9"])
  }
}
