import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite(
    .temporaryDirectory,
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  )
  struct GateTests {
    private static let busy = """
      static volatile int fonts;
      __attribute__((constructor)) static void load_fonts(void) { fonts = 1; }
      int main(void) { return fonts - 1; }

      """

    private func lab() throws -> Launchlab {
      let lab = Launchlab()
      try lab.writeProject(build: "cc -o app main.c")
      try lab.makeRepository()
      return lab
    }

    private func gate(_ lab: Launchlab, _ range: String) async throws -> Tool.Output {
      try await lab.run("gate", range, "scenario.yml", "--max-time", "5s", "--json", "g.json")
    }

    /// What `gate --json` writes.
    private struct Document: Decodable {
      let schema: String
      let findings: [Finding]

      struct Finding: Decodable {
        let rule: String
        let target: String
        let item: String
        let verdict: String
        let details: [String]
      }

      init(_ lab: Launchlab) throws {
        let data = try Data(contentsOf: URL(filePath: lab.path("g.json")))
        self = try JSONDecoder().decode(Self.self, from: data)
      }
    }

    @Test func `names a new initializer, until it is approved`() async throws {
      let lab = try lab()
      try lab.write(Self.busy, to: "repository/main.c")
      try lab.commit()

      let first = try await gate(lab, "HEAD~1..HEAD")
      let document = try Document(lab)
      #expect(first.status == 1, "\(first.stderr)")
      #expect(document.schema == "launchlab.gate/1")
      #expect(document.findings.first?.rule == "initializers")
      #expect(document.findings.first?.item == "load_fonts in program")
      #expect(document.findings.contains { $0.rule == "peak_rss" })
      #expect(document.findings.contains { $0.rule == "launch" })

      let shown = try await lab.run("show")
      #expect(shown.status == 0)
      let notes = shown.stderr.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(notes.contains("this is the comparison of a gate"), "\(notes)")
      #expect(notes.contains("`launchlab gate BASE..HEAD scenario.yml -v`"), "\(notes)")

      let approved = try await lab.run(
        "gate approve initializer:load_fonts --in program --reason fonts --by Ann"
      )
      #expect(approved.status == 0, "\(approved.stderr)")
      let late = try await lab.run("gate approve library:libx.so --reason x --until 2020-01-31")
      #expect(late.status == 64)
      #expect(late.stderr.contains("invalid value \"2020-01-31\" for --until"), "\(late.stderr)")
      let again = try await lab.run("gate approve initializer:load_fonts --in program --reason x")
      #expect(again.stdout.contains("approved already"), "\(again.stderr)")
      _ = try await gate(lab, "HEAD~1...HEAD")
      #expect(try Document(lab).findings.first { $0.rule == "initializers" }?.verdict == "approved")
    }

    /// Reads a library while it runs, and looks for files that are not there.
    private static let searching = """
      #include <dlfcn.h>
      #include <fcntl.h>
      #include <stdio.h>
      int main(void) {
        char path[32];
        for (int i = 0; i < 40; i++) {
          sprintf(path, "missing-%d", i);
          open(path, O_RDONLY);
        }
        return !dlopen("libm.so.6", RTLD_NOW);
      }

      """

    @Test func `nights count what launches consist of`() async throws {
      let lab = try lab()
      let scenario = try String(contentsOfFile: lab.path("scenario.yml"), encoding: .utf8)
      try lab.write(scenario + "\ngate: {initializers: review}\n", to: "scenario.yml")
      let first = try await lab.run("run", "scenario.yml")
      #expect(first.status == 0, "\(first.stderr)")
      try lab.write(Self.busy, to: "repository/main.c")
      try lab.commit()

      let second = try await lab.run("run", "scenario.yml")
      #expect(second.status == 1, "\(second.stderr)")
      #expect(second.stdout.contains("1 initializer more: load_fonts in program"))
      let report = try String(contentsOfFile: lab.path("report/latest.md"), encoding: .utf8)
      #expect(report.contains("1 initializer more: load\\_fonts in program | needs approval"))

      // It stays until it is approved.
      #expect(try await lab.run("run", "scenario.yml").status == 1)
      _ = try await lab.run("gate", "approve", "initializer:load_fonts", "--reason", "fonts")
      let last = try await lab.run("run", "scenario.yml")
      #expect(last.status == 0, "\(last.stderr)")
    }

    @Test(.enabled(if: geteuid() == 0, "tracing takes root"))
    func `compares two builds, and counts what their launches do`() async throws {
      let lab = Launchlab()
      try lab.write("int main(void) { return 0; }\n", to: "old.c")
      try lab.write(Self.searching, to: "new.c")
      for name in ["old", "new"] {
        try FileManager.default.createDirectory(
          atPath: lab.path(name),
          withIntermediateDirectories: true
        )
        _ = try Tool.run("cc", ["-o", "\(name)/app", "\(name).c"], in: lab.path("."))
      }
      try lab.write(
        """
        scenario: builds
        targets:
          app: {command: [./app]}
        states: [warm]
        launches: 3
        budgets:
          - {target: app, state: warm, metric: peak_rss, max: 1KiB}
        """,
        to: "scenario.yml"
      )
      let files = ["sarif", "junit", "code-quality", "metrics"].flatMap { ["--\($0)", "g.\($0)"] }
      var job = lab
      job.wrapper = ["env", "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=\(lab.path("summary.md"))"]
      let gate = try await job.run(
        arguments: ["gate", "--artifacts", "old", "new", "--max-time", "3s", "--json", "g.json"]
          + files
      )
      #expect(gate.status == 1, "\(gate.stderr)")
      let document = try Document(lab)
      let failed = document.findings.filter { $0.verdict != "passed" }.map(\.rule)
      #expect(failed.contains("libraries"))
      #expect(document.findings.first { $0.rule == "libraries" }?.item == "libm.so.6")
      for rule in ["files", "lookups", "system_calls", "budgets"] {
        #expect(failed.contains(rule), "\(rule) of \(failed)")
      }
      #expect(gate.stdout.contains("\n::error file=scenario.yml,line=1,"))
      let summary = try String(contentsOfFile: lab.path("summary.md"), encoding: .utf8)
      #expect(summary.hasPrefix("### 🔴 Launch gate: failed"))
      for file in ["g.sarif", "g.junit", "g.code-quality", "g.metrics"] {
        let text = try String(contentsOfFile: lab.path(file), encoding: .utf8)
        #expect(text.contains("lookups"), "\(file)")
      }

      let wrong = try await lab.run("gate", "--artifacts", "old.c", "new")
      #expect(wrong.status == 64 && wrong.stderr.contains("a directory with app at its top"))
      let twice = try await lab.run("gate --artifacts old new --json - --sarif -")
      #expect(twice.status == 64)
    }

    /// Executes about as many instructions as it is told, more with each byte of its environment, or
    /// with each launch another number of them.
    private static let counted = """
      #include <unistd.h>
      extern char **environ;
      int main(void) {
        long rounds = ROUNDS;
        if (BY_PROCESS)
          rounds += getpid() % 16 * (ROUNDS / 200);
        else
          for (char **variable = environ; *variable; variable++)
            for (char *byte = *variable; *byte; byte++) rounds += 10;
        for (volatile long round = 0; round < rounds; round++) {}
        return 0;
      }

      """

    @Test(.enabled(if: Machine.has("valgrind"), "valgrind is not installed"))
    func `fails where instructions have grown by much more than launches differ`() async throws {
      let lab = Launchlab()
      try lab.write(Self.counted, to: "main.c")
      for (build, rounds) in [("old", "1000000"), ("new", "1740000")] {
        try FileManager.default.createDirectory(
          atPath: lab.path(build),
          withIntermediateDirectories: true
        )
        for (name, isByProcess) in [("by-environment", "0"), ("by-process", "1")] {
          let macros = ["-DROUNDS=\(rounds)L", "-DBY_PROCESS=\(isByProcess)"]
          let output = ["-o", "\(build)/\(name)"]
          _ = try Tool.run("cc", ["-O1", "main.c"] + macros + output, in: lab.path("."))
        }
      }
      try lab.write(
        """
        scenario: counted
        targets:
          by-environment: {command: [./by-environment]}
          by-process: {command: [./by-process]}
        states: [warm]
        launches: 3
        controls: {env_size: on}
        gate: {launch: 90%}
        """,
        to: "scenario.yml"
      )
      let gate = try await lab.run("gate --artifacts old new --max-time 1s --json g.json")
      #expect(gate.status == 1, "\(gate.stderr)")
      let found = try Document(lab).findings.filter { $0.rule == "instructions" }
      #expect(found.map(\.verdict) == ["failed", "failed"])
      // Padding of the environment is for times.
      let details = Dictionary(uniqueKeysWithValues: found.map { ($0.target, $0.details) })
      #expect(details["by-environment"] == [])
      #expect(details["by-process"]?.first?.hasPrefix("launches of one build differ by") == true)
    }

    @Test func `launches that count events have no padding`() async throws {
      let lab = Launchlab()
      let lengths = lab.path("lengths")
      let command = "echo ${#LAUNCHLAB_PADDING} >> \(lengths)"
      let output = try await lab.run(
        arguments: ["measure", "--launches", "3", "--counter", "page-faults", "--"]
          + ["sh", "-c", command]
      )
      #expect(output.status == 0, "\(output.stderr)")
      let all = try String(contentsOfFile: lengths, encoding: .utf8).split(separator: "\n")
      // Plain launches are padded, and as many of others count.
      #expect(all.count { $0 == "0" } >= 3)
      #expect(all.count { $0 != "0" } >= 3)
    }

    @Test func `builds nothing where the files are the same, and refuses what it cannot do`()
      async throws
    {
      let lab = try lab()
      let same = try await gate(lab, "HEAD..HEAD")
      #expect(same.status == 0 && same.stdout.contains("base and head have the same files"))
      let unknown = try await gate(lab, "HEAD~9..HEAD")
      #expect(unknown.status == 128)
      let word = try await gate(lab, "HEAD")
      #expect(word.status == 64 && word.stderr.contains("main...HEAD"))
      try lab.write("not C", to: "repository/main.c")
      try lab.commit()
      let broken = try await gate(lab, "HEAD~1..HEAD")
      #expect(broken.status == 128)
      try lab.write("approvals: 3\n", to: "launch-approvals.yml")
      let mistaken = try await gate(lab, "HEAD~1..HEAD")
      #expect(mistaken.status == 64 && mistaken.stderr.contains("launch-approvals.yml:1:"))
    }
  }
}
