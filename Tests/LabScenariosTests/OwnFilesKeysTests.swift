import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

@Suite(.temporaryDirectory) struct OwnFilesKeysTests {
  private var root: String { TemporaryDirectory.path }

  private func scenario(_ target: String, _ more: String = "") throws -> Scenario {
    let text = """
      scenario: own
      targets: {app: {command: [perl], \(target)}}
      \(more)
      """
    return try ScenarioFile.load(text: text, path: "\(root)/scenario.yml")
  }

  private func problems(_ target: String, _ more: String = "") -> [String] {
    do {
      _ = try scenario(target, more)
      return []
    } catch {
      return (error as? ScenarioError)?.diagnostics.map(\.problem) ?? ["\(error)"]
    }
  }

  @Test func `reads files, directories, patterns and exclusions as absolute paths`() throws {
    try FileManager.default.createDirectory(
      atPath: "\(root)/data",
      withIntermediateDirectories: false
    )
    let target = try #require(
      try scenario("files: [data, 'lib/**/*.jar', '!lib/old', '!/opt/x?'], own: prefix").targets
        .first
    )
    #expect(
      target.files == ["\(root)/data", "\(root)/lib/**/*.jar", "!\(root)/lib/old", "!/opt/x?"]
    )
    #expect(target.own == .prefix)
  }

  @Test func `leads patterns into the built tree`() throws {
    let target = Target(
      name: "app",
      command: ["/r/app"],
      directory: "/r",
      files: ["!/r/a/*", "/etc/*"]
    )
    let scenario = Scenario(
      name: "s",
      targets: [target],
      states: [.warm],
      launches: 1,
      directory: "/r"
    )
    let moved = scenario.rebased(from: "/r", to: "/b")
    #expect(moved.targets.first?.files == ["!/b/a/*", "/etc/*"])
  }

  @Test func `reads how cold a launch has to be`() throws {
    #expect(try scenario("timeout: 1s", "cold: 99.5%").coldShare == 0.995)
    #expect(try scenario("timeout: 1s").coldShare == nil)
    #expect(
      problems("timeout: 1s", "cold: 101%") == ["\"101%\" is not a percentage from 1% to 100%"]
    )
    #expect(
      problems("own: mine").first?.hasPrefix("invalid value \"mine\"") == true
    )
    #expect(problems("files: [missing]") == ["the file \"missing\" does not exist"])
  }
}
