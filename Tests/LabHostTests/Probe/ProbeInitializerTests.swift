import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite(
  "Initializers that the probe times",
  .temporaryDirectory,
  .enabled(if: ProbeBench.compiler != nil, "needs a C compiler")
) struct ProbeInitializerTests {
  struct Linking: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var options: [String]
  }

  private static let linkings = [
    Linking(testDescription: "the default", options: []),
    Linking(testDescription: "full RELRO", options: ["-Wl,-z,relro,-z,now"]),
    Linking(testDescription: "partial RELRO", options: ["-Wl,-z,relro,-z,lazy"]),
    Linking(testDescription: "no RELRO", options: ["-Wl,-z,norelro"]),
    Linking(testDescription: "no PIE", options: ["-no-pie"]),
    Linking(testDescription: "no PIE, no RELRO", options: ["-no-pie", "-Wl,-z,norelro"]),
    Linking(testDescription: "no separate code", options: ["-Wl,-z,noseparate-code"]),
    Linking(testDescription: "large pages", options: ["-Wl,-z,max-page-size=0x200000"]),
  ]

  @Test(arguments: linkings, [false, true])
  func `are all timed however the program is linked`(_ linking: Linking, isEarly: Bool) throws {
    let bench = try ProbeBench()
    let names = (isEarly ? ["early"] : []) + ["first", "second", "third"]
    let source =
      CSource.prelude + CSource.constructor("second", priority: 300)
      + CSource.constructor("first", priority: 200) + CSource.constructor("third") + """
        #ifdef EARLY
        static void early(int c, char **v, char **e) { write(1, "early ", 6); }
        __attribute__((section(".preinit_array"), used)) static void *entry = early;
        #endif
        int main(void) { write(1, "main", 4); return 0; }
        """
    let program = try bench.compile(
      "program",
      source,
      linking.options + (isEarly ? ["-DEARLY"] : [])
    )
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .ready)
    #expect(seen.output == names.joined(separator: " ") + " main")
    #expect(seen.events(.initializersUntimed) == [])
    #expect(try seen.names(names, of: "/program", bench: bench) == names)
    let counted = try #require(seen.events(.initializersFound).first)
    #expect(counted.address == UInt64(counted.object))
    #expect(counted.address >= UInt64(seen.events(.initializer).count))
  }

  #if arch(x86_64)
  @Test func `are timed in a program that calls them itself, as before glibc 2.34`() throws {
    let bench = try ProbeBench()
    let source =
      CSource.prelude + CSource.constructor("first", priority: 200) + CSource.constructor("second")
        + """
        typedef void function(int, char **, char **);
        extern function *__init_array_start[], *__init_array_end[];
        static void initialize(int c, char **v, char **e) {
          for (function **f = __init_array_start; f < __init_array_end; f++) (*f)(c, v, e);
        }
        int old_start(int (*)(void), int, char **, function *, void *, void *, void *);
        __asm__(".symver old_start, __libc_start_main@GLIBC_2.2.5");
        int main(void) { write(1, "main", 4); return 0; }
        __attribute__((used)) void begin(long *stack) {
          old_start(main, *stack, (char **)(stack + 1), initialize, 0, 0, stack);
        }
        __asm__(".globl _start; _start: mov %rsp, %rdi; and $-16, %rsp; call begin; hlt");
        """
    let program = try bench.compile("program", source, ["-nostartfiles"])
    let seen = try bench.launch([program])
    #expect(seen.output == "first second main")
    let names = ["first", "second"]
    #expect(try seen.names(names, of: "/program", bench: bench) == names)
    let counted = try #require(seen.events(.initializersFound).first)
    #expect(counted.address == UInt64(seen.events(.initializer).count))
  }
  #endif

  @Test func `leave the protection of memory as it was`() throws {
    let bench = try ProbeBench()
    let source = """
      #include <stdio.h>
      __attribute__((constructor)) static void nothing(void) { }
      int main(void) {
        char line[512];
        FILE *maps = fopen("/proc/self/maps", "r");
        while (fgets(line, sizeof line, maps)) {
          char *path = 0; unsigned long start, end; char allowed[8];
          if (!strstr(line, "/libc.so") && !strstr(line, "/program")) continue;
          sscanf(line, "%lx-%lx %7s", &start, &end, allowed);
          printf("%lx %s\\n", end - start, allowed);
        }
      }
      """
    let program = try bench.compile("program", "#include <string.h>\n" + source)
    let plain = try bench.run([program])
    #expect(!plain.output.stdout.head.isEmpty)
    #expect(try bench.launch([program]).result.output == plain.output)
  }

  @Test func `include the function DT_INIT of a library`() throws {
    let bench = try ProbeBench()
    let source =
      CSource.prelude + "void begin(void) { write(1, \"begin \", 6); }"
      + CSource.constructor("later")
    let library = try bench.compile("libinit.so", source, ["-Wl,-init,begin"])
    let program = try bench.compile(
      "program",
      "int main(void) { return 0; }",
      ["-Wl,--no-as-needed", library]
    )
    let seen = try bench.launch([program])
    #expect(seen.output == "begin later ")
    let found = try seen.names(["begin", "later"], of: "/libinit.so", bench: bench)
    #expect(found == ["begin", "later"])
  }

  @Test func `run in full when there are more than can be timed`() throws {
    let bench = try ProbeBench()
    let source = """
      #include <stdio.h>
      static int count; static unsigned long sum;
      #define ONE(n) __attribute__((constructor)) static void run##n(void) { count++; sum += n; }
      #define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) \\
        ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
      #define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) \\
        TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
      #define THOUSAND(n) HUNDRED(n##0) HUNDRED(n##1) HUNDRED(n##2) HUNDRED(n##3) HUNDRED(n##4) \\
        HUNDRED(n##5) HUNDRED(n##6) HUNDRED(n##7) HUNDRED(n##8) HUNDRED(n##9)
      THOUSAND(1) THOUSAND(2) THOUSAND(3) THOUSAND(4) THOUSAND(5)
      """
    let main = "\nint main(void) { printf(\"%d %lu\", count, sum); }"
    let program = try bench.compile("program", source + main)
    let seen = try bench.launch([program])
    #expect(seen.output == "5000 17497500")
    let counted = try #require(seen.events(.initializersFound).first)
    #expect(counted.address > 5_000)
    #expect(counted.object == 4_096)
    #expect(seen.events(.initializer).count >= 4_090)
    #expect(seen.events(.initializer).allSatisfy { $0.end != nil })

    let library = try bench.compile("libmany.so", source + "\nint many(void) { return count; }")
    let user = try bench.compile(
      "user",
      "#include <stdio.h>\nint many(void); int main(void) { printf(\"%d\", many()); }",
      [library]
    )
    let second = try bench.launch([user])
    #expect(second.output == "5000")
    #expect(try #require(second.events(.initializersFound).first).address > 5_000)
    #expect(second.initializers(of: "/libmany.so").count > 4_000)
  }
}
