import Testing

@testable import LaunchCore

/// Patterns in the syntax of Swift's `Regex`.
@Suite struct TextPatternTests {
  struct Case: CustomTestStringConvertible {
    let pattern: String
    let text: String

    /// What the group `x` holds; nil without a match.
    let found: String?
    var testDescription: String { "\(pattern) in \(text)" }
  }

  @Test(arguments: [
    Case(pattern: #"phase (?<x>\w+) took"#, text: "a phase one took 1 s", found: "one"),
    Case(pattern: "(?<x>a+?)(a*)b", text: "caaab", found: "a"),
    Case(pattern: "(?P<x>a|ab)(c|bcd)", text: "abcd", found: "a"),
    Case(pattern: "(?'x'[^0-9 -]{2,})", text: "1-a bcd", found: "bcd"),
    Case(pattern: "(?i)straße (?<x>É+)", text: "STRAßE éÉ!", found: "éÉ"),
    Case(pattern: #"(?<x>[\p{Lu}\d[:punct:]]+)$"#, text: "aÄ7!", found: "Ä7!"),
    Case(pattern: #"\Qa.b\E(?<x>[]\-x]*)"#, text: "a.b-]x", found: "-]x"),
    Case(pattern: #"\x41\u{e9}(?<x>.{0,2}?)\t"#, text: "Aéz\t", found: "z"),
    Case(pattern: #"(?s:.)(?#note)(?<x>\bb{2}\B)"#, text: "a bbb", found: "bb"),
    Case(pattern: #"(?<x>a{,2})"#, text: "aaa", found: "aa"),
    Case(pattern: #"(?<x>a{x})"#, text: "a{x}", found: "a{x}"),
    Case(pattern: "^(?<x>)$", text: "a", found: nil),
    Case(pattern: "(?:(?<x>a)|b)*", text: "ab", found: "a"),
  ]) func `finds what its group holds`(example: Case) throws {
    let pattern = try TextPattern(example.pattern)
    #expect(pattern.firstMatch(in: example.text)?["x"] == example.found)
  }

  @Test(arguments: [
    ("(a", "there is no \")\" for the \"(\" at character 1"),
    ("a)", "there is no \"(\" for the \")\" at character 2"),
    ("[a", "there is no \"]\" for the \"[\" at character 1"),
    ("a**", "there is nothing to repeat at character 3"),
    ("^+", "there is nothing to repeat at character 2"),
    ("x{3,2}", "the count {3,2} ends below its beginning at character 2"),
    ("a{1,30000}", "the count {1,30000} is above 1000 at character 2"),
    ("[z-a]", "the range ends below its beginning at character 2"),
    ("[a&&b]", "the operation && between sets is not supported, at character 3"),
    ("(?m)^a", "this kind of group is not supported at character 1"),
    (#"\y"#, #"the escape \y is not known at character 1"#),
    (#"\p{Greek}"#, #"the property "Greek" is not known at character 1"#),
    ("(?<a>x)(?<a>y)", "there are two groups named \"a\" at character 8"),
    ("\\", "nothing follows the \"\\\" at character 1"),
  ]) func `says what is wrong, and where`(text: String, problem: String) {
    #expect(error(text)?.problem == problem)
  }

  @Test(arguments: [
    "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(?>a)", "a++", "(a)\\1", "(?<x>a)\\k<x>",
  ]) func `refuses what takes backtracking`(text: String) {
    #expect(error(text)?.problem.contains("cannot be matched in linear time") == true)
  }

  @Test(arguments: [
    "((((a{1,9}){1,9}){1,9}){1,9}){1,9}", "((a{100}){100}){100}", "(((){1000}){1000}){1000}",
    String(repeating: "a|", count: 1_000), "(a{0,1000})*",
  ]) func `refuses a pattern whose machine is too large`(text: String) {
    #expect(error(text)?.problem.hasSuffix("1000 is the most") == true)
  }

  @Test func `refuses groups that are nested too deep`() {
    let text = String(repeating: "(", count: 100_000)
    #expect(error(text)?.problem == "groups are nested more than 100 deep at character 101")
  }

  @Test func `refuses an atom that is repeated too many times over`() {
    let text = "a" + String(repeating: "*", count: 100_000)
    #expect(throws: PatternError.self) { try OutputPattern(text) }
  }

  /// They take a backtracking matcher longer than anybody lives.
  @Test(arguments: [
    "(?<x>(a*)*b)", "(?<x>(a|a)*b)", "(?<x>(a+a+)+y)", "(?<x>(.*)(.*)(.*)(.*)(.*)b)",
    "(?<x>(a?){200}a{200}b)",
  ]) func `ends on every pattern`(text: String) throws {
    let pattern = try TextPattern(text)
    #expect(pattern.firstMatch(in: String(repeating: "a", count: 1_000)) == nil)
  }

  /// Random patterns on random texts, against Swift's own matcher, which has other places for `\b`.
  @Test func `finds what a backtracking matcher finds`() throws {
    var random = RandomPatterns(state: 12)
    for _ in 0..<3_000 {
      let text = random.pattern(depth: 3)
      let theirs = try Regex("(?<x>\(text))")
      let ours = try TextPattern("(?<x>\(text))")
      for _ in 0..<4 {
        let subject = random.subject()
        let expected = try theirs.firstMatch(in: subject)?.output["x"]?.substring.map(String.init)
        let found = ours.firstMatch(in: subject)?["x"]
        #expect(found == expected, "\(text) in \"\(subject)\"")
      }
    }
  }

  private func error(_ text: String) -> PatternError? {
    do throws(PatternError) {
      _ = try TextPattern(text)
      return nil
    } catch { return error }
  }
}

/// Makes patterns that mean the same in the syntaxes of Swift and of POSIX, where asked for.
struct RandomPatterns {
  var state: UInt64

  /// Whether lazy quantifiers and escapes of Perl may come.
  var isPosix = false

  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }

  mutating func subject() -> String {
    let letters = ["a", "b", "c", " ", "1", "-"]
    return (0..<next(12)).map { _ in letters[next(letters.count)] }.joined()
  }

  mutating func pattern(depth: Int) -> String {
    (0...next(3)).map { _ in
      // What repeats is never empty: the matchers differ in how they leave such loops.
      let atom = atom(depth: depth)
      return atom.isRepeatable ? atom.text + quantifier() : atom.text
    }
    .joined()
  }

  private mutating func atom(depth: Int) -> (text: String, isRepeatable: Bool) {
    switch next(depth > 0 ? 9 : 7) {
    case 0: return (".", true)
    case 1: return ("[ab]", true)
    case 2: return ("[^a1-]", true)
    case 3: return ([#"\w"#, "[[:digit:]]", #"\W"#][next(3)], true)
    // The C library is wrong about some anchors in groups that repeat.
    case 4: return (depth == 3 ? ["^", "$"][next(2)] : "a", false)
    case 5, 6: return (["a", "b", "c", "-"][next(4)], true)
    case 7:
      return ("(\(pattern(depth: depth - 1))|\(pattern(depth: depth - 1)))", false)
    default: return ("(c\(pattern(depth: depth - 1)))", true)
    }
  }

  private mutating func quantifier() -> String {
    let all = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}"]
    let lazy = isPosix ? 0 : next(2)
    let chosen = all[next(all.count)]
    return chosen.isEmpty || lazy == 0 ? chosen : chosen + "?"
  }
}
