import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What the host can do, and what of it is known and suppressed.
  @Suite struct DoctorTests {
    @Test func `says as JSON what this machine can do`() async throws {
      let lab = Launchlab()

      let output = try await lab.run("doctor", "--json", "-")

      #expect(output.status == 0)
      let findings = try Findings(output.stdout)
      #expect(findings.schema == "launchlab.doctor/1")
      #expect(findings.counts["suppressed"] == 0)
      #expect(findings.counts.values.reduce(0, +) == findings.capabilities.count)
      let root = try #require(findings.capabilities.first { $0.id == "root" })
      #expect(root.status == (Machine.isRoot ? "ok" : "degraded"))
      for capability in findings.capabilities where capability.status != "ok" {
        #expect(capability.remedy?.isEmpty == false, "\(capability.id)")
      }
    }

    @Test func `is strict about what is missing and not suppressed`() async throws {
      let lab = Launchlab()
      let findings = try Findings(try await lab.run("doctor", "--json", "-").stdout)
      let missing = findings.capabilities.filter { $0.status == "missing" }.map(\.id)
      let suppressions = missing.flatMap { ["--suppress", $0] }

      let strict = try await lab.run("doctor", "--strict")
      let suppressed = try await lab.start(["doctor", "--strict", "--json", "-"] + suppressions)
        .finish()

      #expect(strict.status == (missing.isEmpty ? 0 : 128))
      #expect(suppressed.status == 0)
      let rest = try Findings(suppressed.stdout)
      #expect(rest.counts["missing"] == 0)
      #expect(rest.counts["suppressed"] == missing.count)
      #expect(rest.capabilities.filter(\.suppressed).map(\.id) == missing)
    }

    @Test func `tells what a killed run has left, until it is restored`() async throws {
      let lab = Launchlab()
      try lab.writeProgram("open F, '>', 'begun'; close F; sleep 600 while 1")
      let session = try lab.start(["measure", "--timeout", "600s", "--", "./program"])
      try #require(try await eventually { lab.exists("begun") })
      session.killHard(withSpawner: true)
      _ = try await session.finish()

      let left = try Findings(try await lab.start(["doctor", "--json", "-"]).finish().stdout)
      let restoration = try await lab.start(["restore", "--json", "-"]).finish()
      let restored = try Findings(try await lab.run("doctor", "--json", "-").stdout)
      let again = try await lab.run("restore")

      #expect(left.capabilities.first { $0.id == "leftovers" }?.status == "degraded")
      #expect(restoration.status == 0)
      #expect(restoration.stdout.contains("\"launchlab.restore/1\""))
      #expect(restored.capabilities.first { $0.id == "leftovers" }?.status == "ok")
      #expect(again.stdout.contains("nothing to restore"))
      #expect(session.leftovers == [])
    }

    @Test func `shows suppressed findings beside the name of the run`() async throws {
      let lab = Launchlab()
      let options = ["--suppress", "virtual-host", "--suppress", "debug-build"]
      let name = "measure-true [suppressed: debug-build, virtual-host]"

      let result = try await lab.measure([], options, of: ["/bin/true"])
      let text = try await lab.start(["measure"] + options + ["--", "/bin/true"]).finish()
      try lab.write(Self.scenario, to: "scenario.yml")
      let run = try await lab.run("run", "scenario.yml", "--suppress", "debug-build")

      #expect(result.run.name == name)
      #expect(result.run.scenario == "measure-true")
      #expect(!result.warnings.contains { ["virtual-host", "debug-build"].contains($0.id) })
      #expect(text.stdout.hasPrefix(name))
      #expect(!text.stderr.contains("without optimisation"))
      #expect(run.stdout.hasPrefix("known [suppressed: debug-build, governor]"))
      let report = try String(contentsOfFile: lab.path("report/run.md"), encoding: .utf8)
      #expect(report.contains("known \\[suppressed: debug-build, governor\\]"))
    }

    private static let scenario = """
      scenario: known
      targets:
        true: {command: [/bin/true]}
      states: [warm]
      launches: 3
      controls: {suppress: [governor]}
      """
  }
}

/// What `doctor --json` writes.
private struct Findings: Decodable {
  let schema: String
  let counts: [String: Int]
  let capabilities: [Capability]

  struct Capability: Decodable {
    let id: String
    let status: String
    let suppressed: Bool
    let remedy: String?
  }

  init(_ text: String) throws {
    self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
  }
}
