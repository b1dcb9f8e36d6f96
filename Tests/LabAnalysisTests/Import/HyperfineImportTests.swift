import Foundation
import Testing

@testable import History
@testable import LaunchCore

@Suite struct HyperfineImportTests {
  private let start = Date(timeIntervalSince1970: 1_795_235_400)

  private func read(
    _ text: String,
    _ options: ImportOptions = ImportOptions()
  ) throws -> HyperfineImport {
    try HyperfineImport(Data(text.utf8), path: "h.json", startedAt: start, options: options)
  }

  @Test func `reads what hyperfine wrote`() throws {
    let url = Bundle.module.url(forResource: "Fixtures/import/hyperfine", withExtension: "json")
    let text = String(decoding: try Data(contentsOf: try #require(url)), as: UTF8.self)
    let read = try read(text, ImportOptions(state: .rebootCold, commit: "c0", host: "lab"))
    #expect([read.night.host, read.night.commit] == ["lab", "c0"])
    #expect(read.night.startedAt == start)
    #expect(read.night.arms.map(\.target) == ["true", "sh-c-exit-3"])
    #expect(read.night.arms.map(\.state) == [.rebootCold, .rebootCold])
    #expect(read.night.arms[0].command == ["sh", "-c", "true"])
    #expect(
      read.night.arms[0].values == [
        .launch: [19_800_683, 138_470_921, 1_292_822, 76_861_182, 6_097_944, 19_977_733]
      ]
    )
    #expect(
      read.warnings.map(\.problem) == [
        """
        6 launches of "sh -c "exit 3"" ended with another exit status than 0, which hyperfine was \
        told to ignore, and count
        """
      ]
    )
  }

  @Test func `takes memory, and the target and state of what launchlab exported`() throws {
    let text = """
      {"results": [
        {"command": "a # warm", "times": [0.5, 0.25], "memory_usage_byte": [4096, 8192],
         "exit_codes": [0, null], "parameters": {"target": "app", "state": "warm"}},
        {"command": "a # reboot-cold", "times": [1], "memory_usage_byte": [1, 2],
         "parameters": {"target": "app", "state": "reboot-cold"}},
        {"command": "b", "times": [2]}, {"command": "b", "times": [3]}
      ]}
      """
    let arms = try read(text).night.arms
    #expect(arms.map(\.target) == ["app", "app", "b", "b-2"])
    #expect(arms.map(\.state) == [.warm, .rebootCold, .warm, .warm])
    #expect(arms[0].values == [.launch: [500_000_000, 250_000_000], .peakRSS: [4_096, 8_192]])
    #expect(arms[1].values == [.launch: [1_000_000_000]])
  }

  @Test func `gives the only command the name that was asked for, and others in front`() throws {
    let one = #"{"results": [{"command": "a b", "times": [1]}]}"#
    #expect(try read(one, ImportOptions(target: "x")).night.arms.map(\.target) == ["x"])
    let two = #"{"results": [{"command": "a", "times": [1]}, {"command": "b", "times": [1]}]}"#
    #expect(try read(two, ImportOptions(target: "x")).night.arms.map(\.target) == ["x-a", "x-b"])
  }

  @Test(arguments: [
    ("{", "\"h.json\" is not a result of hyperfine: it is not JSON"),
    ("[]", "\"h.json\" is not a result of hyperfine: it has an unexpected form"),
    ("{\"results\": []}", "\"h.json\" is not a result of hyperfine: it has no results"),
    ("{\"a\": 1}", "\"h.json\" is not a result of hyperfine: it has no \"results\""),
    (
      #"{"results": [{"command": "a"}]}"#,
      "\"h.json\" is not a result of hyperfine: \"results[0]\" has no \"times\""
    ),
    (#"{"results": [{"command": "a", "times": []}]}"#, "the command \"a\" has no times"),
    (
      #"{"results": [{"command": "a", "times": [-1]}]}"#,
      "a time of the command \"a\" is not a number of seconds"
    ),
  ])
  func `tells what is wrong with a file`(text: String, problem: String) {
    let error = #expect(throws: ImportError.self) { try read(text) }
    #expect(error?.diagnostics.map(\.problem) == [problem])
  }
}
