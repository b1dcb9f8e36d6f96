import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// What a watched target may do before `main`, with perf events and without.
@Suite(.temporaryDirectory, .enabled(if: CProgram.hasCompiler, "there is no C compiler"))
struct BreakpointTargetTests {
  typealias Calls = [RefusingSpawner.Call]

  static let ways: [Calls] = [[], [.events]]

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String

    /// What runs before `main`.
    var before: String
    var outcome = Outcome.ready
    var output = "main"
    var flags: [LaunchFlag] = []
    var reachesMain = true
    var timeout = Nanoseconds.seconds(20)
  }

  static let cases = [
    Case(testDescription: "an exit", before: "_exit(0);", output: "", reachesMain: false),
    Case(
      testDescription: "a failure",
      before: "_exit(7);",
      outcome: .exited(code: 7),
      output: "",
      reachesMain: false
    ),
    Case(
      testDescription: "a deadly signal",
      before: "raise(SIGTERM);",
      outcome: .signalled(signal: 15),
      output: "",
      reachesMain: false
    ),
    Case(
      testDescription: "a kill",
      before: "raise(SIGKILL);",
      outcome: .signalled(signal: 9),
      output: "",
      reachesMain: false
    ),
    Case(
      testDescription: "a trap of its own",
      before: "raise(SIGTRAP);",
      outcome: .signalled(signal: 5),
      output: "",
      reachesMain: false
    ),
    Case(
      testDescription: "a signal that it handles",
      before: "signal(SIGUSR1, handle); raise(SIGUSR1);",
      output: "handled main"
    ),
    Case(
      testDescription: "a trap that it handles",
      before: "signal(SIGTRAP, handle); raise(SIGTRAP);",
      output: "handled main"
    ),
    Case(
      testDescription: "a child that goes on to main as well",
      before: "if (fork() == 0) { label = \"\"; } else wait(0);"
    ),
    Case(
      testDescription: "a child that calls what is watched",
      before: "if (fork() == 0) { label = \"child \"; main(); fflush(stdout); _exit(0); } wait(0);",
      output: "child main"
    ),
    Case(
      testDescription: "a thread that calls what is watched",
      before: "pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); label = \" main\";",
      output: "main main"
    ),
    Case(
      testDescription: "more output than a pipe holds",
      before: "for (int i = 0; i < 40000; i++) write(1, block, sizeof block); label = \"\";",
      output: String(repeating: "\0", count: 65_536)
    ),
    Case(
      testDescription: "a wait without end",
      before: "pause();",
      outcome: .timedOut,
      output: "",
      reachesMain: false,
      timeout: .milliseconds(200)
    ),
    Case(
      testDescription: "a stop from which it is continued",
      // The child goes on until its parent goes on, whenever that was stopped.
      before: "pid_t child = fork();"
        + "while (child == 0) { usleep(1000); kill(getppid(), SIGCONT); }"
        + "raise(SIGSTOP); kill(child, SIGKILL); wait(0);"
    ),
    Case(
      testDescription: "a child that is left behind",
      before: "if (fork() == 0) { sleep(60); }",
      flags: [.leftProcesses]
    ),
  ]

  private func source(_ before: String) -> String {
    """
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/wait.h>
    #include <unistd.h>
    static const char *label = "main";
    static char block[4096];
    int main(void);
    static void handle(int number) { (void)number; printf("handled "); }
    static void *run(void *none) { main(); fflush(stdout); return none; }
    __attribute__((constructor)) static void before_main(void) {
      (void)handle; (void)run; (void)block;
      \(before)
    }
    int main(void) { printf("%s", label); return 0; }
    """
  }

  @Test(arguments: cases, ways)
  func `changes nothing for`(_ target: Case, _ refused: Calls) throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "", flags: ["-pthread"])
      .compile(source(target.before))
    let plain = try bench.spawner.launch(
      bench.request([path, bench.mark], timeout: target.timeout)
    )
    let request = try bench.request(
      [path, bench.mark],
      timeout: target.timeout,
      breakpoints: .find(in: path)
    )
    let watched = try #require(try RefusingSpawner(refused).launch(request))
    for result in [plain, watched] {
      #expect(result.outcome == target.outcome)
      #expect(result.flags.filter { $0 == .leftProcesses } == target.flags)
      #expect(result.output.stdout.head == Array(target.output.utf8))
      #expect(result.output.stderr.totalBytes == 0)
    }
    #expect(watched.output.stdout == plain.output.stdout)
    // Whether a pipe filled up is a matter of the moment.
    let flags = [watched, plain].map { $0.flags.filter { $0 != .outputBlocked } }
    #expect(flags[0] == flags[1])
    #expect(bench.marked.isEmpty)
    let seen = try #require(watched.observation)
    #expect(seen.events.contains { $0.kind == .entered })
    // A tracer cannot stay with a target that is stopped.
    let isLeft = refused == [.events] && target.before.contains("SIGSTOP")
    #expect(seen.events.contains { $0.kind == .mainReached } == (target.reachesMain && !isLeft))
    #expect(!isLeft || seen.notes.contains { $0.contains("a signal stopped the target") })
  }

  @Test(arguments: ways)
  func `leaves nothing behind of a watched target when the controller goes`(
    _ refused: Calls
  ) throws {
    let bench = try LaunchBench()
    let path = try CProgram(testDescription: "").compile(source("pause();"))
    let request = try bench.request([path, bench.mark], breakpoints: .find(in: path))
    try RefusingSpawner(refused).abandon(request) { !bench.marked.isEmpty }
    #expect(LaunchBench.eventually { bench.marked.isEmpty })
  }

  @Test(arguments: ways)
  func `says why it cannot execute what it would watch`(_ refused: Calls) throws {
    let bench = try LaunchBench()
    let spawner = try RefusingSpawner(refused)
    let path = "\(TemporaryDirectory.path)/missing"
    let missing = try bench.request([path], breakpoints: .find(in: path))
    let result = try #require(try spawner.launch(missing))
    #expect(result.outcome == .notStarted(reason: "cannot execute \"\(path)\": no such file"))
    #expect(result.observation == nil)
    // The next launch of the same spawner is not touched by it.
    let request = try bench.request(["/bin/echo", "next"], breakpoints: .find(in: "/bin/echo"))
    #expect(try bench.spawner.launch(missing).observation == nil)
    let next = try bench.spawner.launch(request)
    #expect(String(decoding: next.output.stdout.head, as: UTF8.self) == "next\n")
    #expect(next.observation?.events.first?.kind == .executed)
  }
}
