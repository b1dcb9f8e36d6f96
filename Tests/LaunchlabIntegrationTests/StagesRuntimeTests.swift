import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// What runtimes print of their own start, within what the probe sees.
  @Suite struct StagesRuntimeTests {
    private func below(
      _ command: [String],
      _ options: [String] = []
    ) async throws -> (block: StagesResult.Block, printed: [StagesResult.Stage]) {
      let lab = Launchlab()
      let block = try await lab.block(["--collect", "auto"] + options, of: command)
      let main = try #require(block.part("main_to_ready"))
      return (block, main.children.filter { $0.source == "text" })
    }

    @Test func `nests the imports of Python, also of a script`() async throws {
      let lab = Launchlab()
      try lab.write("#!/usr/bin/python3\nimport json\n", to: "script")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: lab.path("script")
      )

      let (block, printed) = try await below([lab.path("script")])

      #expect(block.format == "launchlab.probe")
      #expect(block.notes("Python was asked to print how it starts"))
      let json = try #require(printed.first { $0.name == "json" })
      #expect(json.children.map(\.name).contains("json.decoder"))
      #expect((json.ns ?? 0) > (json.children.first?.ns ?? 0))
    }

    @Test(.enabled(if: Machine.has("node"), "node is not installed"))
    func `nests the marks of Node, and keeps its options`() async throws {
      let (_, printed) = try await below(
        ["node", "-e", "if (!process.env.NODE_OPTIONS.includes('--no-warnings')) process.exit(1)"],
        ["--env", "NODE_OPTIONS=--no-warnings"]
      )

      let runtime = try #require(printed.first { $0.name == "runtime_setup" })
      #expect(runtime.children.last?.name == "bootstrapComplete")
    }

    @Test(.enabled(if: Machine.has("java"), "java is not installed"))
    func `nests the phases of the JVM`() async throws {
      let (_, printed) = try await below(["java", "-version"])

      let runtime = try #require(printed.first { $0.name == "runtime_setup" })
      #expect(runtime.children.map(\.name).contains("Genesis"))
    }

    @Test(.enabled(if: Machine.has("go"), "go is not installed"))
    func `nests the packages of Go, which breakpoints see`() async throws {
      let (block, printed) = try await below(["go", "version"])

      #expect(["launchlab.breakpoints", "launchlab.probe"].contains(block.format))
      #expect(printed.first?.children.map(\.name).contains("runtime") == true)
    }

    @Test func `asks nothing of a program without a runtime that it knows`() async throws {
      let (block, printed) = try await below(["/bin/true"])

      #expect(block.format == "launchlab.probe")
      #expect(printed.isEmpty)
      #expect(!block.notes("was asked to print"))
    }

    @Test(.enabled(if: geteuid() == 0, "tracing takes root"))
    func `divides main to ready, exactly`() async throws {
      let lab = Launchlab()
      let result = try await lab.stages(
        ["--collect", "auto", "--launches", "3"],
        of: ["sh", "-c", "sleep 0.3; : < /etc/passwd"]
      )

      for block in result.blocks {
        let main = try #require(block.part("main_to_ready"))
        // That they sum to it is expected of every block.
        let parts = main.children.filter { $0.kind == "part" }
        #expect(parts.count == 13)
        let processes = try #require(parts.first { $0.name == "main_to_ready.processes" })
        // Less than it sleeps: on a busy machine the shell begins to wait late.
        #expect((processes.ns ?? 0) > 100_000_000)
        #expect(processes.children.first?.name == "sleep")
        let unknown = try #require(parts.first { $0.name == "main_to_ready.unknown" })
        #expect((unknown.ns ?? 0) < (main.ns ?? 0) / 50)
      }
      let undivided = try await lab.block(["--collect", "probe"], of: ["/bin/true"])
      #expect(
        undivided.part("main_to_ready")?.children.filter { $0.kind == "part" }.isEmpty == true
      )
    }
  }
}
