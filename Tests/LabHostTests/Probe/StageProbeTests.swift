import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite("The probe in a target", .temporaryDirectory) struct StageProbeTests {
  @Test func `leaves the directory alone that another probe made in its place`() throws {
    let fallback = TemporaryDirectory.path
    let first = try StageProbe(fallback: fallback)
    first.remove()
    let second = try StageProbe(fallback: fallback)
    first.remove()
    #expect(FileManager.default.fileExists(atPath: second.events.path))
  }

  @Test func `is not passed on by a launchlab that it watches`() throws {
    let probe = try StageProbe(fallback: TemporaryDirectory.path)
    let auditors = try #require(
      probe.environment(addingTo: ["LD_AUDIT": "/opt/first.so:/opt/probe.so"])["LD_AUDIT"]
    )
    #expect(StageProbe.removed(from: auditors) == "/opt/first.so:/opt/probe.so")
    #expect(StageProbe.removed(from: probe.environment(addingTo: [:])["LD_AUDIT"]) == nil)
    let own = probe.environment(addingTo: ["GLIBC_TUNABLES": "glibc.malloc.arena_max=3"])
    #expect(own["GLIBC_TUNABLES"]?.hasSuffix(":glibc.malloc.arena_max=3") == true)
    #expect(StageProbe.removedTunable(from: own["GLIBC_TUNABLES"]) == "glibc.malloc.arena_max=3")
    let given = ["GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=1024"]
    #expect(probe.environment(addingTo: given)["GLIBC_TUNABLES"] == given["GLIBC_TUNABLES"])
    #expect(StageProbe.removed(from: nil) == nil)
  }

  @Test func `works on this host`() throws {
    let bench = try ProbeBench()
    #expect(try bench.probe.problem(with: bench.spawner) == nil)
  }

  @Test func `tells the stages of a program in their order`() throws {
    let bench = try ProbeBench()
    let seen = try bench.launch(["/usr/bin/perl", "-e", "print 1"])
    #expect(seen.output == "1")
    #expect(seen.observation.notes == [])
    #expect(seen.observation.lostEvents == 0)
    let kinds = seen.observation.events.map(\.kind)
    #expect(kinds.first == .programBegan)
    let order: [LaunchEvent.Kind] = [
      .programBegan, .objectOpened, .adding, .consistent, .initializersFound, .initializer,
      .mainBegins,
    ]
    let positions = order.compactMap { kinds.firstIndex(of: $0) }
    #expect(positions.count == order.count)
    #expect(positions == positions.sorted())
    #expect(seen.events(.initializersUntimed) == [])
    #expect(kinds.count { $0 == .mainBegins } == 1)
    let times = seen.observation.events.map(\.time)
    #expect(times == times.sorted())
    #expect(try #require(times.first) > seen.observation.begin)
    #expect(try #require(times.last) < #require(seen.observation.ready))
    #expect(Set(seen.observation.events.map(\.pid)) == [seen.observation.process])
  }

  @Test func `names the program and every library once`() throws {
    let bench = try ProbeBench()
    let seen = try bench.launch(["/usr/bin/perl", "-e", "0"])
    #expect(seen.events(.programBegan).map(\.text) == ["/usr/bin/perl"])
    let objects = seen.events(.objectOpened)
    #expect(objects.map(\.object) == Array(0..<UInt32(objects.count)))
    #expect(objects.first?.text == "/usr/bin/perl")
    #expect(Set(objects.map(\.text)).count == objects.count)
    #expect(objects.contains { $0.text.contains("/libc.so") })
  }

  @Test func `names the file behind links and relative paths`() throws {
    let bench = try ProbeBench()
    let link = "\(TemporaryDirectory.path)/link"
    try FileManager.default.createSymbolicLink(
      atPath: link,
      withDestinationPath: "/usr/bin/perl"
    )
    for command in [[link, "-e", "0"], ["/usr/bin/env", "./link", "-e", "0"]] {
      let seen = try bench.launch(command)
      #expect(seen.events(.programBegan).last?.text == "/usr/bin/perl")
      #expect(seen.events(.objectOpened).last { $0.object == 0 }?.text == "/usr/bin/perl")
    }
  }

  @Test func `forgets the last launch`() throws {
    let bench = try ProbeBench()
    let first = try bench.launch(["/bin/true"])
    let second = try bench.launch(["/bin/true"])
    #expect(first.observation.events.count == second.observation.events.count)
    #expect(second.events(.programBegan).map(\.pid) == [second.observation.process])
  }

  @Test func `says when it was not loaded`() throws {
    let bench = try ProbeBench()
    let request = try LaunchRequest(
      program: "/bin/true",
      arguments: ["true"],
      environment: [],
      directory: "/"
    )
    try bench.probe.reset()
    let trace = try #require(try bench.spawner.launch(request).trace)
    let observation = try bench.probe.observation(from: trace, ready: nil)
    #expect(observation.events == [])
    #expect(observation.notes.count == 1)
  }

  @Test func `leaves nothing behind`() throws {
    let bench = try ProbeBench()
    let directory = URL(filePath: bench.probe.events.path).deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: directory))
    bench.probe.remove()
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  // MARK: - What the target sees

  /// Prints all that could be different: environment, arguments, descriptors, working directory,
  /// signals, and the auxiliary vector without what is random.
  private static let examination = """
    print "$_=$ENV{$_}\\n" for sort keys %ENV; print "@ARGV\\n";
    print join(" ", map { "$_=" . (readlink "/proc/self/fd/$_" // "") =~ s/\\d+//gr }
      sort grep { /^[0-9]/ && $_ < 20 } map { s!.*/!!r } glob "/proc/self/fd/*"), "\\n";
    open F, "/proc/self/status"; print grep /^(SigBlk|SigIgn|SigCgt|Threads|Cpus_allowed|NoNewPrivs)/, <F>;
    print STDERR "error\\n"; $! = 0; exit 7
    """

  @Test func `changes nothing but two variables`() throws {
    let bench = try ProbeBench()
    let command = ["/usr/bin/perl", "-e", Self.examination, "an argument"]
    let environment = ["PATH": "/usr/bin:/bin", "AA": "1", "ZZ": "last"]
    let plain = try bench.run(command, environment: environment)
    let seen = try bench.launch(command, environment: environment)
    #expect(seen.result.outcome == .exited(code: 7))
    #expect(plain.outcome == seen.result.outcome)
    #expect(plain.output.stderr == seen.result.output.stderr)
    let tunables = "GLIBC_TUNABLES=glibc.rtld.optional_static_tls="
    let lines = seen.output.split(separator: "\n")
      .filter { !$0.hasPrefix("LD_AUDIT=") && !$0.hasPrefix(tunables) }
    let plainOutput = String(decoding: plain.output.stdout.head, as: UTF8.self)
    #expect(lines == plainOutput.split(separator: "\n"))
    #expect(seen.output.contains("LD_AUDIT=/"))
    #expect(seen.output.contains(tunables))
  }

  @Test func `changes nothing at all when it is hidden`() throws {
    let bench = try ProbeBench()
    bench.probe.isHidden = true
    let command = ["/usr/bin/perl", "-e", Self.examination, "an argument"]
    for environment in [["PATH": "/usr/bin"], [:], ["AA": "1", "ZZ": "2"]] {
      let plain = try bench.run(command, environment: environment)
      let seen = try bench.launch(command, environment: environment)
      #expect(seen.result.output == plain.output)
      #expect(seen.events(.mainBegins).count == 1)
    }
  }

  @Test(.enabled(if: CProgram.hasCompiler, "needs a C compiler"))
  func `leaves room for the thread-local variables of a library such as jemalloc`() throws {
    let bench = try ProbeBench()
    _ = try CProgram(testDescription: "library", flags: ["-shared", "-fPIC"]).compile(
      """
      static __thread char room[2632] __attribute__((tls_model("initial-exec")));
      char *lent(void) { return room; }
      """,
      name: "libroom.so"
    )
    let linked = CProgram(
      testDescription: "program",
      flags: ["-L.", "-l:libroom.so", "-Wl,-rpath,'$ORIGIN'"]
    )
    let program = try linked.compile(
      "char *lent(void); int main(void) { return lent()[2631]; }"
    )
    #expect(try bench.launch([program]).result.outcome == .ready)
  }

  @Test(.enabled(if: CProgram.hasCompiler, "needs a C compiler"))
  func `leaves room in the smallest stacks of threads`() throws {
    let bench = try ProbeBench()
    let program = try CProgram(testDescription: "program", flags: ["-pthread"]).compile(
      """
      #include <pthread.h>
      static void *run(void *nothing) { return nothing; }
      int main(void) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 16384);
        return pthread_create(&thread, &attributes, run, 0) || pthread_join(thread, 0);
      }
      """
    )
    #expect(try bench.launch([program]).result.outcome == .ready)
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `keeps an auditor of the user's`() throws {
    let bench = try ProbeBench()
    let source = """
      #include <unistd.h>
      unsigned la_version(unsigned version) { write(1, "[user's]", 8); return version; }
      """
    let auditor = try bench.compile("auditor.so", source)
    let command = ["/usr/bin/perl", "-e", "print $ENV{LD_AUDIT}"]
    let seen = try bench.launch(command, environment: ["LD_AUDIT": auditor])
    #expect(seen.output.hasPrefix("[user's]"))
    #expect(seen.output.hasSuffix("/probe.so:\(auditor)"))
    #expect(seen.events(.mainBegins).count == 1)
    bench.probe.isHidden = true
    let hidden = try bench.launch(command, environment: ["LD_AUDIT": auditor])
    #expect(hidden.output == "[user's]\(auditor)")
    #expect(hidden.events(.mainBegins).count == 1)
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `is silent without its file, and with a foreign one`() throws {
    let bench = try ProbeBench()
    let plain = try bench.run(["/usr/bin/perl", "-e", "print 1"])
    try FileManager.default.removeItem(atPath: bench.probe.events.path)
    let environment = bench.probe.environment(addingTo: [:])
    let foreign: [[UInt8]?] = [
      nil, [], Array("LLEVENT1".utf8), [UInt8](repeating: 255, count: 999),
    ]
    for bytes in foreign {
      if let bytes { try Data(bytes).write(to: URL(filePath: bench.probe.events.path)) }
      let result = try bench.run(["/usr/bin/perl", "-e", "print 1"], environment: environment)
      #expect(result.outcome == .ready)
      #expect(result.output == plain.output)
    }
  }

  @Test(.enabled(if: ProbeBench.compiler != nil, "needs a C compiler"))
  func `outlives a program that closes every descriptor`() throws {
    let bench = try ProbeBench()
    let program = try bench.compile(
      "closing",
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <unistd.h>
      __attribute__((constructor)) static void shut(void) { for (int i = 0; i < 99; i++) close(i); }
      int main(void) { return dlopen("libm.so.6", RTLD_NOW) ? 5 : 6; }
      """,
      ["-ldl"]
    )
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .exited(code: 5))
    #expect(seen.events(.mainBegins).count == 1)
    #expect(seen.object("/libm.so.6") != nil)
  }
}
