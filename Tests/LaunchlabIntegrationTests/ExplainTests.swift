import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// `launchlab explain` on programs with a known reason.
  @Suite(
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: geteuid() == 0, "tracing takes root")
  )
  struct ExplainTests {
    /// A program of three steps; with `PLANTED`, one step more.
    private static let source = """
      #include <fcntl.h>
      #include <time.h>
      #include <unistd.h>
      static volatile unsigned long sink;
      static void spin(long rounds) {
        for (long i = 0; i < rounds; i++) sink = sink * 6364136223846793005UL + 1;
      }
      __attribute__((noinline)) void parse_config(void) { spin(500000); }
      __attribute__((noinline)) void load_catalog(void) {
        int file = open("/etc/passwd", O_RDONLY);
        close(file);
        spin(500000);
      }
      #ifdef PLANTED
      __attribute__((noinline)) void warm_cache(void) { PLANTED; sink++; }
      #endif
      int main(void) {
        parse_config();
      #ifdef PLANTED
        warm_cache();
      #endif
        load_catalog();
        return 0;
      }
      """

    /// A way in which a program takes longer, and what the first reason must name.
    struct Case: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let code: String
      let kind: String
      let names: String

      /// The same where the kernel is not sampled; nil for the same.
      var namesWithoutKernel: String?
      var linking = CompiledProgram.Linking.dynamic
      var options: [String] = []
    }

    static let cases = [
      Case(
        testDescription: "own code",
        code: "spin(2000000)",
        kind: "own-code",
        names: "warm_cache"
      ),
      Case(
        testDescription: "own code of a static program",
        code: "spin(2000000)",
        kind: "own-code",
        names: "warm_cache",
        linking: .staticProgram
      ),
      Case(
        testDescription: "own code of a stripped program",
        code: "spin(2000000)",
        kind: "own-code",
        names: "without names",
        options: ["-s"]
      ),
      Case(
        testDescription: "a sleep",
        code: "nanosleep(&(struct timespec){0, 4000000}, 0)",
        kind: "sleep",
        names: "clock_nanosleep"
      ),
      // Much beside what launches scatter by on a busy machine, or its share of the change does not hold.
      Case(
        testDescription: "files",
        code: "for (int i = 0; i < 4000; i++) close(open(\"/etc/hostname\", O_RDONLY))",
        kind: "file",
        names: "warm_cache",
        namesWithoutKernel: "/etc/hostname"
      ),
    ]

    @Test(arguments: cases)
    func `names what was planted`(_ planted: Case) async throws {
      let lab = Launchlab()
      let (before, after) = try Self.programs(planted, in: lab.directory)

      let output = try await lab.run(
        "explain \(before) \(after) --json e.json --svg e.svg --markdown e.md"
      )
      let result = try Result(lab, "e.json")

      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      #expect(result.schema == "launchlab.explain/1")
      let reason = try #require(result.reasons.first, "\(output.stdout)")
      #expect(reason.kind == planted.kind, "\(output.stdout)")
      #expect(reason.said.contains(planted.names), "\(output.stdout)")
      #expect((0.6...1.4).contains(reason.share ?? 0))
      #expect((reason.confirmedBlocks ?? 0) >= 6)
      // What was planted is after `main`, and stages are launched apart.
      let stage = try #require(result.stages.first, "\(output.stdout)")
      #expect(stage.path == "main_to_ready" && (stage.after ?? 0) > (stage.before ?? .infinity))
      #expect(output.stdout.contains("slower than A"))
      #expect(try String(contentsOfFile: lab.path("e.md"), encoding: .utf8).contains("**Why**"))
      #expect(try String(contentsOfFile: lab.path("e.svg"), encoding: .utf8).hasPrefix("<svg"))
    }

    @Test(.enabled(if: Machine.has("valgrind"), "valgrind is missing"))
    func `counts calls and instructions of the way to a reason`() async throws {
      let lab = Launchlab()
      let planted = Case(
        testDescription: "a function that is called more often",
        code: "for (int i = 0; i < 9; i++) parse_config()",
        kind: "own-code",
        names: "parse_config"
      )
      let (before, after) = try Self.programs(planted, in: lab.directory)

      let output = try await lab.run("explain", before, after, "--json", "e.json")
      let result = try Result(lab, "e.json")

      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      #expect(output.stdout.contains("parse_config called 1 → 10 times"), "\(output.stdout)")
      #expect(output.stdout.contains("2 + 2 counted by callgrind"))
      let counted = try #require(result.instructions)
      // Each call executes some instructions for each of 500,000 rounds.
      #expect(counted.different && counted.after - counted.before > 9 * 500_000)
    }

    @Test func `finds no reason between a program and its copy`() async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, name: "one", in: lab.directory).path
      let twin = "\(lab.directory)/two"
      try FileManager.default.copyItem(atPath: program, toPath: twin)

      let output = try await lab.run("explain", program, twin, "--json", "e.json")
      let result = try Result(lab, "e.json")

      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      #expect(!output.stderr.contains("counts as a night"), "\(output.stderr)")
      #expect(result.reasons.isEmpty, "\(output.stdout)")
    }

    @Test(arguments: ["bpf", "ptrace"])
    func `names what was planted beside 500 threads`(collector: String) async throws {
      let lab = Launchlab()
      let source = """
        #include <pthread.h>
        static void *spin(void *rounds) {
          volatile unsigned long sink = 1;
          for (long i = 0; i < (long)rounds; i++) sink = sink * 3 + 1;
          return 0;
        }
        __attribute__((noinline)) void warm_cache(void) { spin((void *)40000000); }
        int main(void) {
          pthread_t threads[500];
          for (int i = 0; i < 500; i++) pthread_create(&threads[i], 0, spin, (void *)30000);
          for (int i = 0; i < 500; i++) pthread_join(threads[i], 0);
        #ifdef PLANTED
          warm_cache();
        #endif
          return 0;
        }
        """
      let programs = try ["before", "after"].map { name in
        try CompiledProgram(
          source,
          name: name,
          in: lab.directory,
          options: ["-pthread"] + (name == "after" ? ["-DPLANTED"] : [])
        ).path
      }

      let output = try await lab.run(
        arguments: ["explain"] + programs
          + ["--collector", collector, "--launches", "8", "--no-callgrind", "--json", "e.json"]
      )
      let result = try Result(lab, "e.json")

      #expect([0, 125].contains(output.status), "\(output.stderr)")
      let reason = try #require(result.reasons.first, "\(output.stdout)")
      #expect(reason.said.contains("warm_cache"), "\(output.stdout)")
    }

    @Test func `divides the launch of one program`() async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, in: lab.directory).path

      let output = try await lab.run("explain --launches 6 --json e.json -- \(program)")
      let result = try Result(lab, "e.json")

      #expect(output.status == 0, "\(output.stderr)")
      #expect(output.stdout.contains("parse_config") && output.stdout.contains("load_catalog"))
      let root = try #require(result.tree.first)
      let children = result.tree.filter { $0.parent == root.id }.map(\.afterNs)
      #expect(abs(children.reduce(0, +) - root.afterNs) <= children.count)
    }

    @Test(.enabled(if: Machine.isTemporaryDirectoryOnDisk, "temporary files lie in memory"))
    func `counts what a cold launch reads`() async throws {
      let lab = Launchlab()
      let table = lab.path("table.bin")
      try Data(repeating: 7, count: 64 * 4096).write(to: URL(filePath: table))
      let planted = Case(
        testDescription: "a file that is read cold",
        code: """
          int f = open("\(table)", O_RDONLY); char text[4096]; \
          while (read(f, text, sizeof text) > 0) sink += text[0]
          """,
        kind: "disk",
        names: "table.bin"
      )
      let program = try Self.programs(planted, in: lab.directory).after

      let output = try await lab.run(
        "explain --state reboot-cold --launches 3 --json e.json -- \(program)"
      )

      #expect(output.status == 0, "\(output.stderr)")
      let counts = try #require(Result(lab, "e.json").pageIns)
      let read = try #require(
        counts.first { $0.file?.hasSuffix("/table.bin") == true },
        "\(output.stdout)"
      )
      #expect(read.pages == 64)
      #expect((1...63).contains(read.readAhead))
      #expect(output.stdout.contains("page-ins: "))
    }

    @Test func `writes a launch of each program for other programs`() async throws {
      let lab = Launchlab()
      let planted = try #require(Self.cases.first)
      let (before, after) = try Self.programs(planted, in: lab.directory)

      let output = try await lab.run(
        "explain \(before) \(after) --launches 8 --trace e.json --firefox former.json"
      )

      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      let trace = try Data(contentsOf: URL(filePath: lab.path("e.json")))
      let events = try ChromeTraceRules.expect(trace)
      let path = Dictionary(grouping: events.filter { $0.cat == "critical path" }, by: \.pid)
        .mapValues { $0.reduce(0) { $0 + ($1.length ?? 0) } }
      #expect(path.count == 2 && path.values.allSatisfy { $0 > 0 })
      let processes = events.filter { $0.name == "process_name" }.compactMap(\.args?.name)
      #expect(processes.contains("B: sampled launch"))
      #expect(events.contains { $0.cat == "sample" && $0.name.hasPrefix("warm_cache") })
      #expect(events.contains { $0.cat == "mean time" && $0.name.hasPrefix("warm_cache") })
      // An option of earlier versions writes the same file.
      #expect(output.stderr.contains("--firefox is now --trace"))
      #expect(try Data(contentsOf: URL(filePath: lab.path("former.json"))) == trace)
    }

    @Test(arguments: ["python3", "node"].filter { Machine.has("/usr/bin/\($0)") })
    func `names the module that a script loads`(_ interpreter: String) async throws {
      let lab = Launchlab()
      let isPython = interpreter == "python3"
      let suffix = isPython ? "py" : "js"
      func write(_ python: String, _ node: String, to name: String) throws {
        try lab.write(isPython ? python : node, to: "\(name).\(suffix)")
      }
      let loop = "for (let i = 0; i < 3e6; i++) Math.sqrt(i);"
      try write("import sys", "require('os');", to: "one/old")
      try write("import sys, planted", "require('os'); require('./planted');", to: "two/new")
      try write(
        "import planted_part\nfor i in range(200000): pass",
        "require('./planted_part'); \(loop) \(loop)",
        to: "two/planted"
      )
      try write("for i in range(100000): pass", loop, to: "two/planted_part")

      let output = try await lab.run(
        "explain",
        "/usr/bin/\(interpreter) \(lab.path("one/old.\(suffix)"))",
        "/usr/bin/\(interpreter) \(lab.path("two/new.\(suffix)"))",
        "--launches",
        "8",
        "--no-callgrind",
        "--json",
        "e.json"
      )

      #expect([0, 125].contains(output.status), "\(output.stdout)\(output.stderr)")
      let file = try JSONDecoder().decode(
        ModuleFile.self,
        from: Data(contentsOf: URL(filePath: lab.path("e.json")))
      )
      let modules = try #require(file.modules, "\(output.stderr)")
      #expect(modules.runtime == (isPython ? "python" : "node"))
      let names = ["planted", "planted_part"].map { isPython ? $0 : "\($0).js" }
      let told = try #require(modules.modules.first { $0.significant }, "\(output.stdout)")
      #expect(told.name == names[0] && told.novelty == "new" && told.others == [names[1]])
      #expect(modules.modules.count { $0.significant } == 1, "\(output.stdout)")
      #expect(output.stdout.contains("\(names[0]) (new, with 1 other)"))
    }

    private struct ModuleFile: Decodable {
      var modules: Modules?

      struct Modules: Decodable {
        var runtime: String
        var modules: [Module]
      }

      struct Module: Decodable {
        var name: String
        var novelty: String?
        var others: [String]
        var significant: Bool
      }
    }

    @Test(arguments: cases.filter { !$0.options.contains("-s") })
    func `names what was planted without rights`(_ planted: Case) async throws {
      let lab = try Launchlab.asNobody()
      let (before, after) = try Self.programs(planted, in: lab.directory)

      let output = try await lab.run("explain", before, after, "--json", "e.json")

      try #require([0, 125].contains(output.status), "\(output.stdout)\(output.stderr)")
      let result = try Result(lab, "e.json")
      let levels = result.collectors.map { $0.rights?.level }
      #expect(levels[1] == "ptrace" && levels[2] != "kernel")
      #expect(output.stderr.contains("traced by ptrace"))
      let reason = try #require(result.reasons.first, "\(output.stdout)")
      // Without samples there are no functions.
      let names = planted.namesWithoutKernel ?? planted.names
      let isNamed = reason.said.contains(names)
      #expect(isNamed || result.collectors[2].missing != nil, "\(output.stdout)")
      #expect(reason.kind == planted.kind, "\(output.stdout)")
      // What tracing costs is taken off a call only roughly: many short ones may have another share.
      #expect((reason.share ?? 0) > 0.2)
    }

    /// Hosts that refuse a part, made of this one, and what is said then.
    static let refusingHosts: [(wrapper: [String], option: [String], status: Int32, said: String)] =
      [
        (
          mounting("/sys/kernel/btf/vmlinux"), ["--collector", "bpf"], 128,
          "no type information (BTF)"
        ),
        (mounting("/sys/kernel/btf/vmlinux"), [], 0, "traced by ptrace"),
        (withoutRights, ["--collector", "bpf"], 128, "CAP_BPF"),
        (withoutRights, [], 0, "time in system calls is not divided"),
        (mounting("/proc/kallsyms"), [], 0, ""),
      ]

    private static func mounting(_ path: String) -> [String] {
      ["unshare", "--mount", "sh", "-c", "mount --bind /dev/null \(path) && exec \"$@\"", "sh"]
    }

    private static let withoutRights = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]

    @Test(arguments: refusingHosts.indices)
    func `does what a host allows, and says what it refuses`(_ index: Int) async throws {
      let host = Self.refusingHosts[index]
      var lab = Launchlab()
      lab.wrapper = host.wrapper

      let output = try await lab.run(
        arguments: ["explain", "-v", "--launches", "2"] + host.option + ["--", "/bin/ls", "/"]
      )

      #expect(output.status == host.status, "\(output.stderr)")
      #expect(host.said.isEmpty || output.stderr.contains(host.said), "\(output.stderr)")
      #expect(output.stdout.contains("in all, traced") == (host.status == 0))
    }

    /// As a container does whose seccomp profile allows none of it.
    @Test func `says what it takes in a sandbox that allows no tracing`() async throws {
      var lab = Launchlab()
      let source = """
        #include <errno.h>
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <stddef.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int main(int count, char **words) {
          struct sock_filter filter[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 3, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 2, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          };
          struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
          if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 98;
          if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 99;
          return execv(words[1], words + 1);
        }
        """
      lab.wrapper = [try CompiledProgram(source, name: "sandbox", in: lab.directory).path]

      let output = try await lab.run("explain", "--", "/bin/true")

      #expect(output.status == 128, "\(output.stderr)")
      #expect(output.stderr.contains("launches cannot be traced: the kernel does not load"))
      #expect(output.stderr.contains("ptrace is refused"))
      #expect(output.stderr.contains("CAP_BPF") && output.stderr.contains("SYS_PTRACE"))
    }

    @Test func `leaves programs the rights that their files give`() async throws {
      let lab = Launchlab()
      let source = "#include <unistd.h>\nint main(void) { return geteuid() != 65534; }"
      let program = try CompiledProgram(source, in: lab.directory).path
      _ = try Tool.run("chown", ["65534", program])
      _ = try Tool.run("chmod", ["u+s", program])

      let output = try await lab.run("explain", "-v", "--launches", "2", "--", program)

      #expect(output.status == 0, "\(output.stderr)")
      #expect(!output.stderr.contains("without the rights"))
    }

    /// By ptrace the launch runs on the tracer's processor, of which it must not know.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1, "one processor"))
    func `tells programs that are traced by ptrace which processors they have`() async throws {
      let lab = Launchlab()
      let source = """
        #define _GNU_SOURCE
        #include <pthread.h>
        #include <sched.h>
        static cpu_set_t first;
        static int sees(const cpu_set_t *expected) {
          cpu_set_t seen;
          return sched_getaffinity(0, sizeof seen, &seen) == 0 && CPU_EQUAL(&seen, expected);
        }
        static void *run(void *expected) { return sees(expected) ? expected : 0; }
        static int has_thread_that_sees(cpu_set_t *expected) {
          pthread_t thread;
          void *result = 0;
          pthread_create(&thread, 0, run, expected);
          pthread_join(thread, &result);
          return result != 0;
        }
        int main(void) {
          if (sched_getaffinity(0, sizeof first, &first) != 0 || CPU_COUNT(&first) < 2) return 1;
          if (!sees(&first) || !has_thread_that_sees(&first)) return 2;
          cpu_set_t one;
          CPU_ZERO(&one);
          for (int place = 0; place < CPU_SETSIZE && CPU_COUNT(&one) == 0; place++)
            if (CPU_ISSET(place, &first)) CPU_SET(place, &one);
          if (sched_setaffinity(0, sizeof one, &one) != 0) return 3;
          return sees(&one) && has_thread_that_sees(&one) ? 0 : 4;
        }
        """
      let program = try CompiledProgram(source, in: lab.directory).path

      let output = try await lab.run("explain --collector ptrace --launches 3 -- \(program)")

      #expect(output.status == 0, "\(output.stderr)")
    }

    @Test(arguments: [
      ["explain"], ["explain", "--launches", "3", "/bin/true", "/bin/false"],
      ["explain", "--target", "x", "/bin/true", "/bin/false"],
      ["explain", "--time", "soon", "/bin/true", "/bin/true"],
      ["explain", "--collector", "perf", "--", "/bin/true"],
      ["explain", "--json", "-", "--svg", "-", "--", "/bin/true"],
      ["explain", "--resume", "last"], ["explain", "--resume", "last", "--seed", "1"],
      ["explain", "--resume", "last", "/bin/true", "/bin/true"],
    ])
    func `refuses what it cannot explain`(_ arguments: [String]) async throws {
      let output = try await Launchlab().run(arguments: arguments)
      #expect(output.status == 64)
      #expect(output.stderr.hasPrefix("error: "))
    }

    @Test(arguments: ["bpf", "ptrace"], 0..<4)
    func `leaves nothing attached when it is killed`(collector: String, moment: Int) async throws {
      let lab = Launchlab()
      let session = try lab.start([
        "explain", "--collector", collector, "/bin/sh -c :", "/bin/sh -c ':; :'",
      ])
      try await Task.sleep(for: .milliseconds(150 + 350 * moment))

      session.send(SIGKILL)
      _ = try await session.finish()

      #expect(try await eventually { session.processes.isEmpty })
      #expect(try await eventually { Self.tracers(of: lab) == 0 })
    }

    @Test(arguments: [false, true])
    func `goes on from its log after it was killed`(isDamaged: Bool) async throws {
      let lab = Launchlab()
      let (before, after) = try Self.programs(Self.cases[0], in: lab.directory)
      let session = try lab.start(["explain", before, after])
      let hasBlock = try await eventually(within: .seconds(60)) {
        Self.log(of: lab).contains("{\"block\"")
      }
      #expect(hasBlock)
      session.send(SIGKILL)
      _ = try await session.finish()
      let log = Self.log(of: lab)
      let place = try #require(log.ranges(of: "{\"block\"").last).upperBound
      if isDamaged {
        // A launch whose events are not whole, as after a power failure, is made again.
        let files = try FileManager.default.subpathsOfDirectory(atPath: lab.directory)
        let events = try #require(files.first { $0.hasSuffix(".timeline") })
        try Data("x".utf8).write(to: URL(filePath: "\(lab.directory)/\(events)"))
      }

      let document = URL(filePath: "\(lab.directory)/e.json")
      let resumed = try await lab.run("explain", "--resume", "last", "--json", "e.json")
      let first = try Data(contentsOf: document)
      let again = try await lab.run("explain", "--resume", "last", "--json", "e.json")

      #expect(resumed.status == 0, "\(resumed.stdout)\(resumed.stderr)")
      #expect(again.status == 0, "\(again.stderr)")
      #expect(again.stdout == resumed.stdout)
      #expect(try Data(contentsOf: document) == first)
      let reason = try #require(Result(lab, "e.json").reasons.first)
      #expect(reason.text.contains("warm_cache"))
      if !isDamaged { #expect(Self.log(of: lab).hasPrefix(log[..<place])) }
      // What was on the stacks of the programs is not kept.
      let names = try FileManager.default.subpathsOfDirectory(atPath: lab.directory)
      #expect(!names.contains { $0.hasSuffix(".profile") })
    }

    /// The log of the only explanation of a lab; empty while there is none.
    private static func log(of lab: Launchlab) -> String {
      let directory = "\(lab.directory)/.launchlab/explain"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      let path = names.first.map { "\(directory)/\($0)/log.jsonl" } ?? ""
      return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// How many helpers of this test trace launches.
    private static func tracers(of lab: Launchlab) -> Int {
      let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return processes.count { process in
        let link = try? FileManager.default.destinationOfSymbolicLink(
          atPath: "/proc/\(process)/exe"
        )
        let name = link?.split(separator: "/").last
        guard let name, ["timeline", "tracer", "profiler"].contains(String(name)) else {
          return false
        }
        let parent = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // One whose parent is gone belongs to somebody else.
        return parent?.split(separator: ")").last?.split(separator: " ").dropFirst().first == "1"
      }
    }

    private static func programs(
      _ planted: Case,
      in directory: String
    ) throws -> (before: String, after: String) {
      let definition = "-DPLANTED=\(planted.code)"
      let programs = try [("before", []), ("after", [definition])].map { name, definitions in
        try CompiledProgram(
          source,
          name: name,
          in: directory,
          linking: planted.linking,
          options: planted.options + definitions
        ).path
      }
      return (programs[0], programs[1])
    }
  }
}

/// What the tests read of an explanation.
private struct Result: Decodable {
  let schema: String
  let reasons: [Reason]
  let tree: [Node]
  let instructions: Instructions?
  let stages: [Stage]

  struct Stage: Decodable {
    let path: String
    let before: Double?
    let after: Double?
  }

  let pageIns: [PageIns]?

  struct PageIns: Decodable {
    let file: String?
    let pages: Int
    let readAhead: Int
  }

  struct Instructions: Decodable {
    let before: Int
    let after: Int
    let different: Bool
  }

  let collectors: [Collector]

  struct Collector: Decodable {
    let rights: Rights?
    let missing: String?
  }

  struct Rights: Decodable { let level: String }

  struct Reason: Decodable {
    let kind: String
    let text: String
    let path: [Frame]
    let object: String?
    let call: String?

    /// Null where the launches do not differ significantly.
    let share: Double?
    let confirmedBlocks: Int?

    /// All that it names.
    var said: String {
      ([text, object, call].compactMap(\.self) + path.map(\.function)).joined(separator: " ")
    }
  }

  struct Frame: Decodable { let function: String }

  struct Node: Decodable {
    let id: Int
    let parent: Int?
    let afterNs: Int
  }

  init(_ lab: Launchlab, _ file: String) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: Data(contentsOf: URL(filePath: lab.path(file))))
  }
}
