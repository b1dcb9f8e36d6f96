import ArgumentParser
import Testing

@testable import Bisection
@testable import launchlab

@Suite struct BisectCommandTests {
  struct Case: Sendable {
    let words: String
    let problem: String
  }

  @Test(arguments: [
    Case(words: "", problem: "missing a range such as v1.0..HEAD"),
    Case(words: "--resume last --replay log", problem: "--resume cannot be used with --replay"),
    Case(words: "--resume last a..b", problem: "a range cannot be used with --resume"),
    Case(
      words: "--resume last --min-effect 2% --max-time 1h --all --path src",
      problem: "--min-effect, --all, --path cannot be used with --resume"
    ),
    Case(words: "--replay log --max-time 1h", problem: "--max-time cannot be used"),
    Case(words: "--replay log --jobs 2", problem: "--jobs cannot be used with --replay"),
    Case(words: "--replay log --store s", problem: "--store cannot be used with --replay"),
    Case(
      words: "a..b --scenario s --build make",
      problem: "--build cannot be used with --scenario"
    ),
    Case(
      words: "a..b --scenario s --ready exit",
      problem: "--ready cannot be used with --scenario"
    ),
    Case(words: "--alert R-1 -- true", problem: "a command cannot be used with --alert"),
    Case(words: "--artifacts d --path src -- a", problem: "--path cannot be used with --artifacts"),
    Case(words: "--artifacts d --jobs 2 -- a", problem: "--jobs cannot be used with --artifacts"),
    Case(words: "--replay l --no-explain", problem: "--no-explain cannot be used with --replay"),
    Case(words: "a..b --build make --jobs 0 -- a", problem: "--jobs must be at least 1"),
    Case(words: "a..b --build m --max-builds 1 -- a", problem: "--max-builds must be at least 2"),
  ])
  func `says which option cannot be used`(test: Case) throws {
    let words = test.words.split(separator: " ").map(String.init)
    let error = #expect(throws: (any Error).self) { try Launchlab.Bisect.parse(words) }
    let message = Launchlab.Bisect.message(for: try #require(error))
    #expect(message.contains(test.problem), "\(message)")
  }

  @Test(arguments: [
    "a..b --scenario s --max-time 1h --jobs 2 --metric fixup --state warm",
    "a..b --build make --ready exit --path src -- ./app --version",
    "--alert R-1 --scenario s --retry-failed", "--alert R-1 a..b", "--artifacts d v1..v2 -- app",
    "--resume last --max-launches 8000 --max-builds 40 --max-time 2h --no-explain",
    "--resume last --jobs 2 --build-timeout 5m --retry-failed --store s --json -",
    "--replay log --markdown m --git-log -",
  ])
  func `takes what belongs together`(words: String) throws {
    _ = try Launchlab.Bisect.parse(words.split(separator: " ").map(String.init))
  }

  /// What a command of another kind can take over is what both know.
  @Test func `knows which options are its own`() {
    func options(of help: String) -> Set<String> {
      Set(help.matches(of: /(?m)^ +(?:-\w, )?(--[a-z][a-z-]+)/).map { String($0.output.1) })
    }
    let bisect = options(of: Launchlab.Bisect.helpMessage())
    let compare = options(of: Launchlab.Compare.helpMessage())
    let own = BisectInvocation.ownOptions.union(BisectInvocation.ownFlags)
    #expect(bisect.count > 40)
    #expect(bisect.subtracting(own).isSubset(of: compare))
    #expect(own.subtracting(["-v"]).isSubset(of: bisect))
  }
}
