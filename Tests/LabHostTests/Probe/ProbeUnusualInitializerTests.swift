import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite(
  "Initializers that the probe must not disturb",
  .temporaryDirectory,
  .enabled(if: ProbeBench.compiler != nil, "needs a C compiler")
) struct ProbeUnusualInitializerTests {
  @Test func `are left alone and said where memory cannot be made writable`() throws {
    let bench = try ProbeBench()
    let source =
      CSource.prelude + CSource.constructor("late") + """
        static void early(int c, char **v, char **e) { write(1, "early ", 6); }
        __attribute__((section(".preinit_array"), used)) static void *entry = early;
        int main(void) { write(1, "main", 4); return 0; }
        """
    let program = try bench.compile("program", source)
    let launcher = try bench.compile("launcher", Self.refusingLauncher)
    let seen = try bench.launch([launcher, program])
    #expect(seen.result.outcome == .ready)
    #expect(seen.output == "early late main")
    #expect(seen.events(.initializersUntimed).map(\.address) == [UInt64(EACCES)])
    #expect(seen.events(.initializersUntimed).map(\.object) == [0])
    #expect(seen.events(.mainBegins).count == 2)
  }

  /// Executes a program for which mprotect with PROT_READ|PROT_WRITE is refused, and nothing else.
  private static let refusingLauncher = """
    #include <errno.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    #define LOAD(offset) {BPF_LD | BPF_W | BPF_ABS, 0, 0, offset}
    #define UNLESS(value, skip) {BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value}
    #define RETURN(value) {BPF_RET | BPF_K, 0, 0, value}
    int main(int count, char **arguments) {
      struct sock_filter filter[] = {
        LOAD(0), UNLESS(SYS_mprotect, 3), LOAD(32), UNLESS(3, 1),
        RETURN(SECCOMP_RET_ERRNO | EACCES), RETURN(SECCOMP_RET_ALLOW),
      };
      struct sock_fprog all = {sizeof filter / sizeof *filter, filter};
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 8;
      if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all)) return 9;
      execv(arguments[1], arguments + 1);
      return 10;
    }
    """

  @Test func `are unfinished when they exit`() throws {
    let bench = try ProbeBench()
    let source =
      CSource.prelude + """
        __attribute__((constructor)) static void leave(void) { write(1, "bye", 3); exit(3); }
        __attribute__((destructor)) static void last(void) { write(1, " last", 5); }
        int main(void) { return 0; }
        """
    let program = try bench.compile("program", source)
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .exited(code: 3))
    #expect(seen.output == "bye last")
    #expect(seen.events(.mainBegins) == [])
    let leave = try #require(try bench.value(of: "leave", in: program))
    let event = try #require(seen.events(.initializer).first { seen.offset(of: $0) == leave })
    #expect(event.end == nil)
  }

  @Test func `can be traced back to the start of the program`() throws {
    let bench = try ProbeBench()
    let source = """
      #include <execinfo.h>
      static void *frames[64];
      static int depth;
      __attribute__((constructor)) static void trace(void) { depth = backtrace(frames, 64); }
      int main(void) { backtrace_symbols_fd(frames, depth, 1); return 0; }
      """
    let program = try bench.compile("program", source)
    func files(_ result: LaunchResult) -> [Substring] {
      String(decoding: result.output.stdout.head, as: UTF8.self).split(separator: "\n")
        .map { $0.prefix { $0 != "(" } }
    }
    let plain = files(try bench.run([program]))
    let traced = files(try bench.launch([program]).result)
    #expect(plain.count > 1)
    #expect(traced.filter { !$0.hasSuffix("/probe.so") } == plain)
    #expect(traced.count == plain.count + 1)
  }

  private static let compilesCPlusPlus = FileManager.default.isExecutableFile(
    atPath: "/usr/bin/g++"
  )

  @Test(.enabled(if: compilesCPlusPlus, "needs g++"))
  func `may throw, and build C++ objects`() throws {
    let bench = try ProbeBench()
    let source = """
      #include <cstdio>
      #include <stdexcept>
      #include <string>
      struct Noisy {
        std::string name;
        explicit Noisy(const char *text) : name(text) { std::printf("%s ", name.c_str()); }
        ~Noisy() { std::printf("~%s ", name.c_str()); }
      };
      static Noisy first("first"), second("second");
      static int caught = [] {
        try { throw std::runtime_error("x"); } catch (const std::exception &) { return 1; }
      }();
      #ifdef THROWS
      static int thrown = [] { std::fflush(stdout); throw 1; return 0; }();
      #endif
      int main() { std::printf("main%d ", caught); }
      """
    let file = "\(TemporaryDirectory.path)/objects.cpp"
    try source.write(toFile: file, atomically: true, encoding: .utf8)
    let good = try bench.compile("good", file: file, ["-x", "c++", "-lstdc++"])
    let seen = try bench.launch([good])
    #expect(seen.output == "first second main1 ~second ~first ")
    let bad = try bench.compile("bad", file: file, ["-x", "c++", "-lstdc++", "-DTHROWS"])
    let plain = try bench.run([bad])
    let thrown = try bench.launch([bad])
    #expect(plain.outcome == .signalled(signal: 6))
    #expect(thrown.result.outcome == plain.outcome)
    #expect(thrown.result.output == plain.output)
    #expect(thrown.initializers(of: "/bad").last?.end == nil)
  }

  @Test func `see the stack and the registers that they always see`() throws {
    let bench = try ProbeBench()
    let source =
      CSource.prelude + """
        #include <errno.h>
        #include <fenv.h>
        #include <stdint.h>
        static int wrong;
        __attribute__((constructor(150))) static void set(void) { errno = 77; fesetround(FE_UPWARD); }
        __attribute__((constructor(151))) static void check(void) {
          _Alignas(16) volatile char local[16];
          if (((uintptr_t)__builtin_frame_address(0) & 15) != 0) wrong |= 1;
          if (((uintptr_t)local & 15) != 0) wrong |= 2;
          if (errno != 77) wrong |= 4;
          if (fegetround() != FE_UPWARD) wrong |= 8;
          volatile double x = 1, y = 3; local[0] = (char)(x / y);
        }
        int main(void) { return wrong; }
        """
    let program = try bench.compile("program", source, ["-lm"])
    #expect(try bench.run([program]).outcome == .ready)
    #expect(try bench.launch([program]).result.outcome == .ready)
  }
}
