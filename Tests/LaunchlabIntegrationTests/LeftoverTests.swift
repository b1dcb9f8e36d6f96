import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// What commands leave in `/tmp` when they are killed, and what they say where the place is a bad one.
  @Suite struct LeftoverTests {
    /// The directories that a process may have made: those with its number, or with a name at random.
    private func entries(of pid: pid_t) -> Set<String> {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
      return Set(
        names.filter {
          $0.hasPrefix("launchlab-\(pid)-") || $0.wholeMatch(of: /launchlab-[A-Za-z0-9]{6}/) != nil
        }
      )
    }

    @Test(arguments: 0..<6)
    func `restore removes what a killed command has left in /tmp`(moment: Int) async throws {
      let lab = Launchlab()
      let before = entries(of: 0)
      let session = try lab.start(["explain", "--launches", "10", "--", "/bin/true"])
      // The first directory is for the trial of what this host allows; launches have others.
      try #require(try await eventually { entries(of: session.pid) != before })
      try await Task.sleep(for: .milliseconds(moment * 40))
      session.send(SIGKILL)
      _ = try await session.finish()
      #expect(try await eventually { session.processes.isEmpty })

      let restored = try await lab.start(["restore"]).finish()

      #expect(restored.status == 0, "\(restored.stderr)")
      #expect(entries(of: session.pid).subtracting(before) == [])
    }

    @Test(.enabled(if: Machine.canMount, "mounting takes root"))
    func `reads a store on a full disk`() async throws {
      let lab = Launchlab()
      try FileManager.default.createDirectory(
        atPath: lab.path("disk"),
        withIntermediateDirectories: false
      )
      _ = try Tool.run("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", lab.path("disk")])
      defer { _ = try? Tool.run("umount", ["--lazy", lab.path("disk")]) }
      let store = ["--store", "disk/x.sqlite"]
      let run = try await lab.start(
        ["measure"] + store + ["--launches", "3", "--", "/bin/true"]
      ).finish()
      try #require(run.status == 0, "\(run.stderr)")
      _ = try Tool.run("sh", ["-c", "cat /dev/zero > disk/fill"], in: lab.directory)

      for words in [["history"], ["export"]] {
        let output = try await lab.start(words + store).finish()
        #expect(output.status == 0, "\(output.stderr)")
        #expect(output.stdout.contains("ready") || output.stdout.contains("complete"))
      }
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `says whose a store is that cannot be written to`() async throws {
      let lab = try Launchlab.asNobody()
      let old = Repository.root.appending(path: "Tests/LabStoreTests/Fixtures/version-4.sqlite")
      try FileManager.default.copyItem(at: old, to: URL(filePath: lab.path("theirs.sqlite")))
      let measure = ["measure", "--launches", "3", "--store"]

      let store = try await lab.start(measure + ["theirs.sqlite", "--", "/bin/true"]).finish()
      _ = try Tool.run("mkdir", ["-m", "755", lab.path("place")])
      let place = try await lab.start(measure + ["place/x.sqlite", "--", "/bin/true"]).finish()

      #expect(store.status == 128)
      #expect(store.stderr.contains("the store: it belongs to the user root"), "\(store.stderr)")
      #expect(place.status == 128)
      #expect(
        place.stderr.contains("the store: its directory belongs to the user root"),
        "\(place.stderr)"
      )
    }

    @Test(arguments: [
      "import x.csv", "history", "measure --launches 3 -- /bin/true", "gate a..b x.yml",
    ])
    func `says that the working directory is gone`(words: String) async throws {
      let lab = Launchlab()
      let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" \(words)"
      let output = try Tool.run("sh", ["-c", script, lab.executable], in: lab.directory)
      #expect(output.status == 128)
      #expect(
        output.stderr == """
          error: the working directory does not exist any more
            help: change to another one with `cd`

          """
      )
    }

    @Test func `restores from a working directory that is gone`() async throws {
      let lab = Launchlab()
      let script = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" restore"
      let output = try Tool.run(
        "sh",
        ["-c", script, lab.executable],
        in: lab.directory,
        environment: ["LAUNCHLAB_STATE_DIR": lab.path(".lab")]
      )
      #expect(output.status == 0, "\(output.stderr)")
    }
  }
}
