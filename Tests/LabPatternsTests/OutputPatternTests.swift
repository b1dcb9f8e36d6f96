import Glibc
import Testing

@testable import LaunchCore

/// Patterns of the output of programs, in the syntax of POSIX.
@Suite struct OutputPatternTests {
  @Test(arguments: [
    ("(", "there is no \")\" for the \"(\" at character 1"),
    ("*a", "there is nothing to repeat at character 1"),
    ("a|+b", "there is nothing to repeat at character 3"),
    ("^*", "there is nothing to repeat at character 2"),
    ("a{x}", "the braces hold no count such as {2} or {2,5} at character 2"),
    ("[[:nothing:]]", "the class [:nothing:] is not known at character 2"),
    ("[b-a]", "the range ends below its beginning at character 2"),
    ("a{1,30000}", "the count {1,30000} is above 1000 at character 2"),
  ]) func `says what is wrong, and where`(text: String, problem: String) {
    #expect(error(text)?.problem == problem)
  }

  @Test func `refuses references back, and machines that are too large`() {
    #expect(error(#"(a)\1"#)?.problem.contains("cannot be matched in linear time") == true)
    #expect(error("((a{1,99}){1,99}){1,99}")?.problem.hasSuffix("1000 is the most") == true)
  }

  /// Random patterns on random lines, against the matcher of the C library.
  @Test func `matches what the C library matches`() throws {
    var random = RandomPatterns(state: 5, isPosix: true)
    for _ in 0..<3_000 { try compare(random.pattern(depth: 3), &random) }
  }

  @Test(arguments: [
    "a)b", "[]a]c", "[^]a]", "[a-]+", "a||b", "()", "a{,2}b", #"\<b"#, #"c\>"#, #"\`a"#, #"b\'"#,
    #"\.|\-"#, "[[.a.]b]", "[[=a=]]", "a**b", "a{2}{2}", #"[\w]"#, #"\s1"#, #"\S-"#, "(a|b)*c$|^1",
    "[[:alpha:][:digit:]]{3}", "a+?b", "^^a", "b$$",
  ]) func `reads what the C library reads`(text: String) throws {
    var random = RandomPatterns(state: 9)
    try compare(text, &random)
  }

  private func compare(_ text: String, _ random: inout RandomPatterns) throws {
    var theirs = unsafe regex_t()
    try #require(unsafe regcomp(&theirs, text, REG_EXTENDED | REG_NOSUB) == 0, "\(text)")
    defer { unsafe regfree(&theirs) }
    let ours = try OutputPattern(text)
    for _ in 0..<30 {
      let line = random.subject()
      let expected = unsafe regexec(&theirs, line, 0, nil, 0) == 0
      #expect(ours.matches(line) == expected, "\(text) in \"\(line)\"")
    }
  }

  private func error(_ text: String) -> PatternError? {
    do throws(PatternError) {
      _ = try OutputPattern(text)
      return nil
    } catch { return error }
  }
}
