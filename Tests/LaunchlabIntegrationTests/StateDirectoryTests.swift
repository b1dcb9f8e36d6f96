import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Directories that a scenario wants emptied, and that are somebody's.
  @Suite struct StateDirectoryTests {
    private func write(_ directory: String, in lab: Launchlab) throws {
      try lab.write(
        """
        scenario: stateful
        targets:
          program:
            command: ["true"]
            state: [\(directory)]
        states: [first-run]
        launches: 5
        """,
        to: "scenario.yml"
      )
    }

    @Test(arguments: [
      "/var/lib/dpkg", "\(NSHomeDirectory())/.cache", "/var/cache/apt", "/home",
      "/opt/launchlab-no",
    ])
    func `refuses them with their place, and in a dry run too`(directory: String) async throws {
      let lab = Launchlab()
      try write(directory, in: lab)
      for arguments in [["--dry-run"], []] {
        let output = try await lab.start(["run", "scenario.yml"] + arguments).finish()
        #expect(output.status == 64)
        #expect(output.stderr.contains("\"\(directory)\": it "), "\(output.stderr)")
        #expect(output.stderr.contains("\n  at: scenario.yml:5:13\n  help: "), "\(output.stderr)")
      }
      #expect(!lab.exists(".launchlab"))
    }

    /// Somebody else's link among the parents of what root empties, rewrites, copies or writes.
    @Test(
      .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
      arguments: [
        "run scenario.yml", "run scenario.yml --dry-run", "allow ud/link/a",
        "measure --state reinstall-cold --install ud/link/a --launches 3 -- true",
        "measure --launches 3 --json ud/link/x.json -- true",
        "measure --launches 3 --store ud/link/x.sqlite -- true",
      ]
    )
    func `goes through no link of another user`(words: String) async throws {
      let lab = Launchlab()
      try lab.write("precious", to: "data/a/file")
      _ = try Tool.run(
        "sh",
        ["-c", "mkdir ud; ln -s ../data ud/link; chown -h 65534 ud ud/link"],
        in: lab.directory
      )
      try write("ud/link/a", in: lab)
      let before = lab.contents.filter { $0.key.hasPrefix("data/") }

      let output = try await lab.start(words.split(separator: " ").map(String.init)).finish()

      #expect([64, 128].contains(output.status), "\(output.stdout)")
      let owner =
        "\"\(lab.path("ud"))\" belongs to the user nobody, who can exchange anything that "
      let link =
        "\"\(lab.path("ud/link"))\" belongs to the user nobody, who can exchange anything that "
      #expect(
        output.stderr.contains(owner) || output.stderr.contains(link),
        "\(output.stderr)"
      )
      #expect(lab.contents.filter { $0.key.hasPrefix("data/") } == before)
    }

    /// As hyperfine and git write where they are told to.
    @Test func `writes an output through a link of the user's own`() async throws {
      let lab = Launchlab()
      try lab.write("", to: "results/keep")
      try FileManager.default.createSymbolicLink(
        atPath: lab.path("link"),
        withDestinationPath: "results"
      )
      let output = try await lab.run("measure --launches 3 --json link/x.json -- true")
      #expect(output.status == 0, "\(output.stderr)")
      #expect(lab.names(in: "results").sorted() == ["keep", "x.json"])
    }

    @Test(.enabled(if: Machine.isRoot, "a directory in /opt takes root"))
    func `empties a directory elsewhere once it is allowed, and keeps the permit`() async throws {
      let lab = Launchlab()
      let directory = "/opt/launchlab-\(UUID().uuidString)"
      let files = FileManager.default
      try files.createDirectory(atPath: directory, withIntermediateDirectories: false)
      defer { try? files.removeItem(atPath: directory) }
      _ = files.createFile(atPath: "\(directory)/old", contents: Data())
      try write(directory, in: lab)

      let refused = try await lab.start(["run", "scenario.yml"]).finish()

      #expect(refused.status == 64)
      #expect(refused.stderr.contains("with `launchlab allow \(directory)`"), "\(refused.stderr)")
      #expect(files.fileExists(atPath: "\(directory)/old"))

      let allowed = try await lab.run("allow", directory)
      #expect(allowed.status == 0, "\(allowed.stderr)")
      #expect(allowed.stderr.contains("which holds 1 entry now"))
      let output = try await lab.run("run", "scenario.yml", "--no-verdict")

      #expect(output.status != 64, "\(output.stderr)")
      #expect(try await lab.launches().count == 5)
      #expect(try files.contentsOfDirectory(atPath: directory) == [".launchlab-may-empty"])
      let again = try await lab.run("run", "scenario.yml", "--no-verdict", "--dry-run")
      #expect(again.status == 0, "\(again.stderr)")
    }
  }
}
