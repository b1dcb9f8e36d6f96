import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ReinstallerTests {
  private var root: String { TemporaryDirectory.path }

  private func reinstaller(_ name: String = "app") -> Reinstaller {
    Reinstaller(directory: DeclaredDirectory(FilePath("\(root)/\(name)"), role: .install))
  }

  private var surroundings: Surroundings {
    Surroundings(home: nil, workingDirectory: "/nonexistent", kept: [:])
  }

  @discardableResult
  private func shell(_ script: String) throws -> String {
    try TestMachine.shell(script, in: root)
  }

  @Test func `ends between two files when it is interrupted`() throws {
    try shell("mkdir app; echo one > app/one")
    let digest = try TestMachine.digest(of: "\(root)/app")
    let interrupt = try InterruptFlag()
    interrupt.set()
    #expect(throws: HostError.interrupted) { try reinstaller().reinstall(interrupt: interrupt) }
    #expect(try TestMachine.digest(of: "\(root)/app") == digest)
  }

  @Test func `gives every regular file a new inode and keeps the rest`() throws {
    try shell(
      """
      mkdir -p app/lib/deep; head -c 3000000 /dev/urandom > app/lib/big; : > app/empty
      echo tool > app/tool; chmod 4751 app/tool; touch -d 2001-02-03T04:05:06.789 app/tool
      echo odd > app/$'new\\nline'; echo odd > app/lib/$'not-utf8-\\377'; chmod 444 app/lib/big
      ln -s ../tool app/lib/link; ln -s /etc/passwd app/absolute; mkfifo app/pipe
      touch -d 2002-02-02 app/lib app
      """
    )
    // Another file may get an inode number that has just become free, so names belong to them.
    let inodes = "find app -type f -printf '%p %i\\0'"
    let digest = try TestMachine.digest(of: "\(root)/app")
    let before = try shell(inodes).split(separator: "\0")
    let others = try shell("find app ! -type f -printf '%i\\n' | sort")

    let result = try reinstaller().reinstall()

    #expect(result.files == 5)
    #expect(result.bytes == 3_000_000 + 5 + 4 + 4)
    #expect(result.duration > .zero)
    #expect(try TestMachine.digest(of: "\(root)/app") == digest)
    #expect(try Set(shell(inodes).split(separator: "\0")).isDisjoint(with: before))
    #expect(try shell("find app ! -type f -printf '%i\\n' | sort") == others)
  }

  @Test(.enabled(if: TestMachine.isRoot, "giving files away takes root"))
  func `keeps the owner`() throws {
    try shell("mkdir app; echo x > app/file; chown 1234:4321 app/file; chmod 6755 app/file")
    _ = try reinstaller().reinstall()
    #expect(try shell("stat -c '%u %g %a' app/file") == "1234 4321 6755")
  }

  @Test(.enabled(if: TestMachine.hasSetcap, "capabilities take root and setcap"))
  func `keeps capabilities`() throws {
    try shell(
      "mkdir app; cp /bin/true app/file; chown 1234 app/file; setcap cap_net_raw+ep app/file"
    )
    let before = try OpenFile(reading: FilePath("\(root)/app/file")).attributes()
    _ = try reinstaller().reinstall()
    #expect(!before.isEmpty)
    #expect(try OpenFile(reading: FilePath("\(root)/app/file")).attributes() == before)
  }

  @Test func `refuses hard-linked files before anything is changed`() throws {
    try shell("mkdir app; echo x > other; ln other app/linked")
    let problems = reinstaller().check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.count == 1)
    #expect(problems.first?.problem.contains("app/linked\" has several hard links") == true)
    #expect(throws: HostError.self) { try reinstaller().reinstall() }
    #expect(try shell("stat -c %h other; cat app/linked; ls -A app") == "2\nx\nlinked")
  }

  @Test(.enabled(if: TestMachine.canLock, "chattr takes root"))
  func `refuses an immutable file`() throws {
    try shell("mkdir app; echo x > app/file; chattr +i app/file")
    defer { _ = try? shell("chattr -i app/file") }
    let problems = reinstaller().check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.contains("immutable") == true)
    #expect(throws: HostError.self) { try reinstaller().reinstall() }
    #expect(try shell("ls -A app; cat app/file") == "file\nx")
  }

  @Test func `removes the copies of a killed run, and nothing that looks alike`() throws {
    try shell(
      """
      mkdir -p app/sub; touch app/.launchlab-4194310-34.tmp app/sub/.launchlab-4194311-2.tmp
      touch app/.launchlab-notes.tmp app/.launchlab-1-2-3.tmp; mkdir app/.launchlab-4194312-6.tmp
      touch app/.launchlab-1-2.tmp
      """
    )
    #expect(reinstaller().check(amid: surroundings).isEmpty)
    try reinstaller().removeLeftovers()
    let left = try shell("find app -mindepth 1 | sort")
    // Process 1 is alive, and more ids than the kernel gives belong to nobody.
    #expect(
      left == """
        app/.launchlab-1-2-3.tmp
        app/.launchlab-1-2.tmp
        app/.launchlab-4194312-6.tmp
        app/.launchlab-notes.tmp
        app/sub
        """
    )
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting a small file system takes root"))
  func `leaves the original on a full disk`() throws {
    try shell("mkdir small; mount -t tmpfs -o size=1m tmpfs small; mkdir small/app")
    defer { _ = try? shell("umount -l small") }
    try shell("head -c 700000 /dev/urandom > small/app/file")
    let digest = try TestMachine.digest(of: "\(root)/small/app")
    let error = #expect(throws: HostError.self) { try reinstaller("small/app").reinstall() }
    #expect(error?.diagnostics.first?.problem == "cannot write: no space left on device")
    #expect(try TestMachine.digest(of: "\(root)/small/app").hasSuffix(digest.suffix(80)))
    #expect(try shell("ls -A small/app") == "file")
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `refuses a mount below, since it would be left as it is`() throws {
    try shell("mkdir -p app/sub other; mount --bind other app/sub")
    defer { _ = try? shell("umount app/sub") }
    let state = DeclaredDirectory(FilePath("\(root)/app"), role: .state)
    let problems = reinstaller().check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.hasSuffix("app/sub\" is a mount point") == true)
    #expect(PrivateDirectory(state, template: nil).check(amid: surroundings).count == 1)
    #expect(throws: HostError.self) { try reinstaller().reinstall() }
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `refuses what is mounted read-only`() throws {
    try shell("mkdir -p disk/app; mount --bind disk disk; mount -o remount,ro,bind disk")
    defer { _ = try? shell("umount disk") }
    let state = DeclaredDirectory(FilePath("\(root)/disk/app"), role: .state)
    for errors in [
      reinstaller("disk/app").check(amid: surroundings),
      PrivateDirectory(state, template: nil).check(amid: surroundings),
    ] {
      #expect(errors.first?.diagnostics.first?.problem.hasSuffix("cannot be written to") == true)
    }
  }

  @Test func `refuses directories that are nested too deep`() throws {
    try shell("p=app; for i in $(seq 140); do p=$p/d; done; mkdir -p $p; echo x > $p/file")
    let problems = reinstaller().check(amid: surroundings).flatMap(\.diagnostics)
    #expect(problems.first?.problem.contains("lies deeper than 128 directories") == true)
    #expect(throws: HostError.self) { try reinstaller().reinstall() }
  }
}
