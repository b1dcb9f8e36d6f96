import Foundation
import LaunchCore
import LaunchStatistics
import Rendering
import Testing

@testable import Explanation

@Suite("An explanation in Markdown")
struct ExplanationMarkdownTests {
  @Test("has the sentence, the table and how it was measured")
  func rendered() {
    #expect(
      ExplanationMarkdown(SampleExplanation.slower).rendered() == #"""
        ### B is 5.9 ms slower than A (2.65 → 8.57 ms, 95 % interval +5.6 to +6.3 ms)

        **Why**: `wait_for_device` (new), clock\_nanosleep 0 → 1: +5.2 of +5.9 ms (88 %); 2 more reasons

        | reason                  | before, ms | after, ms | difference, ms | share | evidence                                                           |
        | ----------------------- | ---------: | --------: | -------------: | ----: | ------------------------------------------------------------------ |
        | `wait_for_device` (new) |       0.00 |      5.20 |   +5.20 ± 0.04 |  88 % | `main › wait_for_device`; clock\_nanosleep 0 → 1                   |
        | `load_plugins` (new)    |       0.00 |      1.10 |   +1.10 ± 0.09 |  19 % | `main › load_plugins › scan_plugins`; openat, read plugins/ 0 → 40 |
        | `old_cache` (gone)      |       0.40 |      0.00 |   −0.40 ± 0.03 |  −7 % | `main › old_cache`                                                 |
        | not attributed          |            |           |          +0.03 | 0.4 % |                                                                    |
        | in all, traced          |       2.60 |      8.53 |   +5.92 ± 0.30 | 100 % |                                                                    |

        The same: libraries, processes, threads.

        Also different: newfstatat /usr/share/zoneinfo/ 2 → 3.

        <details>
        <summary>How it was measured</summary>

        - A: `./app-old --version`
        - B: `./app-new --version`
        - 16 + 16 plain, 16 + 16 traced (+4 % CPU), 16 + 16 sampled (+24 % CPU); figures from 8 fresh blocks

        </details>

        """#
    )
  }

  @Test("shows names as they are, whatever they hold")
  func escaped() {
    var result = SampleExplanation.slower
    result.explanation.reasons[0].path = [CodeFrame(file: "program", function: "a`|<b>")]
    let text = ExplanationMarkdown(result).rendered()
    #expect(text.contains(#"**Why**: `` a`\|<b> `` (new)"#))
  }

  @Test("is taken from the depot by other hosts, whatever the names hold")
  func kept() throws {
    for name in ["f", "a`|<b>", "``<![x](y)\\|<b>\u{1B}\u{202E}", "operator[]", "<script>"] {
      var result = SampleExplanation.slower
      result.explanation.reasons[0].path = [CodeFrame(file: "program", function: name)]
      result.arms[0].name = name
      result.arms[0].command = [name, "a | b", "a\\|b"]
      let kept = try #require(KeptExplanation(result))
      #expect(kept.explanation(by: "r").foreignPart == nil)
      #expect(kept.documents.foreignPart == nil)
    }
  }

  @Test("has no sentence where there is nothing to explain")
  func nothing() {
    #expect(ExplanationMarkdown(SampleExplanation.same).why() == nil)
    #expect(ExplanationMarkdown(SampleExplanation.single).why() == nil)
  }

  @Test("the parts of one program add up as they are shown")
  func parts() throws {
    let text = ExplanationMarkdown(SampleExplanation.single).rendered()
    let numbers = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).compactMap
    {
      let cell = $0.split(separator: "|")[1].trimmingCharacters(in: .whitespaces)
      return Double(cell.replacing("−", with: "-"))
    }
    let sum = try #require(numbers.last)
    #expect(numbers.count > 8)
    #expect(abs(numbers.dropLast().reduce(0, +) - sum) < 0.001)
  }
}

@Suite("An explanation as JSON")
struct ExplanationJSONTests {
  private func object(_ result: ExplanationResult) throws -> [String: Any] {
    let text = ExplanationJSON(result).rendered()
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any])
  }

  private func list(_ value: Any?) throws -> [[String: Any]] {
    try #require(value as? [[String: Any]])
  }

  @Test("has the whole difference, its parts and how it was measured")
  func whole() throws {
    let object = try object(SampleExplanation.slower)
    #expect(object["schema"] as? String == "launchlab.explain/1")
    #expect(object["outcome"] as? String == "different")
    #expect(object["exit_code"] as? Int == 0)
    let difference = try #require(object["difference"] as? [String: Any])
    #expect(difference["plain_ns"] as? Int == 5_920_000)
    #expect(difference["traced_ns"] as? Int == 5_925_000)
    #expect(difference["queue_ns"] as? Int == 20_000)
    #expect(difference["harness_ns"] as? Int == 1_000)
    let traced = try #require(difference["traced"] as? [String: Any])
    #expect(traced["before_ns"] as? Int == 2_600_000)
    #expect(traced["ci95"] as? [Double] == [5_625_000, 6_225_000])
    let coverage = try #require(object["coverage"] as? [String: Any])
    #expect(coverage["share"] as? Double == 0.996)
    #expect(coverage["ci95"] as? [Double] == [0.95, 1.02])
    #expect(object["unattributed_ns"] as? Int == 25_000)
    #expect(object["parts"] is NSNull)
    let arms = try list(object["arms"])
    #expect(arms.map { $0["command"] as? [String] }[1] == ["./app-new", "--version"])
    let collectors = try list(object["collectors"])
    #expect(collectors.map { $0["name"] as? String } == ["plain", "timeline", "profile"])
    #expect(collectors[2]["cost_ratio"] as? Double == 1.243)
    #expect(collectors[0]["cost_ratio"] is NSNull)
  }

  @Test("has each reason with its path, its figures and its counts")
  func reasons() throws {
    let object = try object(SampleExplanation.slower)
    let reasons = try list(object["reasons"])
    #expect(reasons.map { $0["rank"] as? Int } == [1, 2, 3])
    #expect(reasons.map { $0["kind"] as? String } == ["sleep", "file", "own-code"])
    #expect(reasons.map { $0["novelty"] as? String } == ["new", "new", "gone"])
    let reason = reasons[1]
    #expect(reason["text"] as? String == "load_plugins (new)")
    #expect(reason["actor"] as? String == "main thread")
    #expect(reason["object"] as? String == "plugins/")
    #expect(reason["difference_ns"] as? Int == 1_100_000)
    #expect(reason["ci95"] as? [Double] == [1_010_000, 1_190_000])
    #expect(reason["confirmed_blocks"] as? Int == 8)
    let functions = try list(reason["path"]).map { $0["function"] as? String }
    #expect(functions == ["main", "load_plugins"])
    let count = try list(reason["counts"])[0]
    #expect(count["kind"] as? String == "call")
    #expect(count["name"] as? String == "openat")
    #expect(count["object"] as? String == "plugins/")
    #expect(count["after"] as? Double == 40)
    #expect(count["certain"] as? Bool == true)
    #expect(try list(object["withdrawn"]).count == 1)
  }

  @Test("has a tree whose children add up to their parents")
  func tree() throws {
    for name in ["tree", "resources"] {
      let nodes = try list(try object(SampleExplanation.slower)[name])
      #expect(nodes.first?["kind"] as? String == "root")
      for node in nodes {
        let children = nodes.filter { $0["parent"] as? Int == node["id"] as? Int }
        guard !children.isEmpty else { continue }
        for field in ["before_ns", "after_ns", "difference_ns"] {
          let sum = children.reduce(0) { $0 + ($1[field] as? Int ?? .min / 100) }
          #expect(sum == node[field] as? Int)
        }
      }
    }
  }

  @Test("has the parts of one program")
  func single() throws {
    let object = try object(SampleExplanation.single)
    #expect(object["outcome"] as? String == "single")
    let parts = try list(object["parts"])
    #expect(parts.first?["group"] as? String == "waits")
    #expect(parts.first?["time_ns"] as? Int == 5_200_000)
    #expect(parts.reduce(0) { $0 + ($1["time_ns"] as? Int ?? 0) } == 8_525_000)
  }

  @Test("is the same text each time")
  func stable() {
    func text() -> String {
      let text = ExplanationJSON(SampleExplanation.single).rendered()
      return text
    }
    #expect(text() == text())
    let names = text().split(separator: "\n").filter { $0.hasPrefix("  \"") }
      .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    #expect(names.prefix(4) == ["schema", "sentence", "outcome", "exit_code"])
    #expect(names.suffix(3) == ["warnings", "store", "files"])
  }
}

@Suite("An explanation for speedscope")
struct SpeedscopeProfileTests {
  @Test("has a profile of each program, and the difference in two")
  func profiles() throws {
    let text = SpeedscopeProfile(SampleExplanation.slower).rendered()
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let object = try #require(value as? [String: Any])
    let profiles = try #require(object["profiles"] as? [[String: Any]])
    #expect(
      profiles.map { $0["name"] as? String } == ["A", "B", "slower in B", "faster in B"]
    )
    let ends = profiles.map { $0["endValue"] as? Int ?? 0 }
    #expect(ends[0] == 2_600_000 && ends[1] == 8_525_000)
    #expect(ends[2] - ends[3] == 5_925_000)
    let shared = try #require(object["shared"] as? [String: Any])
    let frames = try #require(shared["frames"] as? [[String: Any]])
    for profile in profiles {
      let samples = try #require(profile["samples"] as? [[Int]])
      let weights = try #require(profile["weights"] as? [Int])
      #expect(samples.count == weights.count && weights.allSatisfy { $0 > 0 })
      #expect(weights.reduce(0, +) == profile["endValue"] as? Int)
      #expect(samples.joined().allSatisfy(frames.indices.contains))
    }
  }
}
