import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct BadScenarioTests {
    /// A scenario file that cannot be run.
    struct Mistake: CustomTestStringConvertible {
      let name: String
      let text: String
      let problem: String
      let place: String
      let remedy: String
      var testDescription: String { name }
    }

    private static let head = "scenario: x\ntargets:\n  a:\n    command: [/bin/true]\n"

    @Test(arguments: [
      Mistake(
        name: "misspelt key",
        text: head + "launchs: 3\n",
        problem: "unknown key \"launchs\"",
        place: "5:1",
        remedy: "write `launches`"
      ),
      Mistake(
        name: "no YAML",
        text: "scenario: [x\n",
        problem: "not valid YAML",
        place: "2:1",
        remedy: "correct the indentation, quotes or brackets"
      ),
      Mistake(
        name: "nothing",
        text: "",
        problem: "the file is empty",
        place: "1:1",
        remedy: "write a first scenario with `launchlab init`"
      ),
    ]) func `refuses a scenario at its place and touches nothing`(mistake: Mistake) async throws {
      let lab = Launchlab()
      try lab.write(mistake.text, to: "scenario.yml")
      let before = lab.contents

      let output = try await lab.run("run", "scenario.yml")

      #expect(output.status == 64)
      #expect(output.stderr.contains("error: "))
      #expect(output.stderr.contains(mistake.problem))
      #expect(output.stderr.contains("at: scenario.yml:\(mistake.place)"))
      #expect(output.stderr.contains("help: \(mistake.remedy)"))
      #expect(output.stdout.isEmpty)
      #expect(lab.contents == before)
    }

    @Test(arguments: ["0", "1000000000", "-1"])
    func `refuses a number of launches on the command line`(number: String) async throws {
      let lab = Launchlab()

      let output = try await lab.run("measure", "--launches=\(number)", "--", "/bin/true")

      #expect(output.status == 64)
      #expect(output.stderr.contains("\"\(number)\" is not a whole number from 1 to 1000000"))
      #expect(output.stderr.contains("help: "))
      #expect(lab.contents.isEmpty)
    }

    @Test(arguments: ["absent.yml", "folder", "bytes.yml"])
    func `refuses what is no scenario file`(name: String) async throws {
      let lab = Launchlab()
      try lab.write("", to: "folder/file")
      try Data([0x73, 0xFF, 0xFE, 0x00, 0x0A]).write(to: URL(filePath: lab.path("bytes.yml")))
      let problems = [
        "absent.yml": "there is no such file", "folder": "it is a directory",
        "bytes.yml": "the file is not UTF-8 text",
      ]

      let output = try await lab.run("run", name)

      #expect(output.status == 64)
      #expect(output.stderr.contains(try #require(problems[name])))
      #expect(output.stderr.contains("at: \(name)"))
      #expect(output.stderr.contains("help: "))
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `refuses a scenario that may not be read`() async throws {
      let lab = try Launchlab.asNobody()
      try lab.write(Self.head, to: "scenario.yml")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600],
        ofItemAtPath: lab.path("scenario.yml")
      )

      let output = try await lab.run("run", "scenario.yml")

      #expect(output.status == 64)
      #expect(output.stderr.contains("cannot read the scenario \"scenario.yml\""))
      #expect(output.stderr.contains("at: scenario.yml"))
      #expect(output.stderr.contains("help: "))
    }
  }
}
