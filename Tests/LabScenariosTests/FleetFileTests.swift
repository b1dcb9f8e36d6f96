import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

@Suite(.temporaryDirectory) struct FleetFileTests {
  private func load(_ text: String) throws -> FleetPlan {
    let path = "\(TemporaryDirectory.path)/fleet.yml"
    try Data(text.utf8).write(to: URL(filePath: path))
    return try FleetFile.load(path: path)
  }

  @Test func `reads every key`() throws {
    let plan = try load(
      """
      fleet: lab
      depot: postgresql://?service=lab
      scenarios: [redis.yml, /srv/node.yml]
      hosts: [h1, h2.example]
      builders: [b1]
      engine: slurm
      partition: measure
      program: /opt/launchlab
      time: 2h
      named: true
      drain: true
      """
    )
    var expected = FleetPlan()
    expected.name = "lab"
    expected.depot = "postgresql://?service=lab"
    expected.scenarios = ["\(TemporaryDirectory.path)/redis.yml", "/srv/node.yml"]
    expected.hosts = ["h1", "h2.example"]
    expected.builders = ["b1"]
    expected.partition = "measure"
    expected.directory = TemporaryDirectory.path
    expected.program = "/opt/launchlab"
    expected.timeLimit = .seconds(7200)
    expected.namesHosts = true
    expected.drains = true
    #expect(plan == expected)
    #expect(plan.store(of: "h1").hasSuffix("/.launchlab/hosts/h1/launchlab.sqlite"))
  }

  @Test func `the example is a fleet`() throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().appending(path: "../../..")
    let file = root.standardizedFileURL.appending(path: "Scenarios/fleet/fleet.yml")
    let plan = try FleetFile.load(path: file.path)
    #expect(plan.engine == .slurm)
    #expect(!plan.scenarios.isEmpty)
  }

  @Test func `the local engine names its hosts`() throws {
    let plan = try load(
      "{fleet: a, depot: 'postgresql:///x', scenarios: [s.yml], engine: local, hosts: [b]}"
    )
    #expect(plan.engine == .local)
    #expect(plan.namesHosts)
  }

  @Test(arguments: [
    ("depot: postgresql:///x\nscenarios: [a.yml]", "the fleet lacks the key \"fleet\""),
    ("fleet: a\nscenarios: [a.yml]", "the fleet lacks the key \"depot\""),
    ("fleet: a\ndepot: lab\nscenarios: [a.yml]", "\"lab\" is not the URI of a depot"),
    ("fleet: a\ndepot: postgresql:///x\nscenarios: []", "\"scenarios\" is an empty list"),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml, a.yml]",
      "the scenario \"a.yml\" is given twice"
    ),
    ("fleet: a b\ndepot: postgresql:///x\nscenarios: [a.yml]", "\"a b\" is not a name"),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nhosts: [h1, h1]",
      "the host \"h1\" is given twice"
    ),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nhosts: ['h 1']",
      "\"h 1\" is not a name"
    ),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nengine: local",
      "the engine local does not know what hosts there are"
    ),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nengine: local\nhosts: [a]\npartition: p",
      "partitions are Slurm's, and the engine is local"
    ),
    (
      "fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nhosts: [a, b]\nbuilders: [b]",
      "\"b\" is a host and a builder"
    ),
    ("fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nprogram: bin/x", "is not absolute"),
    ("fleet: a\ndepot: postgresql:///x\nscenarios: [a.yml]\nnodes: [a]", "unknown key \"nodes\""),
  ])
  func `tells what is wrong, and where`(text: String, problem: String) throws {
    let error = try #require(throws: ScenarioError.self) { try load(text) }
    let diagnostic = try #require(error.diagnostics.first)
    #expect(diagnostic.problem.contains(problem), "\(diagnostic.problem)")
    #expect(diagnostic.place?.contains("fleet.yml:") ?? false)
    #expect(diagnostic.remedy != nil)
  }

  @Test func `a file that is not there is an error`() throws {
    let error = try #require(throws: ScenarioError.self) { try FleetFile.load(path: "/none.yml") }
    #expect(
      error.diagnostics.map(\.problem)
        == ["cannot read the fleet file \"/none.yml\": there is no such file"]
    )
    #expect(error.diagnostics.map(\.remedy) == ["give the path of a fleet file"])
  }
}
