import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Names of others with everything that begins a line, steers a terminal, or is a command of a CI system.
  @Suite(
    .temporaryDirectory,
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: Machine.has("perl"), "perl is not installed")
  )
  struct ForeignNamesTests {
    private let lab = Launchlab()

    private static let evil = "\r\n::stop-commands::zz\u{1B}[31m\u{9B}2J\u{2028}##[error]zz"

    /// `XY__stop_commands__zz` becomes a symbol of the same length with a line end in it.
    private static let build = #"""
      cc -g -o app main.c && perl -pi -e 's/XY__stop_commands__zz/\r\n::stop-commands::zz/g' app

      """#

    private static let source = #"""
      #include <fcntl.h>
      #include <sys/prctl.h>
      #include <sys/wait.h>
      #include <unistd.h>
      #define EVIL "\r\n::stop-commands::zz\033[31m\302\2332J\342\200\250##[error]zz"
      static void spend(void) {
        for (volatile long i = 0; i < 3000000; i++) {}
      }
      __attribute__((constructor)) static void qXY__stop_commands__zz(void) { spend(); }
      __attribute__((noinline)) void wXY__stop_commands__zz(void) { spend(); }
      int main(int count, char **arguments) {
        prctl(PR_SET_NAME, "n\r\n::stop-comm");
        for (int i = 0; i < 40; i++) open("file" EVIL, O_RDONLY);
        wXY__stop_commands__zz();
        if (fork() == 0) {
          execl(PROGRAM EVIL, "p" EVIL, (char *)0);
          _exit(1);
        }
        wait(0);
        return 0;
      }

      """#

    /// A repository whose second commit has everything in it; the first does nothing.
    private func prepare() throws {
      try lab.writeProject(build: "sh build.sh")
      try lab.write(Self.build, to: "repository/build.sh")
      _ = try lab.makeRepository()
      try FileManager.default.copyItem(atPath: "/bin/true", toPath: lab.path("p\(Self.evil)"))
      let program = "#define PROGRAM \"\(lab.path("p"))\"\n"
      try lab.write(program + Self.source, to: "repository/main.c")
      _ = try lab.git("add", ".")
      // A subject ends at a line feed.
      let subject = String(String.UnicodeScalarView(Self.evil.unicodeScalars.filter { $0 != "\n" }))
      _ = try lab.git("commit", "--quiet", "-m", "Subject\(subject)")
    }

    /// Nothing but line feeds steers.
    private func check(_ text: String, _ place: String) {
      let isControl = { (scalar: Unicode.Scalar) in
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      }
      let raw = text.unicodeScalars.filter { isControl($0) && $0 != "\n" }
      #expect(raw.map(\.value) == [], "\(place)")
    }

    /// Nothing but line feeds steers, and only launchlab's own annotations are commands.
    private func check(stream text: String, _ place: String) {
      check(text, place)
      let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
      let commands = lines.filter { line in
        line.contains("##[")
          || line.hasPrefix("::") && !line.contains(/^::(error|warning|notice) file=/)
      }
      #expect(commands == [], "\(place)")
    }

    private func checkFiles(in directory: String) throws {
      for name in try FileManager.default.subpathsOfDirectory(atPath: lab.path(directory)) {
        let path = lab.path("\(directory)/\(name)")
        guard let data = FileManager.default.contents(atPath: path),
          let text = String(data: data, encoding: .utf8)
        else { continue }
        check(text, name)
      }
    }

    @Test func `no name steers a terminal or a CI system, on any stream or in any file`()
      async throws
    {
      try prepare()
      try FileManager.default.createDirectory(
        atPath: lab.path("out"),
        withIntermediateDirectories: false
      )
      let files = ["json", "markdown", "sarif", "junit", "code-quality", "metrics"]
      let outputs = files.flatMap { ["--\($0)", "out/gate.\($0)"] }
      try await check(["gate", "HEAD~1..HEAD", "--max-time", "2s", "-v"] + outputs)
      let gate = try String(contentsOfFile: lab.path("out/gate.markdown"), encoding: .utf8)
      #expect(gate.contains(#"q\\r\\n::stop-commands::zz in program"#))
      let summary = try String(contentsOfFile: lab.path("summary"), encoding: .utf8)
      check(summary, "summary")

      try await check(["run", "scenario.yml"])
      try await check(["report", "--json", "out/report.json", "--junit", "out/report.xml"])
      try await check(["history"])
      try await check(["export", "--format", "csv"])
      let app = lab.path("m\(Self.evil)")
      let trees = lab.path(".launchlab/builds")
      let built = try FileManager.default.subpathsOfDirectory(atPath: trees)
        .filter { $0.hasSuffix("/app") }.map { "\(trees)/\($0)" }
      let evil = try #require(
        built.first { (FileManager.default.contents(atPath: $0)?.count ?? 0) > 0 && has($0) }
      )
      try FileManager.default.copyItem(atPath: evil, toPath: app)
      let word = "argument\(Self.evil)"
      try await check(
        ["measure", "--launches", "3", "--json", "out/measure.json", "--", app, word]
      )
      try await check(["measure", "--launches", "3", "--", lab.path("none\(Self.evil)")])
      let failing =
        #"print STDERR "x\r\n::stop-commands::zz\n    ::stop-commands::zz\e[31m"; exit 3"#
      try await check(["measure", "--launches", "3", "--", "perl", "-e", failing])
      try await check([
        "compare", "--max-time", "2s", "--markdown", "out/c.md", "true", "false\(Self.evil)",
      ])
      try await check([
        "stages", "--launches", "3", "--json", "out/s.json", "--trace", "out/t.json", "--", app,
      ])
      try await check([
        "explain", "--time", "3s", "--markdown", "out/e.md", "--svg", "out/e.svg", "--", app,
      ])
      try await check(["files", "--", app])
      try await check([
        "bisect", "HEAD~1..HEAD", "--max-launches", "100", "--git-log", "out/git-log", "--markdown",
        "out/b.md",
      ])
      try checkFiles(in: "out")
      try checkFiles(in: "report")
    }

    /// Runs launchlab as a job of GitHub would, and checks both streams.
    private func check(_ arguments: [String]) async throws {
      var job = lab
      job.wrapper = [
        "env", "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=\(lab.path("summary"))",
        "LAUNCHLAB_HOST_NAME=host\(Self.evil)", "VARIABLE\(Self.evil)=1",
      ]
      let output = try await job.run(arguments: arguments)
      // Lines of CSV end as RFC 4180 has it.
      let isCSV = arguments.contains("csv")
      let shown = isCSV ? output.stdout.replacing("\r\n", with: "\n") : output.stdout
      check(stream: shown, "stdout of \(arguments[0])")
      check(stream: output.stderr, "stderr of \(arguments[0])")
    }

    /// Whether a build is that of the second commit.
    private func has(_ path: String) -> Bool {
      FileManager.default.contents(atPath: path)?.range(of: Data("q\r\n::stop".utf8)) != nil
    }
  }
}
