import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory, .enabled(if: CProgram.hasCompiler, "there is no C compiler"))
struct BreakpointTests {
  static let programs =
    [
      CProgram(testDescription: "dynamic"),
      CProgram(testDescription: "dynamic at a fixed address", flags: ["-no-pie"]),
      CProgram(testDescription: "static", flags: ["-static"]),
      CProgram(testDescription: "static at any address", flags: ["-static-pie"]),
    ]
    + (CProgram.hasMusl
      ? [
        CProgram(testDescription: "musl", compiler: "musl-gcc"),
        CProgram(testDescription: "static musl", compiler: "musl-gcc", flags: ["-static"]),
      ] : [])

  /// What each kind of program shows.
  private func kinds(of program: CProgram) -> [LaunchEvent.Kind] {
    let isStatic = program.flags.contains { $0.hasPrefix("-static") }
    let states = isStatic ? 0 : program.compiler == "cc" ? 2 : 1
    return [.executed] + Array(repeating: .loaderState, count: states)
      + [.entered, .mainReached]
  }

  private func launch(
    _ path: String,
    bench: LaunchBench,
    ready: Readiness = .exit,
    tty: Bool = false,
    counters: [String] = []
  ) throws -> LaunchResult {
    try bench.spawner.launch(
      bench.request(
        [path, bench.mark],
        ready: ready,
        tty: tty,
        counters: counters,
        breakpoints: .find(in: path)
      )
    )
  }

  /// The times that `CProgram.clockSource` has printed.
  static func printedTimes(_ result: LaunchResult) throws -> (initialized: Int64, begun: Int64) {
    let text = String(decoding: result.output.stdout.head, as: UTF8.self)
    let times = text.split(separator: " ").compactMap { Int64($0) }
    try #require(times.count == 2, "\(text)")
    return (times[0], times[1])
  }

  /// Checks that everything was seen in the order in which the program itself saw it.
  static func check(_ result: LaunchResult, shows kinds: [LaunchEvent.Kind]) throws {
    #expect(result.outcome == .ready)
    let seen = try #require(result.observation)
    let trace = try #require(result.trace)
    #expect(seen.collector == .breakpoints)
    #expect(seen.begin == trace.begin)
    #expect(seen.process == trace.process)
    #expect(seen.ready == trace.begin + (try #require(result.launch)))
    #expect(seen.events.map(\.kind) == kinds)
    #expect(seen.events.allSatisfy { $0.pid == trace.process })
    let printed = try printedTimes(result)
    let times = seen.events.map(\.time.count)
    let order =
      [seen.begin.count] + times.dropLast() + [printed.initialized, times.last ?? 0]
      + [printed.begun, try #require(seen.ready).count]
    #expect(order == order.sorted())
    let stopped = try #require(seen.events.first)
    let resumed = try #require(stopped.end)
    #expect(stopped.time <= resumed && resumed.count <= times.dropFirst().first ?? 0)
  }

  @Test(arguments: programs)
  func `sees a program reach its places`(_ program: CProgram) throws {
    let bench = try LaunchBench()
    let path = try program.compile(CProgram.clockSource)
    try Self.check(launch(path, bench: bench), shows: kinds(of: program))
  }

  @Test(arguments: programs)
  func `sees a program reach its places when perf events are refused`(
    _ program: CProgram
  ) throws {
    let bench = try LaunchBench()
    let path = try program.compile(CProgram.clockSource)
    let request = try bench.request([path, bench.mark], breakpoints: .find(in: path))
    let result = try #require(try RefusingSpawner([.events]).launch(request))
    try Self.check(result, shows: kinds(of: program))
    let notes = try #require(result.observation).notes
    #expect(notes.contains { $0.hasPrefix("there are no perf events (not permitted") })
  }

  @Test(arguments: [[], [RefusingSpawner.Call.events]])
  func `says that a launch could not be watched`(_ calls: [RefusingSpawner.Call]) throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "").compile(CProgram.clockSource)
    let request = try bench.request([path], breakpoints: .find(in: path))
    let result = try #require(try RefusingSpawner(calls + [.tracing]).launch(request))
    #expect(result.outcome == .ready)
    let seen = try #require(result.observation)
    #expect(seen.events.isEmpty)
    #expect(seen.notes.count == 1)
    #expect(seen.notes.allSatisfy { $0.hasPrefix("the launch could not be watched: ") })
  }

  @Test func `sees the start of a stripped program`() throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "", flags: ["-s"]).compile(CProgram.clockSource)
    #if arch(x86_64)
    let kinds: [LaunchEvent.Kind] = [
      .executed, .loaderState, .loaderState, .entered, .mainReached,
    ]
    try Self.check(launch(path, bench: bench), shows: kinds)
    #else
    let notes = try launch(path, bench: bench).observation?.notes ?? []
    #expect(notes.contains { $0.contains("has no symbol main") })
    #endif
  }

  @Test func `does not guess where main is in other start code`() throws {
    let bench = try LaunchBench()
    let program = CProgram(testDescription: "", flags: ["-s", "-nostartfiles", "-static"])
    let path = try program.compile(
      """
      void _start(void) {
        for (;;) __asm__ volatile("syscall" : : "a"(231), "D"(0));
      }
      """
    )
    let seen = try #require(try launch(path, bench: bench).observation)
    #expect(seen.events.map(\.kind) == [.executed, .entered])
    #expect(seen.notes.contains { $0.contains("has no symbol main") })
  }

  @Test func `watches the interpreter of a script`() throws {
    let bench = try LaunchBench()
    let path = "\(TemporaryDirectory.path)/script"
    let make = "printf '#!/bin/sh\\necho $0' > script; chmod +x script"
    try TestMachine.shell(make, in: TemporaryDirectory.path)
    let result = try launch(path, bench: bench)
    let seen = try #require(result.observation)
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "\(path)\n")
    #expect(seen.events.first?.text == "/bin/sh")
    #expect(seen.events.last?.kind == .mainReached)
    #expect(seen.notes.isEmpty)
  }

  @Test(arguments: [[], [RefusingSpawner.Call.events]])
  func `says that the process executed another program`(_ calls: [RefusingSpawner.Call]) throws {
    let bench = try LaunchBench()
    // The place that is left when it executes again is never reached.
    let path = try CProgram(testDescription: "", flags: ["-static"]).compile(
      """
      #include <unistd.h>
      __attribute__((constructor)) static void leave(void) {
        execl("/bin/echo", "echo", "other", (char *)0);
      }
      int main(void) { return 1; }
      """
    )
    let request = try bench.request([path], breakpoints: .find(in: path))
    let result = try #require(try RefusingSpawner(calls).launch(request))
    #expect(result.outcome == .ready)
    #expect(String(decoding: result.output.stdout.head, as: UTF8.self) == "other\n")
    let seen = try #require(result.observation)
    #expect(seen.events.map(\.kind) == [.executed, .entered])
    #expect(seen.notes.contains { $0.hasPrefix("the process executed another program after") })
    #expect(seen.notes.contains { $0.hasPrefix("main was not reached") })
  }

  @Test(arguments: [[], [RefusingSpawner.Call.events]])
  func `sees the loader before the libraries that an initializer loads`(
    _ calls: [RefusingSpawner.Call]
  ) throws {
    let bench = try LaunchBench()
    let source = CProgram.clockSource.replacing(
      "#include <time.h>",
      with: "#include <time.h>\n#include <dlfcn.h>"
    )
    .replacing(
      "initialized = now();",
      with: "initialized = now(); dlopen(\"libm.so.6\", RTLD_NOW);"
    )
    let path = try CProgram(testDescription: "", flags: ["-ldl"]).compile(source)
    let request = try bench.request([path], breakpoints: .find(in: path))
    let result = try #require(try RefusingSpawner(calls).launch(request))
    let seen = try #require(result.observation)
    let kinds: [LaunchEvent.Kind] = [
      .executed, .loaderState, .loaderState, .entered, .mainReached,
    ]
    #expect(seen.events.map(\.kind) == kinds)
    let states = seen.events.filter { $0.kind == .loaderState }
    let initialized = try Self.printedTimes(result).initialized
    #expect(states.count == 2 && states.allSatisfy { $0.time.count < initialized })
  }

  @Test func `says that not all times may be there when it loads very many libraries`() throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "", flags: ["-ldl"]).compile(
      """
      #include <dlfcn.h>
      int main(void) {
        for (int round = 0; round < 1000; round++) dlclose(dlopen("libm.so.6", RTLD_NOW));
        return 0;
      }
      """
    )
    let result = try launch(path, bench: bench)
    let seen = try #require(result.observation)
    #expect(result.outcome == .ready)
    #expect(seen.events.last?.kind == .mainReached)
    #expect(seen.notes == ["the kernel had no room for some of the times"])
  }

  @Test func `says that a program was replaced since it was looked into`() throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "").compile("int main(void) { return 0; }")
    let request = try bench.request([path], breakpoints: .find(in: path))
    try FileManager.default.removeItem(atPath: path)
    let other = CProgram(testDescription: "", flags: ["-Wl,-e,other_start"])
    _ = try other.compile(
      """
      #include <unistd.h>
      int main(void) { return 0; }
      __attribute__((aligned(64))) void before(void) {}
      void other_start(void) { _exit(0); }
      """
    )
    let seen = try #require(try bench.spawner.launch(request).observation)
    #expect(seen.events.map(\.kind) == [.executed])
    #expect(seen.notes.contains { $0.contains("the program was replaced") })
  }
}
