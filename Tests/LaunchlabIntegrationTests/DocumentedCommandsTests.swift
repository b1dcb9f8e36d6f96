import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What the README and docs print to be copied is run as it stands there.
  ///
  /// Only what would take minutes is made shorter, by the `launchlab` and the tools in `PATH`: see
  /// ``Launchlab/makeReadersPlace()``.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: Machine.has("python3"), "python3 is not installed")
  )
  struct DocumentedCommandsTests {
    /// The commands that are not run, with the reason.
    private static let notRun = [
      "git clone \"$LAUNCHLAB_URL\" launchlab": "the reader knows the address",
      "cd launchlab": "belongs to the clone",
      "scripts/bench         # speed and size, as ratios in one run": "takes a quarter of an hour",
    ]

    /// What else than 0 a command may end with, because noise or other programs of the machine
    /// decide, by how it begins.
    private static let statuses: [(beginning: String, statuses: Set<Int32>)] = [
      ("launchlab measure --state reboot-cold ", [0, 125]),
      ("launchlab compare ", [0, 1, 125]), ("launchlab selftest", [0, 125]),
      ("launchlab bisect v1.0..HEAD ", [0, 125]), ("launchlab bisect --resume ", [0, 125]),
      ("launchlab run scenario.yml ", [0, 125]), ("scripts/quickstart", [0, 125]),
      // On a busy machine the first alert of the tutorial may be one that noise raised.
      ("launchlab run shop.yml", [0, 1, 125]), ("launchlab bisect --alert R-1 ", [0, 64, 125]),
      ("launchlab ack R-1 ", [0, 64]), ("for night in ", [0, 1, 125]),
      ("launchlab stages ", [0, 125]), ("launchlab explain ", [0, 125]),
      ("launchlab measure --state reinstall-cold ", [0, 125]),
    ]

    /// What a block may be written in; `sh` and `console` are run.
    private static let languages: Set = [
      "sh", "console", "text", "crontab", "yaml", "sql", "c", "swift", "asm", "mermaid",
    ]

    static let blocks = DocumentedBlock.all
    static let commandBlocks = blocks.filter { ["sh", "console"].contains($0.language) }

    @Test(arguments: commandBlocks) func `runs`(block: DocumentedBlock) async throws {
      let lab = Launchlab()
      try lab.makeReadersPlace()
      try await lab.prepare(for: block)
      // The blocks of the tutorial build upon each other.
      let chapters = Self.commandBlocks.filter { $0.file == "docs/tutorial.md" }
      let isTutorial = block.file == "docs/tutorial.md"
      if isTutorial, block.line != chapters.last?.line { return }
      let commands = isTutorial ? chapters.flatMap(\.commands) : block.commands

      for command in commands where Self.notRun[command] == nil {
        let output = try await lab.runAsReader(command)

        #expect(
          Self.expected(command).contains(output.status),
          "\(block): \(command) ended with \(output.status)\n\(output.stdout)\n\(output.stderr)"
        )
      }
    }

    private static func expected(_ command: String) -> Set<Int32> {
      if command.contains("--state reboot-cold"), !Machine.canDropCaches { return [128] }
      return statuses.first { command.hasPrefix($0.beginning) }?.statuses ?? [0]
    }

    @Test func `says what to do after the quickstart`() async throws {
      let lab = Launchlab()
      try lab.makeReadersPlace()
      let output = try await lab.runAsReader("scripts/quickstart")
      #expect(output.stdout.contains("python3"))
      let next = try #require(output.stderr.components(separatedBy: "\nnext: ").dropFirst().last)
      #expect(next.contains("launchlab init && launchlab run scenario.yml"))
    }

    @Test func `finds what there is to run`() {
      #expect(Self.commandBlocks.count >= 15)
      #expect(Self.commandBlocks.allSatisfy { !$0.commands.isEmpty })
      let commands = Self.commandBlocks.flatMap(\.commands)
      for command in Self.notRun.keys { #expect(commands.contains(command)) }
    }

    @Test(arguments: blocks) func `says what it is written in`(block: DocumentedBlock) {
      #expect(Self.languages.contains(block.language), "write ```sh, ```console or ```text")
    }

    @Test(arguments: blocks.filter { $0.language == "sql" })
    func `asks the store`(block: DocumentedBlock) async throws {
      let lab = Launchlab()
      try lab.makeReadersPlace()
      _ = try await lab.runAsReader("launchlab measure --launches 3 -- /bin/true")
      try lab.write(block.text, to: "query.sql")
      let script = """
        import sqlite3
        store = sqlite3.connect('file:.launchlab/launchlab.sqlite?mode=ro', uri=True)
        store.execute(open('query.sql').read()).fetchall()
        """

      let output = try Tool.run("python3", ["-c", script], in: lab.directory)

      #expect(output.status == 0, "\(output.stderr)")
    }

    @Test(arguments: blocks.filter { $0.language == "crontab" })
    func `runs from cron, and is heard of`(block: DocumentedBlock) async throws {
      let lab = Launchlab()
      try lab.makeReadersPlace()
      let lines = block.text.split(separator: "\n")
      let found = lines.compactMap { $0.wholeMatch(of: /(?:[0-9*]+ +){5}(.*)/) }.last
      let line = String(try #require(found).1)
      #expect(lines.contains { $0.hasPrefix("MAILTO=") })
      #expect(line.contains("/usr/local/bin/launchlab run "))
      #expect(!line.contains("%"), "cron takes it for the end of the line")
      let command = line.replacing("/srv/launchlab", with: lab.directory)
        .replacing("/usr/local/bin/launchlab", with: "bin/launchlab")
      let cron = ["-i", "HOME=/", "SHELL=/bin/sh", "PATH=/usr/bin:/bin"] + lab.readersVariables

      let good = try Tool.run("env", cron + ["/bin/sh", "-c", command], in: "/")
      try FileManager.default.removeItem(atPath: lab.path("scenario.yml"))
      let bad = try Tool.run("env", cron + ["/bin/sh", "-c", command], in: "/")

      #expect(good.stdout + good.stderr == "")
      #expect(lab.exists("report/latest.md"))
      let log = try String(contentsOfFile: lab.path("night.log"), encoding: .utf8)
      #expect(log.contains("app"))
      #expect(bad.stdout.contains("scenario.yml"))
    }
  }

  /// What else is handed out with launchlab.
  struct DistributionTests {
    @Test func `gives the image what the first scenario launches`() throws {
      let file = Repository.root.appending(path: "Dockerfile")
      let text = try String(contentsOf: file, encoding: .utf8)
      let image = try #require(text.components(separatedBy: "\nFROM ").last)
      let installed = Set(image.split(whereSeparator: \.isWhitespace).map(String.init))
      let packages = [
        "/usr/bin/perl": "perl", "/usr/bin/git": "git", "/usr/bin/python3": "python3",
      ]
      let scenario = try String(
        contentsOf: Repository.root.appending(path: "Scenarios/quickstart.yml"),
        encoding: .utf8
      )

      let programs = scenario.matches(of: /command: \[([^,\]]+)/).map { String($0.1) }

      #expect(programs.count == 3)
      for program in programs {
        let package = try #require(packages[program], "say which package \(program) is in")
        #expect(installed.contains(package))
      }
      for package in ["curl", "libdw1", "libelf1", "libsqlite3-0", "libstdc++6"] {
        #expect(installed.contains(package))
      }
    }

    @Test(.enabled(if: Machine.has("groff"), "groff is not installed"))
    func `has a manual page without warnings`() throws {
      let page = Repository.root.appending(path: "docs/launchlab.1").path
      let output = try Tool.run("groff", ["-mandoc", "-ww", "-z", page])
      #expect(output.stderr == "", "refresh the page with scripts/manual")
    }
  }
}

/// A fenced block of the README or another document.
struct DocumentedBlock: CustomTestStringConvertible, Sendable {
  /// The document, relative to the checkout.
  let file: String

  /// The number of the line after the fence.
  let line: Int

  let language: String

  /// The lines within, each with a line feed.
  let text: String

  var testDescription: String { "\(file):\(line)" }

  /// Every line to type, without the prompt.
  var commands: [String] {
    let lines = text.split(separator: "\n").map(String.init)
    guard language == "console" else { return lines }
    return lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  /// The blocks of all documents, in their order.
  static var all: [Self] {
    let docs = (try? FileManager.default.subpathsOfDirectory(atPath: directory("docs"))) ?? []
    let files = docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    return (["README.md", "CONTRIBUTING.md"] + files).flatMap(blocks(of:))
  }

  private static func directory(_ name: String) -> String {
    Repository.root.appending(path: name).path
  }

  private static func blocks(of file: String) -> [Self] {
    let text = (try? String(contentsOfFile: directory(file), encoding: .utf8)) ?? ""
    var blocks: [Self] = []
    var open: Self?
    for (number, line) in text.components(separatedBy: "\n").enumerated() {
      guard line.hasPrefix("```") else {
        open = open.map { $0.adding(line) }
        continue
      }
      if let open { blocks.append(open) }
      open =
        open == nil
        ? Self(file: file, line: number + 2, language: String(line.dropFirst(3)), text: "") : nil
    }
    return blocks
  }

  private func adding(_ line: String) -> Self {
    Self(file: file, line: self.line, language: language, text: text + line + "\n")
  }
}

extension Launchlab {
  /// Variables of the reader's shell: nothing of the machine is changed, and installed below here.
  fileprivate var readersVariables: [String] {
    [
      "LAUNCHLAB=\(Self.builtExecutable)", "LAUNCHLAB_STATE_DIR=\(path(stateDirectory))",
      "XDG_STATE_HOME=\(path("state"))", "DESTDIR=\(path("installed"))", "NO_COLOR=1",
      "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org",
      "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org",
    ]
  }

  /// Runs a line of a document with bash.
  fileprivate func runAsReader(_ command: String) async throws -> Tool.Output {
    var shell = self
    shell.executable = "/bin/bash"
    let path = "\(path("bin")):/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    shell.wrapper = ["env", "PATH=\(path)"] + readersVariables
    // The first alert of a history stands for the one that the reader has.
    var command = command.replacing("R-17", with: "R-1")
    if command.contains("20261121T0430"), let run = try await runs().first {
      command = command.replacing("20261121T0430", with: run.id)
    }
    return try await shell.start(["-c", command]).finish()
  }

  /// Makes what a reader has: programs, a history of another tool, the checkout's scripts, and a
  /// scenario of a repository whose newest commit is slower and takes more memory.
  fileprivate func makeReadersPlace() throws {
    try makeTools()
    try write(
      "time,value,unit\n2026-11-20,12.5,ms\n2026-11-21,12.7,ms\n",
      to: "history.csv"
    )
    for (name, milliseconds) in [("app-old", 0), ("app-new", 3)] {
      let source = Self.source(milliseconds: milliseconds, kilobytes: 1_000)
      _ = try CompiledProgram(source, name: name, in: directory)
    }
    try write(
      """
      scenario: app
      source: {repository: repository, build: cc -o app main.c}
      targets:
        app: {command: [./app]}
      states: [warm]
      launches: 3
      baseline: {control: ["/bin/true"]}
      regression: {metrics: [peak_rss], effect: 20%, proof: 10}
      """,
      to: "scenario.yml"
    )
    let repository = try TestRepository(at: path("repository"))
    for milliseconds in [0, 0, 20] {
      let source = Self.source(milliseconds: milliseconds, kilobytes: 1_000 + 400 * milliseconds)
      try write(source + "// \(UUID())\n", to: "repository/main.c")
      try repository.shell("commit 'Take \(milliseconds) ms'; git tag v1.0 2>/dev/null || :")
    }
    try FileManager.default.createDirectory(
      atPath: path("Sources"),
      withIntermediateDirectories: true
    )
    for name in ["scripts", "docs", "Scenarios", ".ci", "Package.swift", "Sources/LaunchMarks"] {
      try FileManager.default.copyItem(
        at: Repository.root.appending(path: name),
        to: URL(filePath: path(name))
      )
    }
  }

  private static func source(milliseconds: Int, kilobytes: Int) -> String {
    """
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    int main(void) {
      struct timespec pause = {0, \(milliseconds) * 1000000L};
      nanosleep(&pause, 0);
      char *memory = malloc(\(kilobytes) * 1024);
      return memory && memset(memory, 1, \(kilobytes) * 1024) ? 0 : 1;
    }

    """
  }

  /// Tools before all others in `PATH`: a launchlab that makes long measurements short, a swift that
  /// has built launchlab and passed every test, and a system on which every package is installed.
  private func makeTools() throws {
    let tools = [
      "launchlab": """
      [[ $1 != selftest || $* == *--launches* || $* == *--compare* ]] ||
        set -- selftest --launches 10 "${@:2}"
      arguments=()
      for argument; do
        [[ ${last-} != --launches || $argument == *..* ]] || argument=10
        argument=${argument/cpu_idle: 90%/cpu_idle: 1%, within: 100ms}
        arguments+=("${argument/runs=200/runs=2}")
        last=$argument
      done
      exec "$LAUNCHLAB" "${arguments[@]}"
      """,
      "swift": """
      if [[ $1 == build && $* == *release* ]]; then
        mkdir -p .build/release && ln -sf "$LAUNCHLAB" .build/release/launchlab
      fi
      """, "swiftc": ":", "dpkg-query": "echo installed", "sudo": "exec env \"$@\"",
    ]
    for (name, script) in tools {
      try write("#!/bin/bash\n\(script)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: path("bin/\(name)")
      )
    }
  }

  /// Makes what the commands of a block build upon.
  fileprivate func prepare(for block: DocumentedBlock) async throws {
    if block.text.contains("launchlab init") {
      try FileManager.default.removeItem(atPath: path("scenario.yml"))
    }
    if block.text.contains("R-17") || block.text.contains("last~1") {
      for _ in 0..<6 { try await expect("launchlab run scenario.yml --revision HEAD~1", 0) }
      try await expect("launchlab run scenario.yml", 1)
    }
    if block.text.contains("--resume last") {
      try await expect("launchlab bisect v1.0..HEAD --scenario scenario.yml", 0)
    }
    if block.text.contains("host2.json") {
      try await expect("launchlab selftest --launches 10 --json host2.json", 0, 125)
      try await expect("cp host2.json host3.json", 0)
    }
  }

  private func expect(_ command: String, _ statuses: Int32...) async throws {
    let output = try await runAsReader(command)
    #expect(statuses.contains(output.status), "\(command): \(output.stderr)")
  }
}
