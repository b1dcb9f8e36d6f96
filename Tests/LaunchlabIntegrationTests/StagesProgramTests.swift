import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs of the system, unmodified, behind scripts and by themselves.
  @Suite struct StagesProgramTests {
    /// A command, and the program that becomes ready.
    struct Command: CustomTestStringConvertible, Sendable {
      let words: [String]
      var testDescription: String { words.joined(separator: " ") }

      init(_ words: String...) { self.words = words }

      var isInstalled: Bool { Machine.has(words[0]) }
    }

    @Test(
      arguments: [
        Command("node", "-e", "0"), Command("git", "--version"), Command("perl", "-e", "0"),
        Command("/usr/bin/python3", "-c", "0"), Command("swift-format", "--version"),
        Command(Launchlab.builtExecutable, "--version"),
        // It needs more room for thread-local variables than the loader has where it is audited.
        Command("redis-server", "--version"),
      ].filter(\.isInstalled)
    ) func `splits a program into stages without a gap`(command: Command) async throws {
      let lab = Launchlab()

      let block = try await lab.block(of: command.words)

      #expect(block.format == "launchlab.probe")
      #expect(block.program == realPath(of: command.words[0]))
      #expect(block.parts.map(\.name) == Launchlab.probeStages)
      #expect(block.flags == [])
      #expect(block.notes == [])
      #expect(block.programs.isEmpty)
      #expect((1...(block.totalNs ?? 0)).contains(block.preMainNs ?? 0))
      let expected = try lab.librariesByLoader(of: block.program ?? "")
      let libraries = block.libraries.dropFirst()
      #expect(block.libraries.first == block.program)
      #expect(Set(libraries.map(name)) == Set(expected.map(name)))
      #expect(libraries.count == expected.count)
      #expect(block.counters["libraries"] == expected.count)
      #expect(block.counters["initializers"] == block.counters["initializers_timed"])
      #expect(block.counters["initializers"] == block.initializers.count)
      #expect(block.stages.filter { $0.kind == "excluded" }.map(\.name) == ["spawn"])
    }

    /// Distributions split node into stripped libraries; that of its makers is one large program.
    private static var hasWholeNode: Bool {
      let script = #"test "$(stat -Lc %s "$(command -v node)")" -gt 50000000"#
      return Machine.has("node") && (try? Tool.run("sh", ["-c", script]).status) == 0
    }

    @Test(.enabled(if: hasWholeNode, "node of its makers is not installed"))
    func `times every initializer of node, and knows their functions`() async throws {
      let lab = Launchlab()

      let block = try await lab.block(of: ["node", "-e", "0"])

      let initializers = block.initializers
      #expect(initializers.count > 800)
      #expect(block.counters["initializers"] == initializers.count)
      #expect(block.counters["initializers_timed"] == initializers.count)
      #expect(initializers.allSatisfy { $0.ns != nil && $0.flags.isEmpty })
      let node = initializers.filter { $0.place?.file == block.program }
      #expect(node.count > 700)
      #expect(node.allSatisfy { $0.place?.symbol != nil })
      #expect(node.contains { $0.place?.symbol?.contains("node::") == true })
      let total = try #require(block.part("init")?.ns)
      #expect(initializers.compactMap(\.ns).reduce(0, +) <= total)
      #expect(block.images.first?.name == block.program)
    }

    /// A command that executes or starts another program.
    struct Chain: CustomTestStringConvertible, Sendable {
      let script: String?
      var command = ["./script"]

      /// The names of the programs before the one that becomes ready.
      let wrappers: [String]

      /// The name of the one that becomes ready.
      var program = "perl"

      /// The names of the programs beside it.
      var children: [String] = []

      var testDescription: String { script ?? command.joined(separator: " ") }
    }

    @Test(arguments: [
      Chain(script: "#!/bin/bash\nexec perl -e 0\n", wrappers: ["bash"]),
      Chain(
        script: "#!/bin/bash\nperl -e 0\nexit 0\n",
        wrappers: [],
        program: "bash",
        children: ["perl"]
      ),
      Chain(script: nil, command: ["sh", "-c", "exec perl -e 0"], wrappers: ["dash"]),
      Chain(
        script: nil,
        command: ["sh", "-c", "exec sh -c 'exec env sh -c \"exec perl -e 0\"'"],
        wrappers: ["dash", "dash", "env", "dash"]
      ),
      Chain(script: "#!/usr/bin/env perl\n0;\n", wrappers: ["env"]),
      Chain(script: "#!/usr/bin/perl\n0;\n", wrappers: []),
      Chain(
        script: "#!/bin/sh\n[ a = b ]; /bin/true; exec perl -e 'exec \"perl\", \"-e\", 0'\n",
        wrappers: ["dash", "perl"],
        children: ["true"]
      ),
    ]) func `follows scripts to the program that becomes ready`(chain: Chain) async throws {
      let lab = Launchlab()
      if let script = chain.script { try lab.writeScript(script, to: "script") }

      let block = try await lab.block(of: chain.command)

      #expect(block.program.map(name) == chain.program)
      #expect(block.parts.map(\.name) == Launchlab.probeStages)
      #expect(block.flags == [])
      #expect(block.counters["programs"] == chain.wrappers.count + chain.children.count + 1)
      #expect(block.counters["processes"] == chain.children.count + 1)
      let wrappers = block.programs.filter(\.isWrapper)
      #expect(wrappers.map { name($0.program) } == chain.wrappers)
      #expect(wrappers.allSatisfy { $0.pid == block.pid })
      #expect(wrappers.allSatisfy { $0.stages.allSatisfy { $0.ns != nil } })
      let children = block.programs.filter { !$0.isWrapper }
      #expect(children.map { name($0.program) } == chain.children)
      #expect(children.allSatisfy { $0.pid != block.pid })
      // The wrappers ran before the program was executed.
      let exec = try #require(block.part("exec"))
      let details = exec.children.filter { !$0.name.hasPrefix("pre-main of") }
      #expect(details.map { name($0.name) } == chain.wrappers)
      #expect(details.compactMap(\.ns).reduce(0, +) <= (exec.ns ?? 0))
    }

    @Test func `takes the stages of the program that is asked for`() async throws {
      let lab = Launchlab()
      try lab.writeScript("#!/bin/sh\n/bin/true\nperl -e 0\n/bin/echo done\n", to: "script")

      let block = try await lab.block(["--program", "perl"], of: ["./script"])

      #expect(block.program.map(name) == "perl")
      #expect(
        block.parts.map(\.name) == ["launcher"] + Launchlab.probeStages + ["after_program"]
      )
      #expect(block.flags == [])
      let launcher = try #require(block.part("launcher")?.children)
      #expect(launcher.map { name($0.name) }.contains("true"))
      let after = try #require(block.part("after_program")?.children)
      #expect(after.map { name($0.name) } == ["echo"])
      let process = try #require(
        block.processes?.first { $0.isExecuted && name($0.program) == "perl" }
      )
      #expect(process.pid == block.pid)
      #expect(block.part("exec")?.startNs == process.startNs)
      #expect(block.part("after_program")?.startNs == process.endNs)
    }

    @Test func `refuses a program that the launch does not run, and names those it does`()
      async throws
    {
      let lab = Launchlab()
      let command = ["stages", "--program", "ruby", "--", "/bin/sh", "-c", "perl -e 0; true"]

      let output = try await lab.start(command).finish()

      #expect(output.status == 128)
      #expect(
        output.stderr.contains(#"no process of the launch ran "ruby"; it ran /usr/bin/dash, "#)
      )
      #expect(output.stderr.contains("/usr/bin/perl"))
    }

    private func realPath(of program: String) -> String {
      let found = (try? Tool.run("sh", ["-c", "command -v \(program)"]).stdout) ?? ""
      let path = found.trimmingCharacters(in: .whitespacesAndNewlines)
      return URL(filePath: path).resolvingSymlinksInPath().path
    }

    private func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }
  }
}

extension Launchlab {
  /// Writes an executable script.
  func writeScript(_ text: String, to name: String) throws {
    try write(text, to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path(name))
  }
}
