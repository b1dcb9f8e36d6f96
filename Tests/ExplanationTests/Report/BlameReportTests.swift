import Foundation
import LaunchCore
import Rendering
import Testing

@testable import Explanation

@Suite("Changed code in reports")
struct BlameReportTests {
  private func frame(_ function: String) -> CodeFrame {
    CodeFrame(file: "program", function: function)
  }

  /// The reason whose code changed, one whose caller's did, and one that is new with its code.
  private var result: ExplanationResult {
    var result = SampleExplanation.slower
    result.explanation.reasons[0].novelty = .more
    result.explanation.reasons[1].novelty = .more
    result.explanation.reasons[1].path = ["main", "load_plugins", "scan_plugins"].map(frame)
    result.explanation.reasons[1].hotPath = []
    result.explanation.add(
      CodeDifference(
        changed: ["load_plugins", "main", "wait_for_device"].map(frame),
        new: ["a", "b", "c"].map(frame),
        gone: [frame("old_cache")],
        sections: [
          .init(file: "program", name: ".text", before: 100, after: 900),
          .init(file: "program", name: ".rodata", before: 4_000, after: 5_280),
          .init(file: "libplug.so.1", name: ".init_array", before: 8, after: 24),
        ],
        libraries: .init(new: ["libz.so.1"], gone: [])
      )
    )
    return result
  }

  @Test("the terminal shows who is to blame, and what changed without time")
  func text() {
    let text = ExplanationText(result, style: TextStyle(width: 80)).rendered()
    #expect(
      text.contains(
        """
          1  wait_for_device (code changed)  +5.20 ms   88 %  ± 0.04  sleep
             main › wait_for_device
             clock_nanosleep 0 → 1
          2  scan_plugins                    +1.10 ms   19 %  ± 0.09  files
             main › load_plugins › scan_plugins
             code changed in: load_plugins
             openat, read plugins/ 0 → 40
          3  old_cache (gone)                −0.40 ms   −7 %  ± 0.03  own code
             main › old_cache
        """
      )
    )
    #expect(
      text.contains(
        "\nchanged without time: main, a (new), b (new), c (new), .rodata +1,280 bytes, 2\n  more\n"
      )
    )
    let all = ExplanationText(result, style: TextStyle(width: .max), isVerbose: true).rendered()
    #expect(
      all.contains(
        "\nchanged without time: main, a (new), b (new), c (new), .rodata +1,280 bytes, "
          + "libplug.so.1 initializers 1 → 3, needs libz.so.1\n"
      )
    )
  }

  @Test("a title that is cut still says that its code changed")
  func cut() {
    var result = result
    let name = String(repeating: "very_long_name_", count: 10)
    result.explanation.reasons[0].path = [frame(name)]
    result.explanation.reasons[0].blame = Blame(function: name, file: "program", change: .changed)
    let text = ExplanationText(result, style: TextStyle(width: 80)).rendered()
    #expect(text.contains("… (code changed)  +5.20 ms"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("says so where the code is the same, and nothing where it is not known")
  func same() {
    var result = SampleExplanation.slower
    func line() -> String? { ExplanationWords.codeLine(of: result.explanation, atMost: 5) }
    #expect(line() == nil)
    result.explanation.add(CodeDifference())
    #expect(line() == "same code")
    result.explanation.code?.sections = [
      .init(file: "program", name: ".rodata", before: 1_000_000, after: 999_999)
    ]
    #expect(line() == "same code, .rodata −1 byte")
    result.explanation.code?.uncompared = ["program"]
    #expect(line() == "changed without time: .rodata −1 byte")
    result.explanation.code?.sections = []
    #expect(line() == nil)
  }

  @Test("with -v a reason says that no function on its path changed, if that is known")
  func untouched() {
    var result = SampleExplanation.slower
    func text() -> String {
      ExplanationText(result, style: TextStyle(width: .max), isVerbose: true).rendered()
    }
    let words = "no changed function on the path"
    #expect(!text().contains(words))
    result.explanation.add(CodeDifference())
    #expect(text().contains(words))
    result.explanation.code?.uncompared = ["program"]
    #expect(!text().contains(words))
  }

  @Test("the function to blame leads the sentence of a report")
  func why() {
    var result = result
    #expect(
      ExplanationMarkdown(result).why()?.hasPrefix(
        #"**Why**: `wait_for_device` (code changed), clock\_nanosleep 0 → 1: +5.2 of"#
      ) == true
    )
    result.explanation.reasons.removeFirst()
    #expect(
      ExplanationMarkdown(result).why()?.hasPrefix(
        "**Why**: `load_plugins` (code changed), through `scan_plugins`, openat, read"
      ) == true
    )
    result.explanation.reasons[0].path = [frame("main")]
    result.explanation.reasons[0].hotPath = [frame("load_plugins")]
    #expect(
      ExplanationMarkdown(result).why()?.hasPrefix(
        "**Why**: `load_plugins` (code changed), called by `main`, openat, read"
      ) == true
    )
    let text = ExplanationMarkdown(result).rendered()
    #expect(text.contains(#"; code changed in: load\_plugins; openat, read plugins/"#))
    #expect(text.contains("\n\nChanged without time: "))
  }

  @Test("JSON has who is to blame, and all that differs")
  func json() throws {
    let text = ExplanationJSON(result).rendered()
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let object = try #require(value as? [String: Any])
    let reasons = try #require(object["reasons"] as? [[String: Any]])
    let blame = try #require(reasons[1]["blame"] as? [String: String])
    #expect(blame == ["function": "load_plugins", "file": "program", "changed": "changed"])
    let code = try #require(object["static"] as? [String: Any])
    func functions(_ key: String) -> [String] {
      (code[key] as? [[String: String]] ?? []).compactMap { $0["function"] }
    }
    #expect(functions("functions_changed") == ["load_plugins", "main", "wait_for_device"])
    #expect(functions("functions_new") == ["a", "b", "c"])
    #expect(functions("functions_gone") == ["old_cache"])
    #expect(functions("without_time") == ["main", "a", "b", "c"])
    #expect((code["sections"] as? [[String: Any]])?.count == 3)
    #expect(
      code["libraries"] as? [[String: String]] == [["name": "libz.so.1", "change": "new"]]
    )
    let slower = ExplanationJSON(SampleExplanation.slower).rendered()
    #expect(slower.contains(#""static": null"#) && slower.contains(#""blame": null"#))
  }

  @Test("the flame graph gives changed functions a border")
  func border() {
    let svg = FlameGraph(result).svg()
    #expect(svg.split(separator: #"class="changed""#).count - 1 == 4)
    #expect(svg.contains(", code changed</title>"))
    #expect(!FlameGraph(SampleExplanation.slower).svg().contains(#"class="changed""#))
  }
}
