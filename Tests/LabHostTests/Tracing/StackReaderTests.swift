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
struct StackReaderTests {
  private var root: String { TemporaryDirectory.path }

  static let spinning = """
    #define NOINLINE __attribute__((noinline, noclone))
    static volatile long turns;
    NOINLINE static void work(long count) { for (turns = 0; turns < count; turns++) continue; }
    """

  static let source = spinning + "\nint main(void) { work(60000000); return turns == 0; }\n"

  struct Case: CustomTestStringConvertible {
    var linking: CompiledProgram.Linking
    var options: [String] = []
    var testDescription: String { "\(linking.rawValue) \(options)" }
  }

  @Test(arguments: [
    Case(linking: .dynamic), Case(linking: .dynamic, options: ["-g"]),
    Case(linking: .dynamic, options: ["-fno-omit-frame-pointer"]),
    Case(linking: .dynamicWithoutPIE), Case(linking: .staticProgram), Case(linking: .staticPIE),
  ])
  func `finds the function that takes the time, and who calls it`(_ one: Case) async throws {
    let program = try CompiledProgram(
      Self.source,
      in: root,
      linking: one.linking,
      options: one.options
    )
    let read = try await ProfilerBench().profile([program.path])
    let profile = read.profile
    #expect(profile.share(of: ["main", "work"], in: program.path) > 0.7)
    #expect(profile.samples.count { !$0.isCut } * 10 > profile.samples.count * 9)
    #expect(profile.samples.allSatisfy { $0.process == profile.process })
    #expect(profile.samples.count > 20)
    #expect(profile.files.contains(program.path))
    #expect(profile.tasks.map(\.kind) == [.executed(name: "program")])
    #expect(profile.lostSamples == 0)
    #expect(read.notes.isEmpty)
  }

  @Test(.enabled(if: CompiledProgram.isPossible(linking: .musl), "there is no musl-gcc"))
  func `reads programs of another C library`() async throws {
    let program = try CompiledProgram(Self.source, in: root, linking: .musl)
    let profile = try await ProfilerBench().profile([program.path]).profile
    #expect(profile.share(of: ["main", "work"], in: program.path) > 0.7)
    #expect(profile.samples.count { !$0.isCut } * 10 > profile.samples.count * 9)
  }

  @Test func `calls functions of a stripped program by where they begin`() async throws {
    let program = try CompiledProgram(Self.source, in: root)
    let bench = SymbolBench(file: program.path)
    let places = try ["main", "work"].map { "+0x" + String(try bench.address(of: $0), radix: 16) }
    try TestMachine.shell("strip program", in: root)
    let profile = try await ProfilerBench().profile([program.path]).profile
    #expect(profile.share(of: places, in: program.path) > 0.7)
  }

  @Test func `sees a second thread by the function that it starts with`() async throws {
    let program = try CompiledProgram(
      """
      #include <pthread.h>
      \(Self.spinning)
      NOINLINE static void *compute(void *argument) { work(60000000); return argument; }
      int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, compute, 0);
        return pthread_join(thread, 0);
      }
      """,
      in: root,
      options: ["-pthread"]
    )
    let profile = try await ProfilerBench().profile([program.path]).profile
    let starts = profile.tasks.filter { $0.thread != profile.process }
    #expect(
      starts.map(\.kind) == [.started(byThread: profile.process, process: profile.process)]
    )
    let other = profile.samples.filter { $0.thread == starts.first?.thread }
    let expected = ["compute", "work"]
    let hits = other.count { sample in
      sample.user.filter { $0.file == program.path }.map(\.function) == expected
    }
    #expect(hits * 10 > other.count * 8)
    #expect(hits > 20)
    #expect(other.count { $0.isCut } * 10 < other.count)
  }

  @Test func `follows processes, what they execute, and what they have from their parents`()
    async throws
  {
    let program = try CompiledProgram(
      """
      #include <sys/wait.h>
      #include <unistd.h>
      \(Self.spinning)
      int main(int count, char **arguments) {
        if (fork() == 0) { work(60000000); _exit(0); }
        wait(0);
        if (count < 2) execl(arguments[0], "again", "again", (char *)0);
        return 0;
      }
      """,
      in: root
    )
    let profile = try await ProfilerBench().profile([program.path]).profile
    let own = profile.tasks.filter { $0.process == profile.process }
    let names = own.compactMap { task -> String? in
      if case .executed(let name) = task.kind { name } else { nil }
    }
    #expect(names == ["program", "program"])
    let children = Set(profile.samples.map(\.process)).subtracting([profile.process])
    #expect(children.count == 2)
    for child in children {
      let own = profile.samples.filter { $0.process == child }
      let hits = own.count { sample in
        sample.user.filter { $0.file == program.path }.map(\.function).suffix(2)
          == ["main", "work"]
      }
      #expect(hits * 10 > own.count * 7)
    }
  }

  @Test func `reads C++, the code of the kernel in user mode, and functions of libraries`()
    async throws
  {
    let program = try CompiledProgram(
      """
      #include <time.h>
      namespace app {
      struct Clock { __attribute__((noinline)) long ask(int count); };
      long Clock::ask(int count) {
        timespec now;
        long sum = 0;
        while (count-- > 0) { clock_gettime(CLOCK_MONOTONIC, &now); sum += now.tv_nsec; }
        return sum;
      }
      }
      int main() { return app::Clock().ask(500000) == 0; }
      """,
      in: root,
      language: .cPlusPlus
    )
    let profile = try await ProfilerBench().profile([program.path]).profile
    #expect(profile.share(of: ["main", "app::Clock::ask(int)"], in: program.path) > 0.7)
    let lent = profile.samples.filter { $0.user.last?.file == "[vdso]" }
    #expect(lent.count > 5)
    #expect(lent.allSatisfy { !$0.isCut })
  }

  @Test(.enabled(if: ReadsMachineCode.isPossible, "the code is that of another processor"))
  func `goes through code in no file by its frame pointers`() async throws {
    let program = try CompiledProgram(
      """
      #include <string.h>
      #include <sys/mman.h>
      // push rbp; mov rbp, rsp; mov ecx, 100000000; dec ecx; jnz -4; pop rbp; ret
      static const unsigned char code[] = "\\x55\\x48\\x89\\xe5\\xb9\\x00\\xe1\\xf5\\x05"
                                          "\\xff\\xc9\\x75\\xfc\\x5d\\xc3";
      __attribute__((noinline)) static void run(void (*function)(void)) { function(); __asm__(""); }
      int main(void) {
        void *room = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(room, code, sizeof code);
        run((void (*)(void))room);
        return 0;
      }
      """,
      in: root,
      options: ["-fno-omit-frame-pointer"]
    )
    let profile = try await ProfilerBench().profile([program.path]).profile
    let inside = profile.samples.filter {
      $0.user.last == CodeFrame(file: "", function: "[code in no file]")
    }
    #expect(inside.count > 20)
    let known = inside.count { sample in
      sample.user.map(\.function).contains("main") && sample.user.map(\.function).contains("run")
    }
    #expect(known * 10 > inside.count * 8)
  }

  @Test func `has no names of programs that are gone or replaced, and says so`() async throws {
    let program = try CompiledProgram(Self.source, in: root)
    let file = try ProfilerBench().launch([program.path])
    try FileManager.default.removeItem(atPath: program.path)
    let gone = await StackReader().profiles(of: [file])
    let note = "no names of functions of \(program.path): it"
    #expect(gone.notes == ["\(note) cannot be opened"])
    let unreadable = CodeFrame(file: program.path, function: "[unreadable]")
    let samples = try #require(gone.profiles[0]).samples
    #expect(samples.count { $0.user.contains(unreadable) } > 20)

    try FileManager.default.copyItem(atPath: "/bin/true", toPath: "\(root)/other")
    try FileManager.default.moveItem(atPath: "\(root)/other", toPath: program.path)
    let replaced = await StackReader().profiles(of: [file])
    #expect(replaced.notes == ["\(note) is no longer the file that was executed"])
  }

  @Test(
    .enabled(
      if: generation(of: NSTemporaryDirectory()) != nil,
      "this file system tells no generations of inodes"
    )
  )
  func `knows another file that has the inode of the one that was executed`() async throws {
    let program = try CompiledProgram(Self.source, in: root)
    let file = try ProfilerBench().launch([program.path])
    let executed = try Self.number(ofFile: program.path)
    // The executed file stays, so the new one has another inode; the recording says that it is the same.
    try FileManager.default.moveItem(atPath: program.path, toPath: "\(root)/executed")
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: program.path)
    let recording = try Data(contentsOf: URL(filePath: file.path))
    let changed = recording.replacing(executed, with: try Self.number(ofFile: program.path))
    try #require(changed != recording)
    try changed.write(to: URL(filePath: file.path))

    let read = await StackReader().profiles(of: [file])

    let note = "no names of functions of \(program.path): it"
    #expect(read.notes == ["\(note) is no longer the file that was executed"])
  }

  /// Device and inode of a file, as a record of a mapping has them.
  private static func number(ofFile path: String) throws -> [UInt8] {
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    let file = FileNumber(status)
    return [UInt8](of: file.major) + [UInt8](of: file.minor) + [UInt8](of: file.inode)
  }

  /// What tells an inode from an earlier one of its number; nil where the file system does not tell.
  private static func generation(of path: String) -> Int32? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var generation: [Int32] = [0, 0]
    let request: UInt = 0x8008_7601  // FS_IOC_GETVERSION
    let status = unsafe ioctl(file, request, &generation)
    return status == 0 ? generation[0] : nil
  }

  @Test func `reads many launches at once, wherever they were mapped`() async throws {
    let program = try CompiledProgram(Self.source, in: root)
    let bench = try ProfilerBench()
    let files = try (0..<6).map { _ in try bench.launch([program.path]) }
    let read = await StackReader().profiles(of: files)
    let profiles = read.profiles.compactMap(\.self)
    #expect(profiles.count == 6)
    #expect(profiles.allSatisfy { $0.share(of: ["main", "work"], in: program.path) > 0.7 })
    #expect(profiles.map(\.process) == files.map(\.process))
    // The period is drawn for each launch.
    #expect(profiles.allSatisfy { (100_000...300_000).contains($0.period.count) })
    #expect(Set(profiles.map(\.period)).count > 1)
    for profile in profiles {
      #expect(profile.samples.map(\.time) == profile.samples.map(\.time).sorted())
      #expect(profile.samples.allSatisfy { $0.time > profile.begin })
    }
  }
}

/// Whether tests may execute instructions of x86-64.
private enum ReadsMachineCode {
  static var isPossible: Bool {
    #if arch(x86_64)
    true
    #else
    false
    #endif
  }
}
