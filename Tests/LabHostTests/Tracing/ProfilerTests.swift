import CLaunchWire
import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler"),
  .enabled(if: ProfilerBench.isPossible, "perf events are refused")
)
struct ProfilerTests {
  private var root: String { TemporaryDirectory.path }

  /// The events that a process has open.
  private func events(of process: pid_t) throws -> Int {
    let directory = "/proc/\(process)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: directory).count { name in
      let link = "\(directory)/\(name)"
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      return target == "anon_inode:[perf_event]"
    }
  }

  @Test func `has events open only between the beginning and the end`() throws {
    let bench = try ProfilerBench()
    #expect(try events(of: bench.helper) == 0)
    #expect(try bench.ask(TRACE_BEGIN).error == 0)
    let open = try events(of: bench.helper)
    #expect(open > 0)
    // A launch that was given up leaves none behind.
    #expect(try bench.ask(TRACE_BEGIN).error == 0)
    #expect(try events(of: bench.helper) == open)
    #expect(try bench.ask(TRACE_END).error == 0)
    #expect(try events(of: bench.helper) == 0)
    #expect(try events(of: bench.spawnerProcess) == 0)
  }

  @Test func `ends when it is hung up on, also in the middle of a launch`() throws {
    let bench = try ProfilerBench()
    #expect(try bench.ask(TRACE_BEGIN).error == 0)
    #expect(bench.close() == 0)
    #expect(kill(bench.helper, 0) == -1)
  }

  @Test func `samples what the spawner launches, and not the spawner`() async throws {
    let program = try CompiledProgram(StackReaderTests.source, in: root)
    let bench = try ProfilerBench()
    let profile = try await bench.profile([program.path]).profile
    #expect(!profile.samples.isEmpty)
    #expect(profile.samples.allSatisfy { $0.process != bench.spawnerProcess })
    #expect(profile.tasks.allSatisfy { $0.process != bench.spawnerProcess })
    // Without a launch there is nothing.
    #expect(try bench.ask(TRACE_BEGIN).error == 0)
    #expect(try bench.ask(TRACE_END).events == 0)
  }

  @Test func `refuses what it cannot do, and goes on`() async throws {
    let bench = try ProfilerBench()
    func refusal(_ answer: trace_answer) -> [Int] { [Int(answer.error), Int(answer.step)] }
    let nonsense = [Int(EINVAL), Int(TRACE_STEP_REQUEST.rawValue)]
    #expect(refusal(try bench.ask(TRACE_END)) == nonsense)
    #expect(refusal(try bench.ask(TRACE_BEGIN, period: 0)) == nonsense)
    #expect(refusal(try bench.ask(TRACE_BEGIN, stackBytes: 1 << 20)) == nonsense)
    #expect(refusal(try bench.ask(trace_command(77))) == nonsense)
    let gone = try bench.ask(TRACE_BEGIN, spawner: .max)
    #expect(refusal(gone) == [Int(ESRCH), Int(TRACE_STEP_EVENT.rawValue)])
    #expect(try !(await bench.profile(["/bin/true"])).profile.files.isEmpty)
  }

  @Test func `writes its file anew for every launch`() throws {
    let bench = try ProfilerBench()
    try "kept".write(toFile: bench.file, atomically: false, encoding: .utf8)
    try FileManager.default.linkItem(atPath: bench.file, toPath: "\(root)/kept")
    #expect(try bench.ask(TRACE_BEGIN).error == 0)
    #expect(try bench.ask(TRACE_END).error == 0)
    #expect(try String(contentsOfFile: "\(root)/kept", encoding: .utf8) == "kept")
    let file = try Data(contentsOf: URL(filePath: bench.file))
    let header: profile_header = try #require([UInt8](file).value())
    #expect(file.count == MemoryLayout<profile_header>.size + 8 * Int(header.stop_events))
    #expect(header.bytes == 0)
  }

  /// A thread that sleeps while the first one waits for it, and then computes.
  private static let waiting = """
    #include <pthread.h>
    #include <unistd.h>
    static volatile unsigned long sink;
    __attribute__((noinline)) static void hold(void) { usleep(20000); sink++; }
    static void *holder(void *nothing) { hold(); sink++; return nothing; }
    __attribute__((noinline)) static void join(pthread_t thread) { pthread_join(thread, 0); sink++; }
    int main(void) {
      pthread_t thread;
      pthread_create(&thread, 0, holder, 0);
      join(thread);
      for (long i = 0; i < 60000000; i++) sink = sink * 6364136223846793005UL + 1;
      return 0;
    }
    """

  @Test(.enabled(if: geteuid() == 0, "waits are sampled in the kernel, which takes root"))
  func `says where threads wait, and for how long`() async throws {
    let program = try CompiledProgram(Self.waiting, in: root, options: ["-pthread"])
    let profile = try await ProfilerBench().profile([program.path]).profile
    // The kernel wakes no sleeper early, and whoever waits for it waits longer.
    let waits = profile.samples.filter { ($0.waited ?? .zero) >= .milliseconds(20) }
    func functions(ofFirst isFirst: Bool) throws -> [String] {
      let wait = try #require(waits.first { ($0.thread == $0.process) == isFirst })
      #expect(wait.kernel.contains { $0.contains(isFirst ? "futex" : "nanosleep") })
      return wait.user.map(\.function)
    }
    #expect(try functions(ofFirst: true).contains("join"))
    #expect(try functions(ofFirst: false).contains("hold"))
    let running = profile.samples.filter { $0.waited == nil && $0.kernel.isEmpty }
    #expect(running.contains { $0.user.last?.function == "main" })
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `samples own code where the kernel is refused, through a small ring`() async throws {
    let level = try String(contentsOfFile: "/proc/sys/kernel/perf_event_paranoid", encoding: .utf8)
    guard level.trimmingCharacters(in: .whitespacesAndNewlines) == "2" else { return }
    let change = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    let program = try CompiledProgram(
      StackReaderTests.source.replacing("60000000", with: "600000000"),
      in: root
    )
    let bench = try ProfilerBench(try .nobody(), change: change)
    let file = try bench.launch([program.path])
    let profile = try #require(await StackReader().profiles(of: [file]).profiles[0])
    #expect(!profile.samplesKernel)
    #expect(profile.samples.allSatisfy { $0.kernel.isEmpty && !$0.user.isEmpty })
    #expect(profile.share(of: ["main", "work"], in: program.path) > 0.8)
    // More than all rings of such a user hold, so that they were emptied meanwhile.
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    #expect(try #require(size) > 600_000 * sysconf(Int32(_SC_NPROCESSORS_CONF)))
  }
}
