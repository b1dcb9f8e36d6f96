import Testing

@testable import LaunchCore
@testable import Scenarios

/// Texts that are made to cost much are refused, each with a place.
///
/// A bomb that went off would end this process or never return.
struct YAMLLimitTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var id: String
  }

  @Test(arguments: cases)
  func `refuses a text made to cost much`(_ hostile: Case) {
    do throws(ScenarioError) {
      _ = try ScenarioFile.load(text: hostile.text, path: "s.yml")
      Issue.record("it was taken for a scenario")
    } catch {
      #expect(error.diagnostics.contains { $0.id == hostile.id })
      #expect(error.diagnostics.allSatisfy { $0.place?.hasPrefix("s.yml:") == true })
    }
  }

  private static let bomb =
    "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + (1...30).map { level in
      let alias = "*a\(level - 1)"
      let list = Array(repeating: alias, count: 10).joined(separator: ", ")
      return "a\(level): &a\(level) [\(list)]\n"
    }.joined()

  private static let cases = [
    Case(testDescription: "nested aliases", text: bomb, id: "scenario-too-large"),
    Case(
      testDescription: "nested aliases as an explicit key",
      text: bomb + "? *a30\n: x\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "nested aliases as a key",
      text: bomb + "*a30 : x\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "nested aliases in a list as a key",
      text: bomb + "[*a30] : x\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "nested aliases in a list as a key of a flow map",
      text: bomb + "b: {[*a30]:x}\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "nested aliases in a map as a key",
      text: bomb + "b: {{x: *a30}: x}\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "nested aliases in an explicit key of a flow map",
      text: bomb + "b: {?[*a30] : x}\n",
      id: "alias-in-key"
    ),
    Case(
      testDescription: "brackets without end",
      text: String(repeating: "[", count: 500_000),
      id: "scenario-too-deep"
    ),
    Case(
      testDescription: "dashes without end",
      text: String(repeating: "- ", count: 500_000),
      id: "scenario-too-deep"
    ),
    Case(
      testDescription: "900 closed brackets",
      text: String(repeating: "[", count: 900) + String(repeating: "]", count: 900),
      id: "scenario-too-deep"
    ),
    Case(
      testDescription: "maps in keys",
      text: String(repeating: "{", count: 20) + "a" + String(repeating: ": x}", count: 20),
      id: "wrong-type"
    ),
    Case(
      testDescription: "a long list",
      text: "scenario: [\(String(repeating: "x,", count: 400_000))]",
      id: "scenario-too-large"
    ),
    Case(
      testDescription: "many keys",
      text: (0..<100_000).map { "k\($0):\n" }.joined(),
      id: "scenario-too-large"
    ),
    Case(
      testDescription: "the same key again and again",
      text: String(repeating: "scenario: s\n", count: 80_000),
      id: "duplicate-key"
    ),
    Case(
      testDescription: "a text of a mebibyte",
      text: "scenario: \(String(repeating: "x", count: 1_000_000))",
      id: "invalid-value"
    ),
    Case(
      testDescription: "an anchor in itself",
      text: "scenario: &a [*a]",
      id: "yaml-syntax"
    ),
    Case(
      testDescription: "a control character",
      text: "scenario: \u{1}",
      id: "yaml-syntax"
    ),
  ]
}
