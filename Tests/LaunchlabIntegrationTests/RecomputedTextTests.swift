import Foundation
import LabTestSupport
import Testing

/// Whether the numbers in sentences and tables agree with each other, by a script that reads nothing but
/// what is printed.
private func disagreements(in text: String, of kind: String) throws -> [String] {
  let script = Repository.root
    .appending(path: "Tests/LaunchlabIntegrationTests/recompute_texts.py").path
  let path = "\(TemporaryDirectory.path)/\(kind).txt"
  try text.write(toFile: path, atomically: true, encoding: .utf8)
  let output = try Tool.run("python3", [script, kind, path])
  let problems = output.stdout.split(separator: "\n").map(String.init)
    .filter { !$0.hasPrefix("agrees") }
  return output.status == 0 ? [] : problems + [output.stderr]
}

/// The script itself, on numbers that were printed once and do not agree.
@Suite(.temporaryDirectory, .enabled(if: Machine.has("python3"), "python3 is not installed"))
struct RecomputeTextsScriptTests {
  struct Case: CustomTestStringConvertible {
    let kind: String
    let text: String
    var agrees = false
    var testDescription: String { text }
  }

  private static let compared =
    "B and A are the same within 2.0 % (95 % interval −0.4 % to +0.6 %)\n\n"

  private static let cases = [
    Case(
      kind: "compare",
      text: compared + "warm  4.214 ms  4.184 ms  +0.1 %  −0.4 % to +0.6 %  same  50"
    ),
    Case(
      kind: "compare",
      text: compared + "warm  4.214 ms  4.218 ms  +0.1 %  −0.4 % to +0.6 %  same  50",
      agrees: true
    ),
    Case(
      kind: "compare",
      text: compared + "warm  786.4 µs  11.27 ms  ×14  ×13 to ×15  regression  50"
    ),
    Case(
      kind: "explain",
      text: "perl takes 3.38 ms (95 % interval 3.2 to 3.5 ms), spent in\n\n"
        + "  own code  main            3.86 ms  100 %\n            in all, traced  3.86 ms  100 %\n"
    ),
    Case(
      kind: "explain",
      text: "x\n  own code  main  1.00 ms  50 %\n  in all, traced  2.00 ms  100 %\n"
    ),
    Case(
      kind: "bisect",
      text: "stage  before     after  difference  share\n"
        + "init   2.000 ms  1.900 ms  −0.100 ms  −0.2 ms to 0.0 ms  −656 %"
    ),
    Case(
      kind: "bisect",
      text:
        "4.214 ms good, 4.184 ms bad\n| bad against good | +0.1 %, 99 % interval −0.4 % to +0.6 % |"
    ),
    Case(
      kind: "measure",
      text: "warm  5.381 ms  1.591…5.410  3.900 ± 1.900  3.6 ms²  49 %  1.580…5.420  10  cold"
    ),
    Case(kind: "gate", text: "failed  app: instructions  6.704 M  11.67 M  +54 %  +1.0 %"),
    Case(kind: "gate", text: "passed  app: instructions  6.704 M  11.67 M  +74 %  +1.0 %"),
    Case(
      kind: "gate",
      text: "failed  app: instructions  6.704 M  11.67 M  +74 %  +1.0 %",
      agrees: true
    ),
  ]

  @Test(arguments: cases)
  func `finds numbers that do not agree`(_ example: Case) throws {
    #expect(try disagreements(in: example.text, of: example.kind).isEmpty == example.agrees)
  }
}

extension EndToEnd {
  @Suite(
    .temporaryDirectory,
    .enabled(if: Machine.has("python3"), "python3 is not installed"),
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  )
  struct RecomputedTextTests {
    private let lab = Launchlab()

    private func agrees(_ kind: String, _ arguments: String...) async throws {
      let output = try await lab.run(arguments: [kind] + arguments)
      let all = output.stdout + (kind == "measure" ? output.stderr : "")
      #expect(try disagreements(in: all, of: kind) == [], "\(all)\n\(output.stderr)")
    }

    @Test func `numbers of measure and compare agree`() async throws {
      // One half of the launches takes much longer than the other.
      try lab.writeProgram("select undef, undef, undef, 0.05 if $$ % 2; exit 0", to: "two")
      try await agrees("measure", "--launches", "12", "--", lab.path("two"))
      let slow = #"perl -e "select undef, undef, undef, 0.02""#
      try await agrees("compare", "--max-time", "2s", "true", slow)
      try await agrees("compare", "--max-time", "2s", "perl -e 0", "perl -e 1")
    }

    @Test(.enabled(if: geteuid() == 0, "tracing takes root"))
    func `numbers of explain agree`() async throws {
      try await agrees("explain", "--", "perl", "-e", "0")
      try await agrees("explain", "--time", "20s", "perl -e 0", "perl -MPOSIX -e 0")
    }

    @Test func `numbers of gate and bisect agree`() async throws {
      try lab.writeProject(build: "cc -o app main.c")
      try lab.makeRepository()
      let slow = "int main(void) { for (volatile long i = 0; i < 5000000; i++) {} return 0; }\n"
      try lab.write(slow, to: "repository/main.c")
      try lab.commit()
      try await agrees("gate", "HEAD~1..HEAD", "--max-time", "2s", "-v")
      try await agrees(
        "bisect",
        "HEAD~1..HEAD",
        "--scenario",
        "scenario.yml",
        "--max-launches",
        "200",
        "-v"
      )
      if Machine.has("valgrind") {
        try await agrees(
          "bisect",
          "HEAD~1..HEAD",
          "--scenario",
          "scenario.yml",
          "--metric",
          "instructions",
          "-v"
        )
      }
    }
  }
}
