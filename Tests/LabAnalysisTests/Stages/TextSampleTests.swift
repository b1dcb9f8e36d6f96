import Foundation
import Testing

@testable import LaunchCore
@testable import Stages

/// Every text of the fixtures gives the values of its index.
@Suite struct TextSampleTests {
  @Test func `finds the samples`() {
    #expect(TextSample.all.count == 72)
  }

  @Test(arguments: TextSample.all)
  func `gives the expected values`(_ sample: TextSample) throws {
    let result = LoaderLog.parse(try sample.bytes, name: sample.file)
    let found = TextSample.Expected(result, like: sample.expected)
    #expect(try text(found) == text(sample.expected))
  }

  @Test(arguments: TextSample.all)
  func `reads standard texts strictly, and refuses imitations`(_ sample: TextSample) throws {
    let options = LoaderLogOptions(mode: .strict)
    let result = LoaderLog.parse(try sample.bytes, name: sample.file, options: options)
    if sample.isImitation {
      #expect(result.blocks.isEmpty)
      #expect(result.diagnostics.contains { $0.id == "nonstandard" && $0.severity == .error })
    } else {
      let found = TextSample.Expected(result, like: sample.expected)
      #expect(try text(found) == text(sample.expected))
    }
  }

  @Test(arguments: TextSample.all)
  func `accounts for every line once`(_ sample: TextSample) throws {
    let bytes = try sample.bytes
    let result = LoaderLog.parse(bytes, name: sample.file)
    let used = Set(result.usedLines.flatMap { Array($0) })
    let ignored = Set(result.ignoredLines.flatMap { Array($0) })
    #expect(used.isDisjoint(with: ignored))
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    #expect((used.union(ignored)).allSatisfy { (1...max(1, lines.count)).contains($0) })
  }

  private func text(_ value: TextSample.Expected) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
