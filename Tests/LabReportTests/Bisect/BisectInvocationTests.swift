import Testing

@testable import Bisection

@Suite struct BisectInvocationTests {
  struct Case: Sendable {
    let words: String
    var range = "v1..HEAD"
    let inside: String
    let launch: String
  }

  @Test(arguments: [
    Case(
      words: "v1..HEAD --build make --json - --markdown=a.md -v --tty -- ./app -v",
      inside: "a..b --build make -v --tty -- ./app -v",
      launch: "--tty"
    ),
    Case(
      words: "--scenario s.yml --skip HEAD~2 --all --env A=1 v1..HEAD --ready stdout:ok",
      inside: "a..b --scenario s.yml --all --env A=1 --ready stdout:ok",
      launch: "--env A=1 --ready stdout:ok"
    ),
    Case(
      words: "--alert R-17 --max-launches 800",
      range: "f00..baa",
      inside: "a..b --alert R-17 --max-launches 800",
      launch: ""
    ),
    Case(
      words: "--artifacts shelf --state-directory d --timeout 5s --max-builds=9 -- v1..HEAD",
      inside: "a..b --artifacts shelf --state-directory d --timeout 5s --max-builds=9 -- v1..HEAD",
      launch: "--state-directory d --timeout 5s"
    ),
  ])
  func `takes over what another range needs`(test: Case) {
    let invocation = BisectInvocation(
      words: test.words.split(separator: " ").map(String.init),
      range: test.range
    )
    #expect(invocation.bisection(of: "a..b").joined(separator: " ") == test.inside)
    #expect(invocation.launchOptions.joined(separator: " ") == test.launch)
  }
}
