import Foundation
import Testing

@testable import LaunchCore
@testable import Stages

/// Texts that were damaged at random: no crash, the same result twice, and work in proportion.
///
/// With `LAUNCHLAB_FUZZ_SECONDS` in the environment each test goes on for so long, and tells how
/// far it came.
@Suite struct TextFuzzTests {
  private static let pieces: [[UInt8]] =
    [
      "\n", "\r", "\t", " ", ":", " : ", "...", "(", "%)", "()", ".", ",", "0", "9",
      "99999999999999999999",
      "milliseconds", " seconds (", "ms", " cycles", "> ", "// ", "**", "<b>", "[1:2] ", "18921:\t",
      "Total pre-main time: 1.0 seconds (100.0%)\n", "total time: 1.0 seconds (100.0%)\n",
      "slowest intializers :\n", "runtime linker statistics:\n", "initializer time: ", "\u{A0}",
      "．", "：",
      "import time: ", "init a @", "{\"nodeStart\":", "[0.1s]", "execve(", "Startup finished in ",
      "&nbsp;", "\u{2026}", "\u{FEFF}",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC2], [0xE2, 0x80], [0xEF, 0xBC], [0xF0, 0x9F]]

  private static let seeds: [[UInt8]] = TextSample.all.compactMap { try? $0.bytes }
    .map { Array($0.prefix(4_096)) }

  @Test(arguments: 0..<4)
  func `damaged texts are read twice alike, with work in proportion`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var texts = 0
    try forAsLongAsAsked(atLeast: 700) {
      let bytes = mutated(&generator)
      let options = options(&generator)
      let result = LoaderLog.parse(bytes, name: "fuzz", options: options)
      let again = LoaderLog.parse(bytes, name: "fuzz", options: options)
      try #require(result == again, "differs: \(bytes)")
      try #require(result.scannedBytes <= 60 * (bytes.count + 16), "too much work: \(bytes)")
      check(result, bytes)
      texts += 1
    }
    report(texts, "texts")
  }

  /// Repeats until the time that the environment asks for is over.
  private func forAsLongAsAsked(atLeast least: Int, _ body: () throws -> Void) rethrows {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(Self.seconds)
    var count = 0
    while count < least || clock.now < end {
      try body()
      count += 1
    }
  }

  private static let seconds: Int =
    ProcessInfo.processInfo.environment["LAUNCHLAB_FUZZ_SECONDS"].flatMap { Int($0) } ?? 0

  private func report(_ count: Int, _ what: String) {
    guard Self.seconds > 0 else { return }
    print("fuzz: \(count) \(what) in \(Self.seconds) s")
  }

  /// What holds of every result.
  private func check(_ result: LoaderLogResult, _ bytes: [UInt8]) {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    for block in result.blocks {
      #expect(block.lines.upperBound <= lines)
      #expect(block.flags == block.flags.sorted())
      let values = [block.total].compactMap(\.self) + block.stages + block.images
      #expect(values.allSatisfy { block.lines.contains($0.line) })
      for value in values where value.flags.contains("wrapped") {
        #expect(value.amount?.nanoseconds == nil)
      }
      _ = block.launchStages
    }
    let starts = result.blocks.map(\.lines.lowerBound)
    #expect(starts == starts.sorted())
    #expect(result.isEmpty == (result.blocks.isEmpty && result.events.isEmpty))
    #expect(!result.isEmpty || !result.diagnostics.isEmpty)
  }

  // MARK: - Mutations

  private func options(_ generator: inout SplitMix64) -> LoaderLogOptions {
    LoaderLogOptions(
      mode: generator.next(below: 2) == 0 ? .strict : .lenient,
      glibc: generator.next(below: 3) == 0 ? GlibcVersion(2, 25 + generator.next(below: 20)) : nil,
      cyclesPerSecond: generator.next(below: 2) == 0 ? 2.6e9 : nil,
      ownLoaderTotal: generator.next(below: 4) == 0 ? Nanoseconds(1)...Nanoseconds(1_000_000) : nil
    )
  }

  private func mutated(_ generator: inout SplitMix64) -> [UInt8] {
    var bytes = Self.seeds[generator.next(below: Self.seeds.count)]
    if generator.next(below: 4) == 0 {
      let other = Self.seeds[generator.next(below: Self.seeds.count)]
      bytes += other[generator.next(below: other.count + 1)...]
    }
    for _ in 0...generator.next(below: 12) {
      let start = generator.next(below: bytes.count + 1)
      let end = min(bytes.count, start + generator.next(below: 40))
      switch generator.next(below: 8) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 2: bytes.insert(UInt8(generator.next(below: 256)), at: start)
      case 3 where start < bytes.count: bytes[start] ^= 1 << UInt8(generator.next(below: 8))
      case 4: bytes.removeSubrange(start...)
      case 5:
        let piece = Self.pieces[generator.next(below: Self.pieces.count)]
        bytes.insert(
          contentsOf: repeatElement(piece, count: generator.next(below: 30)).joined(),
          at: start
        )
      default:
        let piece = Self.pieces[generator.next(below: Self.pieces.count)]
        bytes.replaceSubrange(start..<min(end, start + 3), with: piece)
      }
    }
    return bytes
  }
}
