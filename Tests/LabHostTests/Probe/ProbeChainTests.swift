import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite("The probe behind wrappers", .temporaryDirectory) struct ProbeChainTests {
  private func programs(_ seen: ProbeBench.Seen) -> [String] {
    seen.events(.programBegan).map { URL(filePath: $0.text).lastPathComponent }
  }

  @Test func `tells children by their process`() throws {
    let bench = try ProbeBench()
    let source = "system '/bin/true'; if (fork == 0) { exec '/usr/bin/env', 'true' } wait"
    let seen = try bench.launch(["/usr/bin/perl", "-e", source])
    #expect(programs(seen) == ["perl", "true", "env", "true"])
    let pids = seen.events(.programBegan).map(\.pid)
    #expect(Set(pids).count == 3)
    #expect(pids[2] == pids[3])
  }

  private static let canChangeUser =
    getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

  @Test(.enabled(if: canChangeUser, "needs root and setpriv"))
  func `follows a program to another user`() throws {
    let bench = try ProbeBench()
    let command = ["--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e", "print $<"]
    let seen = try bench.launch(["/usr/bin/setpriv"] + command)
    #expect(seen.output == "65534")
    #expect(seen.errorOutput == "")
    #expect(programs(seen) == ["setpriv", "perl"])
    #expect(seen.observation.notes == [])
  }

  @Test func `loses a chain through an empty environment`() throws {
    let bench = try ProbeBench()
    let seen = try bench.launch(["/usr/bin/env", "-i", "/usr/bin/perl", "-e", "print 3"])
    #expect(seen.output == "3")
    #expect(programs(seen) == ["env"])
  }

  @Test func `sees the first program only when it is hidden`() throws {
    let bench = try ProbeBench()
    bench.probe.isHidden = true
    let seen = try bench.launch(["/usr/bin/env", "perl", "-e", "print 3"])
    #expect(seen.output == "3")
    #expect(programs(seen) == ["env"])
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `does not take a forked child for its parent`() throws {
    let bench = try ProbeBench()
    let program = try bench.compile(
      "forking",
      """
      #include <dlfcn.h>
      #include <stdlib.h>
      #include <sys/wait.h>
      #include <unistd.h>
      static pid_t child;
      __attribute__((constructor(200))) static void split(void) { child = fork(); }
      __attribute__((constructor(201))) static void after(void) { }
      int main(void) {
        if (child == 0) { dlopen("libm.so.6", RTLD_NOW); _exit(0); }
        waitpid(child, 0, 0);
        if ((child = fork()) == 0) { dlopen("libm.so.6", RTLD_NOW); _exit(0); }
        waitpid(child, 0, 0);
        return 0;
      }
      """,
      ["-ldl"]
    )
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .ready)
    let own = seen.observation.process
    let opened = seen.events(.objectOpened).filter { $0.text.hasSuffix("/libm.so.6") }
    #expect(opened.count == 2)
    #expect(!opened.contains { $0.pid == own })
    #expect(Set(opened.map(\.pid)).count == 2)
    // The constructor that forked returned twice, and is the parent's.
    let split = try #require(try bench.value(of: "split", in: program))
    let base = try #require(seen.object("/forking")).address
    let forking = seen.events(.initializer).filter { $0.address == base + split }
    #expect(forking.map(\.pid) == [own])
    #expect(forking.first?.end != nil)
    let mains = seen.events(.mainBegins).map(\.pid)
    #expect(Set(mains).count == 2)
  }

  @Test func `counts what finds no room`() throws {
    let bench = try ProbeBench()
    let seen = try bench.launch(["/bin/sh", "-c", "for i in $(seq 1500); do /bin/true; done"])
    #expect(seen.result.outcome == .ready)
    #expect(seen.observation.lostEvents > 0)
    #expect(seen.observation.events.count + seen.observation.lostEvents > 16_384)
  }
}
