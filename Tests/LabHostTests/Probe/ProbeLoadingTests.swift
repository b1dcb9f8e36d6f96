import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite(
  "Libraries that a program loads itself",
  .temporaryDirectory,
  .enabled(if: ProbeBench.compiler != nil, "needs a C compiler")
) struct ProbeLoadingTests {
  private static let plugin = """
    #include <unistd.h>
    static const char *text = "plugin ";
    static const char *const *place = &text;
    __attribute__((constructor(150))) void first(void) { write(1, *place, 7); }
    __attribute__((constructor(151))) void second(void) { write(1, *place, 7); }
    """

  private static let host = """
    #include <dlfcn.h>
    #include <unistd.h>
    static void load(void) {
      for (int round = 0; round < 3; round++) {
        void *plugin = dlopen(PLUGIN, RTLD_NOW);
        if (!plugin) _exit(9);
        dlclose(plugin);
      }
    }
    #ifdef EARLY
    __attribute__((constructor)) static void early(void) { load(); }
    __attribute__((constructor)) static void after(void) { write(1, "after ", 6); }
    #endif
    int main(void) {
      write(1, "main ", 5);
      load();
      return 0;
    }
    """

  struct Linking: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var options: [String]
  }

  private static let linkings = [
    Linking(testDescription: "the default", options: []),
    Linking(testDescription: "packed relocations", options: ["-Wl,-z,pack-relative-relocs"]),
    Linking(testDescription: "no RELRO", options: ["-Wl,-z,norelro"]),
    Linking(testDescription: "no DT_INIT", options: ["-nostartfiles"]),
    Linking(testDescription: "full RELRO", options: ["-Wl,-z,now"]),
  ]

  @Test(arguments: linkings, [false, true])
  func `are timed as those before main`(_ linking: Linking, isEarly: Bool) throws {
    let bench = try ProbeBench()
    let plugin = try bench.compile("plugin.so", Self.plugin, linking.options)
    let program = try bench.compile(
      "program",
      Self.host,
      ["-DPLUGIN=\"\(plugin)\"", "-ldl"] + (isEarly ? ["-DEARLY"] : [])
    )
    let seen = try bench.launch([program])
    let loads = String(repeating: "plugin ", count: 6)
    #expect(seen.result.outcome == .ready)
    #expect(seen.output == (isEarly ? loads + "after " : "") + "main " + loads)
    let rounds = isEarly ? 6 : 3
    let opened = seen.events(.objectOpened).filter { $0.text == plugin }
    #expect(opened.count == rounds)
    #expect(seen.events(.adding).count == rounds + 1)
    #expect(seen.events(.consistent).count == rounds + 1)
    #expect(seen.events(.initializersFound).count == 1)
    #expect(seen.events(.initializersUntimed) == [])
    for name in ["first", "second"] {
      let offset = try #require(try bench.value(of: name, in: plugin))
      for object in opened {
        let runs = seen.events(.initializer).filter {
          $0.object == object.object && $0.address == object.address + offset
        }
        #expect(runs.count == 1)
        #expect(runs.first?.end != nil)
      }
    }
    let early = seen.events(.initializer).filter { initializer in
      opened.contains { $0.object == initializer.object }
        && initializer.time < seen.events(.mainBegins)[0].time
    }
    #expect(early.isEmpty == !isEarly)
  }

  @Test func `nest in the initializer that loads them`() throws {
    let bench = try ProbeBench()
    let plugin = try bench.compile("plugin.so", Self.plugin)
    let options = ["-DPLUGIN=\"\(plugin)\"", "-ldl", "-DEARLY"]
    let program = try bench.compile("program", Self.host, options)
    let seen = try bench.launch([program])
    let early = try #require(try bench.value(of: "early", in: program))
    let base = try #require(seen.object("/program")).address
    let outer = try #require(seen.events(.initializer).first { $0.address == base + early })
    let end = try #require(outer.end)
    let inner = seen.events(.initializer).filter {
      $0.object >= (seen.object("/plugin.so")?.object ?? .max) && $0.time < end
    }
    #expect(!inner.isEmpty)
    #expect(inner.allSatisfy { $0.time >= outer.time && ($0.end ?? end + end) <= end })
  }

  @Test func `may be loaded in a namespace of their own`() throws {
    let bench = try ProbeBench()
    let plugin = try bench.compile("plugin.so", Self.plugin)
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      int main(void) { return dlmopen(LM_ID_NEWLM, PLUGIN, RTLD_NOW) ? 0 : 9; }
      """
    let program = try bench.compile("program", source, ["-DPLUGIN=\"\(plugin)\"", "-ldl"])
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .ready)
    #expect(seen.output == "plugin plugin ")
    #expect(seen.initializers(of: "/plugin.so").count >= 2)
  }

  @Test(arguments: ["dlopen(PLUGIN", "dlmopen(LM_ID_NEWLM, PLUGIN"])
  func `may need a library that is not there`(_ call: String) throws {
    let bench = try ProbeBench()
    let missing = try bench.compile("missing.so", "int missing(void) { return 1; }")
    let needing = Self.plugin + "\nint missing(void);\nint use(void) { return missing(); }"
    let plugin = try bench.compile("plugin.so", needing, ["-Wl,--no-as-needed", missing])
    try FileManager.default.removeItem(atPath: missing)
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      int main(void) {
        for (int round = 0; round < 3; round++)
          if (\(call), RTLD_NOW)) return 9;
        return dlopen("libm.so.6", RTLD_NOW) ? 0 : 8;
      }
      """
    let program = try bench.compile("program", source, ["-DPLUGIN=\"\(plugin)\"", "-ldl"])
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .ready)
    #expect(seen.events(.objectOpened).filter { $0.text == plugin }.count == 3)
    #expect(seen.initializers(of: "/plugin.so") == [])
    #expect(!seen.initializers(of: "/libm.so.6").isEmpty)
  }

  @Test func `may be loaded by threads, and more often than thunks last`() throws {
    let bench = try ProbeBench()
    let quiet = Self.plugin.replacing("write(1,", with: "write(-1,")
    for thread in 0..<4 { _ = try bench.compile("plugin\(thread).so", quiet) }
    // Of one library for all threads, it would be up to the scheduler how often it is loaded.
    let source = """
      #include <dlfcn.h>
      #include <pthread.h>
      static char paths[4][sizeof PLUGIN] = {PLUGIN, PLUGIN, PLUGIN, PLUGIN};
      static void *load(void *path) {
        for (int round = 0; round < 1000; round++) {
          void *plugin = dlopen(path, RTLD_NOW);
          if (!plugin) return (void *)1;
          dlclose(plugin);
        }
        return 0;
      }
      int main(void) {
        pthread_t threads[4];
        int failures = 0;
        for (int i = 0; i < 4; i++) {
          paths[i][sizeof PLUGIN - sizeof "0.so"] = '0' + i;
          pthread_create(&threads[i], 0, load, paths[i]);
        }
        for (int i = 0; i < 4; i++) { void *r; pthread_join(threads[i], &r); failures += r != 0; }
        return failures;
      }
      """
    let options = ["-DPLUGIN=\"\(bench.directory)/plugin0.so\"", "-ldl", "-lpthread"]
    let program = try bench.compile("program", source, options)
    let seen = try bench.launch([program])
    #expect(seen.result.outcome == .ready)
    #expect(seen.events(.initializer).count > 4_000)
  }

  @Test func `may be a thousand before main`() throws {
    let bench = try ProbeBench()
    let names = (0..<1_000).map { "lib\($0).so" }
    let first = try bench.compile("lib0.so", "int loaded;")
    for name in names.dropFirst() {
      try FileManager.default.copyItem(atPath: first, toPath: "\(bench.directory)/\(name)")
    }
    let program = try bench.compile("program", "int main(void) { return 0; }")
    let paths = names.map { "\(bench.directory)/\($0)" }.joined(separator: " ")
    let environment = ["LD_PRELOAD": paths]
    let seen = try bench.launch([program], environment: environment)
    #expect(seen.result.outcome == .ready)
    #expect(seen.errorOutput == "")
    #expect(seen.events(.objectOpened).count > 1_000)
    let counted = try #require(seen.events(.initializersFound).first)
    #expect(counted.address == UInt64(counted.object))
    #expect(seen.events(.initializer).count > 1_000)
  }
}
