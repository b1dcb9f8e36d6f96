import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What this machine, or this user, cannot bring about.
  @Suite struct BadStateTests {
    @Test(.enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory"))
    func `refuses hard links under install until they are resolved`() async throws {
      let lab = Launchlab()
      let program = try lab.copyProgram("/bin/true", to: "app/program")
      try FileManager.default.linkItem(atPath: program, toPath: lab.path("elsewhere"))
      let inode = try FileManager.default.attributesOfItem(atPath: program)[.systemFileNumber]
      let arguments = [
        "measure", "--launches", "3", "--state", "reinstall-cold", "--install", "app", "--",
        "app/program",
      ]

      let output = try await lab.start(arguments).finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("\"\(program)\" has several hard links"))
      #expect(output.stderr.contains("at: \(lab.path("app"))"))
      let remedy = "cp -p \(program) \(program).new && mv \(program).new \(program)"
      #expect(output.stderr.contains("help: give it an inode of its own with `\(remedy)`"))
      let after = try FileManager.default.attributesOfItem(atPath: program)[.systemFileNumber]
      #expect(after as? Int == inode as? Int)
      #expect(try await lab.runs().isEmpty)

      #expect(try Tool.run("sh", ["-c", remedy]).status == 0)
      #expect(try await lab.start(arguments).finish().status == 0)
    }

    @Test(
      .enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"),
      .enabled(if: Machine.isTemporaryDirectoryOnDisk, "the temporary directory is in memory")
    )
    func `says without root that nobody knows whether a launch was cold`() async throws {
      let lab = try Launchlab.asNobody()
      let program = try lab.copyProgram("/bin/true", to: "program")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)

      let output = try await lab.run(
        "measure --launches 3 --state reinstall-cold --state warm -- \(program)"
      )

      #expect(output.status == 0)
      #expect(output.stderr.contains("unverified: whether 3 of 3 launches reached"))
      #expect(output.stderr.contains("help: run as root"))
      #expect(!output.stdout.contains("pinned"))
      let launches = try await lab.launches()
      #expect(launches.count == 6)
      for launch in launches {
        let expected = launch.state == "warm" ? "reached" : "not-verified"
        #expect(launch.stateReached == expected)
      }
    }
  }
}
