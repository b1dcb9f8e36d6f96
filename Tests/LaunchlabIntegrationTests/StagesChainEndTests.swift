import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs and chains that the probe cannot follow.
  @Suite struct StagesChainEndTests {
    private static let source = """
      #include <stdio.h>
      #include <unistd.h>
      int main(void) { printf("%d\\n", (int)geteuid()); return 0; }
      """

    @Test func `says that a program with an empty environment is not seen`() async throws {
      let block = try await Launchlab().block(of: ["env", "-i", "/usr/bin/perl", "-e", "0"])

      #expect(block.program.map { URL(filePath: $0).lastPathComponent } == "env")
      #expect(block.notes("the last program that was seen is env"))
    }

    @Test func `uses breakpoints for a script whose interpreter empties the environment`()
      async throws
    {
      let lab = Launchlab()
      // The kernel gives env one argument, which it splits by -S only.
      try lab.writeScript("#!/usr/bin/env -S -i /usr/bin/perl\n0;\n", to: "script")

      let block = try await lab.block(of: ["./script"])

      #expect(block.format == "launchlab.breakpoints")
      #expect(block.notes("empties the environment"))
    }

    @Test func `says that a shell may have executed a static program`() async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(
        Self.source,
        in: lab.directory,
        linking: .staticProgram
      )

      let block = try await lab.block(of: ["sh", "-c", "exec \(program.path)"])

      #expect(block.program.map { URL(filePath: $0).lastPathComponent } == "dash")
      #expect(block.notes("what it may have executed in its place"))
    }

    @Test(.enabled(if: Machine.isRoot && Machine.has("chroot"), "chroot takes root"))
    func `says that what runs in a chroot is not seen`() async throws {
      let lab = Launchlab()
      _ = try CompiledProgram(
        Self.source,
        name: "hello",
        in: lab.directory,
        linking: .staticProgram
      )

      let block = try await lab.block(of: ["chroot", lab.directory, "/hello"])

      #expect(block.program.map { URL(filePath: $0).lastPathComponent } == "chroot")
      #expect(block.notes("the last program that was seen is chroot"))
    }

    @Test(
      .enabled(
        if: Machine.canMount && Machine.hasMemoryFileSystem,
        "mounting a small file system takes root"
      )
    ) func `says that a sandbox has memory of its own, which lacks the probe`() async throws {
      let lab = Launchlab()
      let script = "mount -t tmpfs none /dev/shm && /bin/true"

      let block = try await lab.block(of: ["unshare", "--mount", "sh", "-c", script])

      #expect(block.notes("a loader says on the target's stderr that it cannot load the probe"))
    }

    @Test(.enabled(if: Machine.isRoot, "another owner takes root"))
    func `does not load the probe into a setuid program`() async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, in: lab.directory)
      try Self.makeSetuid(program.path)

      let block = try await lab.block(of: [program.path])
      let statistics = try await lab.block(["--collect", "statistics"], of: [program.path])
      let chain = try await lab.block(of: ["sh", "-c", "\(program.path) > effective"])

      #expect(block.format == "launchlab.breakpoints")
      #expect(block.notes("is set-user-ID, where the loader takes no probe"))
      #expect(block.parts.map(\.name) == Launchlab.probeStages)
      #expect(statistics.notes("the loader wrote no statistics"))
      #expect(statistics.parts.isEmpty)
      #expect(chain.format == "launchlab.probe")
      // It kept its rights though a parent was watched.
      let effective = try String(contentsOfFile: lab.path("effective"), encoding: .utf8)
      #expect(effective == "65534\n")
    }

    @Test(
      .enabled(if: Machine.isRoot, "another owner takes root"),
      arguments: ["probe", "breakpoints", "marks"]
    ) func `prints nothing of its own to the target's output`(collector: String) async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, in: lab.directory)
      _ = try CompiledProgram(
        Self.source,
        name: "fixed",
        in: lab.directory,
        linking: .staticProgram
      )
      try Self.makeSetuid(program.path)
      let commands = [
        "./program", "./fixed", "env -i ./program", "chroot \(lab.directory) /fixed",
        "perl -e 'print STDERR 1'", "chroot \(lab.directory) /program",
      ]
      try lab.writeScript(
        "#!/bin/sh\n\(commands.map { "{ \($0); } >> \"$1\" 2>&1\n" }.joined())exit 0\n",
        to: "script"
      )

      _ = try await lab.run("measure", "--launches", "1", "--", "./script", "plain")
      _ = try await lab.stages(["--collect", collector], of: ["./script", "watched"])

      // What made the program warm has run as well.
      let plain = try lines(of: "plain", in: lab)
      #expect(plain.count > 2)
      #expect(try lines(of: "watched", in: lab) == plain)
    }

    /// Gives a program to nobody, with the bit that makes it run with the rights of its owner.
    private static func makeSetuid(_ path: String) throws {
      let owner: [FileAttributeKey: Any] = [
        .ownerAccountID: 65_534, .groupOwnerAccountID: 65_534,
      ]
      try FileManager.default.setAttributes(owner, ofItemAtPath: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o4755], ofItemAtPath: path)
    }

    private func lines(of name: String, in lab: Launchlab) throws -> Set<Substring> {
      Set(try String(contentsOfFile: lab.path(name), encoding: .utf8).split(separator: "\n"))
    }
  }
}
