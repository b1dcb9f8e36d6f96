import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// The files of a launch that are learnt, shown, and evicted.
  @Suite struct FilesCommandTests {
    private struct Shown: Decodable {
      let schema: String
      let rule: String
      let files: [File]

      struct File: Decodable {
        let path: String
        let isOwn: Bool
        let isProgram: Bool
        let reason: String
      }
    }

    private func shown(_ output: Tool.Output) throws -> Shown {
      #expect(output.status == 0, "\(output.stderr)")
      return try StoredRun.decoder.decode(Shown.self, from: Data(output.stdout.utf8))
    }

    /// A program with a module and data, which an everyday tool starts.
    private func writeApplication(in lab: Launchlab) throws {
      try lab.copyProgram("/usr/bin/perl", to: "app/bin/perl")
      try lab.write("package Module; 1", to: "app/lib/Module.pm")
      try lab.write(String(repeating: "data", count: 100_000), to: "app/lib/data")
      try lab.write(
        "use lib 'app/lib'; use Module; open my $f, '<', 'app/lib/data' or die; my @l = <$f>;",
        to: "app/main.pl"
      )
    }

    private static let command = ["nice", "./app/bin/perl", "app/main.pl"]

    private static let own = [
      "app/bin/perl", "app/lib/Module.pm", "app/lib/data", "app/main.pl",
    ]

    @Test func `shows the files of a command, and why each is its own`() async throws {
      let lab = Launchlab()
      try writeApplication(in: lab)
      let session = try lab.start(["files", "--json", "-", "--"] + Self.command)
      let shown = try shown(try await session.finish())
      #expect(shown.schema == "launchlab.files/1")
      #expect(shown.rule == "package")
      let own = shown.files.filter(\.isOwn).map(\.path)
      #expect(Set(own).isSuperset(of: Self.own.map(lab.path)))
      let nice = try #require(shown.files.first { $0.path.hasSuffix("/nice") })
      #expect(nice.isOwn && nice.isProgram && nice.reason == "executed")
      let library = try #require(shown.files.first { $0.path.hasSuffix("/libc.so.6") })
      #expect(!library.isOwn && !library.isProgram)
      #expect(lab.exists(".launchlab/learnt"))
    }

    @Test func `shows the files of one target of a scenario`() async throws {
      let lab = Launchlab()
      try writeApplication(in: lab)
      try lab.write(
        """
        scenario: files
        targets:
          app: {command: [./app/bin/perl, app/main.pl], files: ['!app/lib/**']}
          other: {command: ["true"]}
        """,
        to: "scenario.yml"
      )
      let shown = try shown(
        try await lab.run("files", "scenario.yml", "--target", "app", "--json", "-")
      )
      let data = try #require(shown.files.first { $0.path == lab.path("app/lib/data") })
      #expect(!data.isOwn && data.reason == "left out under files")
      let unclear = try await lab.run("files", "scenario.yml")
      #expect(unclear.status == 64)
      #expect(unclear.stderr.contains("one of the scenario's targets: app, other"))
    }

    @Test(
      .enabled(if: Machine.isRoot, "residency takes root"),
      .enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory")
    )
    func `makes cold what a launcher starts, and what that opens`() async throws {
      let lab = Launchlab()
      try writeApplication(in: lab)
      let arguments = [
        "measure", "--state", "reinstall-cold", "--launches", "3", "--files", "!/usr/bin/nice",
        "--json", "-", "--",
      ]
      let output = try await lab.start(arguments + Self.command).finish()
      #expect(output.status == 0, "\(output.stderr)")
      let arm = try #require(try RunResult(output.stdout).arms.first)
      #expect(arm.residency.residentPages == 0)
      #expect(arm.stateReached.reached == 3)
      #expect(arm.warmUps == 1)
      let read = try #require(arm.metrics["bytes_read"] ?? nil)
      #expect(read.min >= 400_000)
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `learns without root too`() async throws {
      let lab = try Launchlab.asNobody()
      try writeApplication(in: lab)
      let session = try lab.start(["files", "--json", "-", "--"] + Self.command)
      let own = try shown(try await session.finish()).files.filter(\.isOwn).map(\.path)
      #expect(Set(own).isSuperset(of: Self.own.map(lab.path)))
    }
  }
}
