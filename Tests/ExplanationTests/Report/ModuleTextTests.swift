import Foundation
import LaunchCore
import Rendering
import Testing

@testable import Explanation

@Suite("Modules in an explanation")
struct ModuleTextTests {
  /// A launch whose modules have these times in microseconds; each imports the one before it.
  private static func loaded(
    _ modules: KeyValuePairs<String, Int>,
    launch: Int64
  ) -> LoadedModules? {
    let lines = modules.enumerated().map { place, module in
      let indent = String(repeating: " ", count: 2 * (modules.count - 1 - place))
      return "import time: \(module.value) | \(module.value) | \(indent)\(module.key)\n"
    }
    let text = "import time: self [us] | cumulative | imported package\n" + lines.joined()
    return LoadedModules(
      CapturedStream(head: Array(text.utf8), totalBytes: Int64(text.utf8.count)),
      launch: Nanoseconds(launch)
    )
  }

  private static func comparison(isSingle: Bool) -> ModuleComparison? {
    let blocks = (0..<8).map { block in
      Sides(
        before: isSingle ? nil : loaded(["os": 900 + block, "site": 1_000], launch: 2_600_000),
        after: loaded(
          ["csv": 3_000 + block, "metadata": 2_000, "os": 905 - block, "site": 1_000],
          launch: 8_525_000
        )
      )
    }
    return ModuleComparison(
      blocks,
      arms: isSingle ? [.after] : Side.allCases,
      launch: 8_000_000,
      settings: AttributionSettings()
    )
  }

  private static func text(_ sample: ExplanationResult, isSingle: Bool = false) throws -> String {
    var result = sample
    let found = try #require(comparison(isSingle: isSingle))
    result.add(found)
    return ExplanationText(result, style: TextStyle(width: 100)).rendered()
  }

  @Test("what is new is one line, and names the first reason where that is mostly its loading")
  func two() throws {
    // Of 5.93 ms the reason is 88 %, and the module 84 %: 72 % of them must be both.
    let text = try Self.text(SampleExplanation.slower)
    #expect(
      text.contains(
        """
        by module, as python -X importtime tells:
          metadata (new, with 1 other)  +5.00 ms  84 %  ± 0.00  in os
          all modules                   +5.00 ms        ± 0.00
        """
      ),
      "\(text)"
    )
    #expect(text.contains("1  import metadata (new)"), "\(text)")
    #expect(text.contains("8 + 8 with module times"))
  }

  @Test("a reason that may be something else keeps its name")
  func other() throws {
    var result = SampleExplanation.slower
    result.explanation.reasons[0].share = 0.4
    let text = try Self.text(result)
    #expect(text.contains("1  wait_for_device (new)") && text.contains("metadata (new"))
  }

  @Test("of one program the largest are listed")
  func single() throws {
    let text = try Self.text(SampleExplanation.single, isSingle: true)
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix("by module") }.prefix(6)
    let names = lines.dropFirst().compactMap { $0.split(separator: " ").first }
    #expect(names.map(String.init) == ["csv", "metadata", "site", "os", "all"])
  }

  @Test("Markdown has them as a table, and JSON has all of them")
  func documents() throws {
    var result = SampleExplanation.slower
    let found = try #require(Self.comparison(isSingle: false))
    result.add(found)
    let markdown = ExplanationMarkdown(result).rendered()
    #expect(
      markdown.contains("| `metadata (new, with 1 other)` | +5.00 ms ± 0.00 |  84 % |"),
      "\(markdown)"
    )
    let json = ExplanationJSON(result).rendered()
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let modules = try #require(object?["modules"] as? [String: Any])
    #expect(modules["runtime"] as? String == "python" && modules["blocks"] as? Int == 8)
    let list = try #require(modules["modules"] as? [[String: Any]])
    #expect(list.map { $0["name"] as? String } == ["metadata", "os", "site"])
    #expect(list[0]["others"] as? [String] == ["csv"])
    #expect(list[0]["after_ns"] as? Int == 5_003_500)
  }
}
