import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs with the probe and without it.
  @Suite struct ProbeSweepTests {
    private struct Sweep: Decodable {
      var schema: String
      var counts: [String: Int]
      var programs: [Program]
      var notes: [String]

      struct Program: Decodable {
        var path: String
        var arguments: [String]?
        var verdict: String
        var difference: Difference?
        var reason: String?

        var name: String { URL(filePath: path).lastPathComponent }
      }

      struct Difference: Decodable {
        var place: String
        var plain: String?
        var other: String?
      }
    }

    private func sweep(_ lab: Launchlab, status: Int32) async throws -> [String: Sweep.Program] {
      let output = try await lab.run("selftest", "--probe", "bin", "--json", "-")
      #expect(output.status == status, "\(output.stderr)")
      let result = try JSONDecoder().decode(Sweep.self, from: Data(output.stdout.utf8))
      #expect(result.schema == "launchlab.probe-sweep/1")
      #expect(result.counts.values.reduce(0, +) == result.programs.count)
      return Dictionary(uniqueKeysWithValues: result.programs.map { ($0.name, $0) })
    }

    /// A directory whose programs everybody may run.
    private func lab() throws -> Launchlab {
      let lab = Launchlab()
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: lab.directory
      )
      return lab
    }

    @Test func `tells programs that do the same from those that do not`() async throws {
      let lab = try lab()
      try lab.copyProgram("/bin/true", to: "bin/true")
      try lab.writeProgram("print \"$$ $ENV{HOME}\\n\" x 3; exit 4", to: "bin/own-id")
      try lab.writeProgram(
        "exit 3 if $ARGV[0] ne '--help'; warn \"auditors: $ENV{LD_AUDIT}\\n\";",
        to: "bin/tells-auditors"
      )
      try lab.writeScript("#!/bin/sh\ntouch /tmp/launchlab-rebooted\n", to: "bin/reboot")
      try lab.write("no program", to: "bin/text")

      let programs = try await sweep(lab, status: 1)

      #expect(Set(programs.keys) == ["true", "own-id", "tells-auditors", "reboot"])
      #expect(programs["true"]?.verdict == "same")
      #expect(programs["true"]?.arguments == ["--version"])
      #expect(programs["own-id"]?.verdict == "differs_by_itself")
      let auditors = try #require(programs["tells-auditors"])
      #expect(auditors.verdict == "differs_with_probe")
      #expect(auditors.arguments == ["--help"])
      #expect(auditors.difference?.plain == "auditors: ")
      #expect(auditors.difference?.other?.hasSuffix("/probe.so") == true)
      #expect(programs["reboot"]?.verdict == "left_out")
      #expect(!FileManager.default.fileExists(atPath: "/tmp/launchlab-rebooted"))
    }

    @Test(
      .enabled(
        if: CompiledProgram.isPossible(linking: .staticProgram),
        "there is no C compiler `cc`"
      )
    )
    func `says which programs have no loader, and ends well without differences`() async throws {
      let lab = try lab()
      let program = try CompiledProgram(
        "int main(void) { return 0; }",
        in: lab.directory,
        linking: .staticProgram
      )
      try lab.copyProgram(program.path, to: "bin/static")

      let programs = try await sweep(lab, status: 0)

      #expect(programs["static"]?.verdict == "not_probed")
      #expect(programs["static"]?.reason?.contains("static program") == true)
      #expect(programs["static"]?.arguments == nil)
    }

    @Test func `gives each run an empty home, and no right to write elsewhere`() async throws {
      let lab = try lab()
      try lab.writeProgram(
        """
        exit 1 if glob("$ENV{HOME}/*") or -t STDIN or <STDIN>;
        open(my $file, ">", "$ENV{HOME}/left") or exit 2;
        """,
        to: "bin/writes"
      )

      let output = try await lab.run("selftest", "--probe", "bin")

      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      #expect(output.stdout.contains("1  do the same with the probe as without"))
      if Machine.isRoot { #expect(output.stderr.contains("as nobody")) }
    }

    @Test func `refuses a directory without programs`() async throws {
      let output = try await Launchlab().run("selftest", "--probe", ".")

      #expect(output.status == 64)
      #expect(output.stderr.contains("there is no program in it"))
    }
  }
}
