import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct FileRecorderTests {
  private var root: String { TemporaryDirectory.path }

  /// Launches a shell script under the watcher.
  private func record(
    _ script: String,
    ready: Readiness = .exit,
    tty: Bool = false,
    conditions: LaunchConditions = LaunchConditions()
  ) throws -> (result: LaunchResult, records: FileRecords) {
    try record(["/bin/sh", "-c", script], ready: ready, tty: tty, conditions: conditions)
  }

  private func record(
    _ command: [String],
    ready: Readiness = .exit,
    tty: Bool = false,
    conditions: LaunchConditions = LaunchConditions()
  ) throws -> (result: LaunchResult, records: FileRecords) {
    let bench = try LaunchBench()
    let recorder = try FileRecorder(in: FilePath(root))
    try recorder.begin()
    let watched = recorder.command(command[0], command)
    let result = try bench.spawner.launch(
      LaunchRequest(
        program: watched.program,
        arguments: watched.arguments,
        environment: ["PATH=/usr/bin:/bin"],
        directory: root,
        ready: ready,
        stop: StopPolicy(grace: .seconds(10)),
        timeout: .seconds(20),
        tty: tty,
        conditions: conditions
      )
    )
    return (result, recorder.end())
  }

  private func names(_ records: FileRecords) -> [String] {
    records.files.map(\.path.string).filter { $0.hasPrefix(root + "/") }
      .map { String($0.dropFirst(root.count + 1)) }
  }

  private func text(_ result: LaunchResult) -> String {
    String(decoding: result.output.stdout.head, as: UTF8.self)
  }

  @Test func `records what every process of the tree opens and executes`() throws {
    try TestMachine.shell(
      """
      echo one > one; echo two > two; cp /bin/cat reader
      echo '#!/bin/sh' > script; echo '. ./one.sh' >> script; echo true > one.sh; chmod +x script
      """,
      in: root
    )
    let (result, records) = try record("./script; (./reader two & wait); read x < one; exit 0")
    #expect(result.outcome == .ready)
    #expect(Set(names(records)) == ["script", "one.sh", "reader", "two", "one"])
    let programs = records.files.filter(\.isProgram).compactMap(\.path.lastComponent?.string)
    #expect(programs.contains("script") && programs.contains("reader"))
    #expect(records.failure == nil && !records.usesTracing)
  }

  @Test func `records the loader, which the kernel opens itself`() throws {
    let (_, records) = try record(["/bin/true"])
    let names = records.files.compactMap { $0.path.lastComponent?.string }
    #expect(names.contains { $0.hasPrefix("ld-") })
    #expect(names.contains("libc.so.6"))
  }

  @Test func `does not record what the tree writes before it reads it`() throws {
    try TestMachine.shell("echo old > log; echo old > data", in: root)
    let (_, records) = try record(
      "echo a > made; cat made; echo b >> log; cat log; cat data; echo c > data"
    )
    #expect(names(records) == ["data"])
  }

  @Test func `knows what the launched process became last`() throws {
    let (_, records) = try record("/bin/true; exec nice env /bin/cat /dev/null")
    #expect(
      records.mainPrograms.compactMap(\.lastComponent?.string).suffix(3) == ["nice", "env", "cat"]
    )
  }

  @Test func `leaves outcome, output and terminal as they are`() throws {
    #expect(try record("exit 3").result.outcome == .exited(code: 3))
    #expect(try record("kill -9 $$").result.outcome == .signalled(signal: 9))
    #expect(try record(["\(root)/missing"]).records.failure?.step == "execute")
    let (result, _) = try record("test -t 1 && echo terminal $(ps -o ppid= $$ | wc -l)", tty: true)
    #expect(text(result).hasPrefix("terminal"))
    #expect(try record("trap 'exit 0' TERM; kill $$; exit 1").result.outcome == .ready)
  }

  @Test func `waits for a condition, and stops the tree`() throws {
    let (result, records) = try record(
      "cat /dev/null; echo ready; sleep 1000",
      ready: .output(stream: .stdout, pattern: "ready")
    )
    #expect(result.outcome == .ready)
    #expect(!result.flags.contains(.killed))
    #expect(records.files.contains { $0.path.lastComponent?.string == "cat" })
  }

  @Test func `follows threads, vfork and a stop by a signal`() throws {
    try TestMachine.shell("echo one > one", in: root)
    let (result, records) = try record(
      [
        "/usr/bin/perl", "-e",
        """
        my $child = fork // die; if (!$child) { kill STOP => $$; open my $f, '<', 'one'; exit 5 }
        waitpid($child, 2); kill CONT => $child; waitpid($child, 0); exit($? >> 8 == 5 ? 0 : 1)
        """,
      ]
    )
    #expect(result.outcome == .ready)
    #expect(names(records) == ["one"])
  }

  @Test(.enabled(if: CompiledProgram.isPossible(), "no C compiler"))
  func `works with a program that filters its system calls, and tells of one that traces`() throws {
    let program = try CompiledProgram(
      """
      #include <errno.h>
      #include <fcntl.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/ptrace.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(void) {
        struct sock_filter code[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTUNIQ),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {4, code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter)) return 1;
        if (syscall(SYS_getppid) != -1 || errno != ENOTUNIQ) return 2;
        if (open("one", O_RDONLY) < 0) return 3;
        return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? 4 : 0;
      }
      """,
      in: root
    )
    try TestMachine.shell("echo one > one", in: root)
    let (result, records) = try record([program.path])
    #expect(result.outcome == .ready)
    #expect(names(records).contains("one"))
    #expect(records.usesTracing)
  }

  @Test func `does not record the watcher for a program that executes itself`() throws {
    let (_, records) = try record(
      ["/usr/bin/perl", "-e", "exec {'/proc/self/exe'} 'perl', '-e', '0'"]
    )
    #expect(records.mainPrograms.map(\.lastComponent?.string) == ["perl", "perl"])
    #expect(!records.files.contains { $0.path.lastComponent?.string == "watcher" })
  }

  @Test func `takes whole records only`() {
    let records = FileRecords(Array("x 7 1 2 /bin/a b\0r 7 1 3 /c\0r 7 1 4 /d".utf8))
    #expect(records.files.map(\.path) == ["/bin/a b", "/c"])
    #expect(records.mainPrograms == ["/bin/a b"])
    #expect(FileRecords([]).files.isEmpty)
    #expect(FileRecords(Array("nonsense\0\0 \0x\0".utf8)).files.isEmpty)
  }
}
