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
  }
}
