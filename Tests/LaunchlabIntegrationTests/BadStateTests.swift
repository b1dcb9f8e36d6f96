import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// What this machine, or this user, cannot bring about.
  @Suite struct BadStateTests {
    @Test(
      .enabled(if: Machine.hasMemoryFileSystem, "there is no tmpfs at /dev/shm"),
      arguments: ["reboot-cold", "reinstall-cold", "first-run"]
    ) func `refuses a cold state of a target in memory`(state: String) async throws {
      let lab = Launchlab()
      let program = "/dev/shm/launchlab-\(UUID().uuidString)"
      try FileManager.default.copyItem(
        at: URL(filePath: "/bin/true").resolvingSymlinksInPath(),
        to: URL(filePath: program)
      )
      defer { try? FileManager.default.removeItem(atPath: program) }

      let output = try await lab.run(
        "measure",
        "--launches",
        "3",
        "--state",
        state,
        "--",
        program
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("lies on tmpfs, in memory, and has no state \"\(state)\""))
      #expect(output.stderr.contains("at: \(program)"))
      #expect(output.stderr.contains("help: copy it to a disk"))
      #expect(try await lab.runs().isEmpty)
    }

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

    @Test func `names who holds the port that is waited for`() async throws {
      let lab = Launchlab()
      let port = try Machine.freePort()
      let holder = try lab.start(port: port)
      // The threads of tests block SIGTERM, and so do the programs that they start.
      defer { _ = kill(holder.processIdentifier, SIGKILL) }
      try #require(try await eventually { lab.exists("listening") })

      let output = try await lab.run(
        "measure",
        "--launches",
        "5",
        "--ready",
        "tcp:127.0.0.1:\(port)",
        "--",
        "/bin/sleep",
        "100"
      )

      #expect(output.status == 128)
      let problem = "port \(port) is in use by pid \(holder.processIdentifier) (perl)"
      #expect(output.stderr.contains("error: not started: \(problem)"))
      #expect(output.stderr.contains("stop it, or choose another port"))
      let launches = try await lab.launches()
      #expect(launches.count == 3)
      #expect(launches.allSatisfy { $0.reason?.contains(problem) == true })
      #expect(holder.isRunning)
    }

    @Test(.enabled(if: Machine.canBecomeNobody, "becoming another user takes root and setpriv"))
    func `refuses reboot-cold without root, with the remedy`() async throws {
      let lab = try Launchlab.asNobody()

      let output = try await lab.run(
        "measure",
        "--launches",
        "3",
        "--state",
        "reboot-cold",
        "--",
        "/bin/true"
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("cannot reach the state \"reboot-cold\""))
      #expect(output.stderr.contains("at: /proc/sys/vm/drop_caches"))
      #expect(output.stderr.contains("help: run as root"))
      #expect(try await lab.runs().isEmpty)
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
        "measure",
        "--launches",
        "3",
        "--state",
        "reinstall-cold",
        "--state",
        "warm",
        "--",
        program
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

extension Launchlab {
  /// Starts a program that listens on a port, and writes the file `listening` once it does.
  func start(port: Int) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/perl")
    let source = """
      my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:\(port)") or die;
      open my $f, '>', 'listening'; close $f; sleep 100
      """
    process.arguments = ["-MIO::Socket::INET", "-e", source]
    process.currentDirectoryURL = URL(filePath: directory)
    try process.run()
    return process
  }
}
