import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs that take no auditor, which breakpoints watch instead.
  @Suite struct StagesStaticTests {
    private static let source = """
      #include <stdio.h>
      __attribute__((constructor)) static void begin(void) { puts("begin"); }
      int main(void) { puts("main"); return 0; }
      """

    /// A way to link a program, and what its launch consists of.
    struct Case: CustomTestStringConvertible, Sendable {
      let linking: CompiledProgram.Linking
      var options: [String] = []
      let stages: [String]
      var merged: [String] = []
      let notes: [String]

      var testDescription: String { ([linking.rawValue] + options).joined(separator: " ") }
    }

    private static let noLoader = "is static: no libraries are loaded"

    @Test(
      arguments: [
        Case(
          linking: .staticProgram,
          stages: ["exec", "init", "main_to_ready"],
          notes: [noLoader]
        ),
        Case(
          linking: .staticPIE,
          stages: ["exec", "init", "main_to_ready"],
          notes: [noLoader]
        ),
        Case(
          linking: .musl,
          stages: ["exec", "load", "fixup", "init", "main_to_ready"],
          merged: ["load"],
          notes: ["the end of load was not seen, so that it holds fixup too"]
        ),
        Case(
          linking: .staticProgram,
          options: ["-s"],
          stages: ["exec", "init", "main_to_ready"],
          notes: [noLoader]
        ),
      ].filter { CompiledProgram.isPossible(linking: $0.linking) }
    ) func `uses breakpoints where there is no loader that takes the probe`(
      form: Case
    ) async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(
        Self.source,
        in: lab.directory,
        linking: form.linking,
        options: form.options
      )

      let block = try await lab.block(of: [program.path])

      #expect(block.format == "launchlab.breakpoints")
      #expect(block.program == program.path)
      #expect(block.parts.map(\.name) == form.stages)
      #expect(block.parts.filter { $0.flags.contains("merged") }.map(\.name) == form.merged)
      #expect(block.notes("the probe was not used, but breakpoints"))
      for note in form.notes { #expect(block.notes(note), "\(block.notes)") }
      #expect(block.images.isEmpty)
    }

    @Test func `finds main in a stripped dynamic program`() async throws {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, in: lab.directory, options: ["-s"])

      let block = try await lab.block(["--collect", "breakpoints"], of: [program.path])

      #expect(block.format == "launchlab.breakpoints")
      #expect(block.parts.map(\.name) == Launchlab.probeStages)
      #expect(block.preMainNs != nil)
      #expect(block.part("fixup")?.flags == ["unavailable"])
      #expect(block.notes("the end of load was not seen, so that it holds fixup too"))
      let parts = block.part("init")?.children.map(\.name)
      #expect(parts == ["init.libraries", "init.program"])
    }

    @Test func `gives what breakpoints and the probe see of one program the same order`()
      async throws
    {
      let lab = Launchlab()
      let program = try CompiledProgram(Self.source, in: lab.directory)

      let result = try await lab.stages(
        ["--collect", "probe", "--collect", "breakpoints"],
        of: [program.path]
      )

      #expect(result.blocks.map(\.format).sorted() == ["launchlab.breakpoints", "launchlab.probe"])
      for block in result.blocks {
        #expect(block.parts.map(\.name) == Launchlab.probeStages)
        #expect(block.program == program.path)
      }
    }

    @Test(.enabled(if: Machine.has("go"), "go is not installed"))
    func `splits a Go program into its runtime and its packages`() async throws {
      let lab = Launchlab()
      try lab.write(
        """
        package main
        import "fmt"
        func init() { fmt.Println("init") }
        func main() { fmt.Println("main") }
        """,
        to: "program.go"
      )
      let build = try Tool.run(
        "go",
        ["build", "-o", "program", "program.go"],
        in: lab.directory,
        environment: ["GOCACHE": lab.path("cache"), "GO111MODULE": "off", "GOFLAGS": ""]
      )
      try #require(build.status == 0, "\(build.stderr)")

      let block = try await lab.block(of: [lab.path("program")])

      #expect(block.format == "launchlab.breakpoints")
      #expect(block.parts.map(\.name) == ["exec", "runtime_setup", "init", "main_to_ready"])
      #expect(block.flags == [])
      #expect(block.notes("the probe was not used, but breakpoints"))
      #expect(block.notes("is static: no libraries are loaded"))
    }
  }
}
