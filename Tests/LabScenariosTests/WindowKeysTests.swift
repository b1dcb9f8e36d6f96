import LabTestSupport
import LaunchCore
import Testing

@testable import Scenarios

@Suite struct WindowKeysTests {
  private func scenario(_ ready: String, _ rest: String = "") throws -> Scenario {
    let text = """
      scenario: s
      targets:
        app:
          command: [/bin/true]
          ready: \(ready)
      \(rest)
      """
    return try ScenarioFile.load(text: text, path: "/srv/scenario.yml")
  }

  struct Case: CustomTestStringConvertible {
    var ready: String
    var condition: WindowCondition
    var testDescription: String { ready }
  }

  @Test(arguments: [
    Case(ready: "window", condition: WindowCondition(.window)),
    Case(ready: "frame", condition: WindowCondition(.frame)),
    Case(ready: "settled", condition: WindowCondition(.settled(quiet: .milliseconds(300)))),
    Case(ready: "{settled: 2s}", condition: WindowCondition(.settled(quiet: .seconds(2)))),
    Case(
      ready: "{window: {title: ^In, class: mail, nth: 2}}",
      condition: WindowCondition(.window, title: "^In", windowClass: "mail", number: 2)
    ),
    Case(ready: "{frame: {title: In}}", condition: WindowCondition(.frame, title: "In")),
    Case(
      ready: "{settled: {for: 1s, nth: 3}}",
      condition: WindowCondition(.settled(quiet: .seconds(1)), number: 3)
    ),
  ])
  func `reads which moment of which window a launch waits for`(_ test: Case) throws {
    #expect(try scenario(test.ready).targets[0].ready == .window(test.condition))
  }

  @Test func `shows windows on an X server of the run's own unless it is said`() throws {
    #expect(try scenario("exit").neededDisplay == nil)
    #expect(try scenario("frame").neededDisplay == DisplayPlan())
    let own = try scenario("exit", "display: {wayland: headless, size: 800x600}").neededDisplay
    #expect(own == DisplayPlan(server: .wayland, width: 800, height: 600))
    let session = try scenario("frame", "display: {x11: session}").neededDisplay
    #expect(session?.isSession == true)
  }

  @Test func `films launches until the window has settled, and no others`() throws {
    #expect(try scenario("settled\n    film: true").targets[0].isFilmed == true)
    #expect(try scenario("settled").targets[0].isFilmed == nil)
    #expect(try scenario("frame\n    film: false").targets[0].isFilmed == false)
  }

  struct Mistake: CustomTestStringConvertible {
    var ready: String
    var rest = ""
    var problem: String
    var testDescription: String { ready + rest }
  }

  @Test(arguments: [
    Mistake(ready: "{window: {title: '('}}", problem: "the pattern \"(\" cannot be used"),
    Mistake(ready: "{window: {nth: 0}}", problem: "\"0\""),
    Mistake(ready: "frame\n    film: true", problem: "until the window has settled"),
    Mistake(
      ready: "settled\n    film: true",
      rest: "regression: {metrics: [speed_index]}",
      problem: "invalid value \"speed_index\""
    ),
    Mistake(ready: "{settled: 0s}", problem: "no window can be seen to have settled for \"0s\""),
    Mistake(
      ready: "frame",
      rest: "display: {x11: headless, wayland: headless}",
      problem: "not of both"
    ),
    Mistake(ready: "frame", rest: "display: {size: 20x20}", problem: "\"20x20\" is not the size"),
    Mistake(
      ready: "frame",
      rest: "display: {x11: session, size: 800x600}",
      problem: "not launchlab's to set"
    ),
    Mistake(ready: "frame", rest: "display: {x11: home}", problem: "invalid value \"home\""),
  ])
  func `refuses what no window can be`(_ test: Mistake) throws {
    let error = try #require(throws: ScenarioError.self) {
      _ = try scenario(test.ready, test.rest)
    }
    let diagnostic = try #require(error.diagnostics.first)
    #expect(diagnostic.problem.contains(test.problem), "\(diagnostic.problem)")
    #expect(diagnostic.place?.hasPrefix("/srv/scenario.yml:") == true)
    #expect(diagnostic.remedy != nil)
  }

  @Test func `options say the same`() throws {
    var options = MeasureOptions(
      command: ["/bin/true"],
      states: ["warm"],
      launches: 2,
      ready: "settled:1s",
      directory: "/srv"
    )
    options.display = "wayland:session"
    let scenario = try ScenarioFile.load(options: options)
    #expect(scenario.targets[0].ready == .window(WindowCondition(.settled(quiet: .seconds(1)))))
    #expect(scenario.display == DisplayPlan(server: .wayland, isSession: true))
  }
}
