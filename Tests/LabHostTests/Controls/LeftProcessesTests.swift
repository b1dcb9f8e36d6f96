import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct LeftProcessesTests {
  @Test func `ends marked processes that became daemons`() throws {
    let mark = UUID().uuidString
    let daemon = try daemon(mark: mark)
    let other = try self.daemon(mark: "\(mark)-2")
    defer { kill(other, SIGKILL) }
    let change = Change.processes(mark: mark)
    #expect(change.undo(in: HostTree()) == .restored)
    #expect(ProcessStatus(of: daemon) == nil)
    #expect(ProcessStatus(of: other) != nil)
    #expect(change.undo(in: HostTree()) == .alreadyRestored)
  }

  @Test func `takes no process for one of an empty mark`() {
    #expect(Change.processes(mark: "").undo(in: HostTree()) == .failed(reason: "the mark is empty"))
  }

  @Test func `ends no process for a tree of files`() throws {
    let fixture = FixtureTree()
    try fixture.write("LAUNCHLAB_RUN=x\0", to: "proc/1/environ")
    let undoing = Change.processes(mark: "x").undo(in: fixture.tree)
    #expect(undoing == .failed(reason: "the processes of a tree of files cannot be ended"))
  }

  @Test(.enabled(if: canMakeCgroup, "no cgroup v2 may be written to"))
  func `ends and removes a cgroup with all that is in it`() throws {
    let cgroup = try #require(RunCgroup.make())
    let sleeper = try Sleeper()
    defer { sleeper.end() }
    let script = "echo \(sleeper.pid) > \(cgroup.directory)/targets/cgroup.procs"
    try TestMachine.shell(script, in: "/")
    let change = Change.cgroup(directory: cgroup.directory.removingRoot().string)
    #expect(change.undo(in: HostTree()) == .restored)
    #expect(ProcessStatus(of: sleeper.pid) == nil)
    #expect(!cgroup.exists)
    #expect(change.undo(in: HostTree()) == .alreadyRestored)
  }

  @Test func `ends the processes of a cgroup one by one on an older kernel`() throws {
    let sleeper = try Sleeper()
    defer { sleeper.end() }
    try FixtureTree().write("\(sleeper.pid)\n", to: "launchlab-1-1-1/targets/cgroup.procs")
    RunCgroup(directory: FilePath("\(TemporaryDirectory.path)/launchlab-1-1-1")).kill()
    sleeper.wait()
    #expect(ProcessStatus(of: sleeper.pid) == nil)
  }

  @Test(.enabled(if: canMakeCgroup, "no cgroup v2 may be written to"))
  func `removes a cgroup that a killed lab has left`() throws {
    let own = try #require(RunCgroup.make())
    own.remove()
    let lab = "1999997-\(UInt32.random(in: 1 ... .max))"
    let name = "launchlab-\(lab)-\(LabMark.ownNamespaces)-1"
    let path = own.directory.removingLastComponent().appending(name).string
    try TestMachine.shell("mkdir -p \(path)/targets", in: "/")
    let environment = [JournalDirectory.variable: "\(TemporaryDirectory.path)/state"]
    _ = try Leftovers(in: JournalDirectory(environment: environment)).recover()
    #expect(!exists(path))
  }

  /// Its processes are those of another namespace, which the kernel lists as 0.
  @Test func `knows a cgroup whose lab may be alive in another container`() throws {
    let cgroup = RunCgroup(directory: FilePath("\(TemporaryDirectory.path)/launchlab-1-1-1"))
    try FixtureTree().write("4711\n", to: "launchlab-1-1-1/targets/cgroup.procs")
    #expect(!cgroup.isOfOtherNamespace)
    try FixtureTree().write("0\n0\n", to: "launchlab-1-1-1/targets/cgroup.procs")
    #expect(cgroup.isOfOtherNamespace)
  }

  @Test func `leaves a cgroup that is not of launchlab`() throws {
    let fixture = FixtureTree()
    try fixture.write("", to: "sys/fs/cgroup/system.slice/cgroup.kill")
    let undoing = Change.cgroup(directory: "sys/fs/cgroup/system.slice").undo(in: fixture.tree)
    #expect(undoing == .failed(reason: "it is not a cgroup of launchlab"))
    #expect(fixture.text(at: "sys/fs/cgroup/system.slice/cgroup.kill") == "")
  }

  @Test(arguments: ["1999999-1", ProcessIdentity.current.description])
  func `removes a directory of a lab with its content`(lab: String) throws {
    let name = "launchlab-\(lab)"
    let path = "\(TemporaryDirectory.path)/\(name)"
    try TestMachine.mark(path, lab: lab)
    try TestMachine.shell("mkdir -p \(name)/home; ln -s /etc \(name)/home/link", in: parent)
    #expect(Change.directory(path: path).undo(in: HostTree()) == .restored)
    #expect(!exists(path))
    #expect(exists("/etc/passwd"))
    #expect(Change.directory(path: path).undo(in: HostTree()) == .alreadyRestored)
  }

  @Test func `leaves a directory that is in use or not of launchlab`() throws {
    let living = try #require(ProcessIdentity(ofLiving: Int(getppid())))
    try TestMachine.mark("\(parent)/launchlab-\(living)", lab: "\(living)")
    try TestMachine.shell("mkdir precious", in: parent)
    let used = Change.directory(path: "\(parent)/launchlab-\(living)").undo(in: HostTree())
    #expect(used == .failed(reason: "process \(living.pid) is using it"))
    let other = Change.directory(path: "\(parent)/precious").undo(in: HostTree())
    #expect(other == .failed(reason: "it is not a private directory of launchlab"))
  }

  @Test func `leaves a directory whose lab another container may have`() throws {
    let path = "\(parent)/launchlab-1999999-1"
    try TestMachine.mark(path, lab: "1999999-1", namespaces: "1.1")
    let undoing = Change.directory(path: path).undo(in: HostTree())
    #expect(
      undoing == .failed(reason: "process 1999999 of another container may be using it")
    )
    #expect(exists(path))
  }

  @Test func `leaves a directory without a mark, unless it is empty`() throws {
    try TestMachine.shell("mkdir launchlab-1-1 launchlab-1-2 1-3", in: parent)
    try TestMachine.shell("touch launchlab-1-1/file", in: parent)
    let foreign = Undoing.foreign(found: "a directory without launchlab's mark")
    let expected = ["launchlab-1-1": foreign, "launchlab-1-2": .restored, "1-3": foreign]
    for (name, undoing) in expected {
      #expect(Change.directory(path: "\(parent)/\(name)").undo(in: HostTree()) == undoing)
    }
    #expect(try TestMachine.shell("ls", in: parent) == "1-3\nlaunchlab-1-1")
  }

  private var parent: String { TemporaryDirectory.path }

  private static let canMakeCgroup: Bool = {
    let cgroup = RunCgroup.make()
    cgroup?.remove()
    return cgroup != nil
  }()

  /// Starts an orphan; its session stays that of the tests, so that no other test sweeps it away.
  ///
  /// It closes what it was given, since Foundation waits for a process until that is closed.
  private func daemon(mark: String) throws -> pid_t {
    let script = """
      export LAUNCHLAB_RUN=\(mark)
      close() {
        for file in /proc/self/fd/*; do
          file=${file##*/}; if [ "$file" -gt 2 ]; then eval "exec $file>&-"; fi
        done
      }
      (close; exec >/dev/null 2>&1; sleep 1000 & echo $! > pid)
      until grep -qsz '^LAUNCHLAB_RUN=' /proc/$(cat pid)/environ; do :; done
      cat pid
      """
    return try #require(pid_t(try TestMachine.shell(script, in: TemporaryDirectory.path)))
  }
}
