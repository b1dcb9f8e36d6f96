import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Scripts that say what their launches consist of, with `launchlab mark`.
  @Suite struct StagesScriptMarksTests {
    @Test(arguments: [["probe", "marks"], ["breakpoints", "marks"], ["marks"]])
    func `shows the marks of a script, and ends at its ready mark`(
      collectors: [String]
    ) async throws {
      let lab = Launchlab()
      try lab.writeScript(
        "#!/bin/sh\n\"$1\" mark 'settings read'\n\"$1\" mark ready\nexec sleep 60\n",
        to: "script"
      )
      let options = collectors.flatMap { ["--collect", $0] }

      let block = try await lab.block(
        options + ["--ready", "mark"],
        of: ["./script", Launchlab.builtExecutable]
      )

      // The marks belong to the shell, and not to the launchlab that made them.
      let below = block.part("main_to_ready")?.children ?? block.stages
      let marks = below.filter { $0.source == "marks" && $0.name != "spawn" }
      #expect(marks.map(\.name) == ["settings read", "ready"])
      #expect((marks.first?.startNs ?? 0) > 0)
      if collectors.contains("probe") {
        let program = try #require(block.program)
        #expect(["dash", "bash"].contains(URL(filePath: program).lastPathComponent))
      }
    }

    @Test func `runs the example`() async throws {
      let lab = Launchlab()
      let script = Repository.root.appending(path: "Scenarios/marks/languages/start.sh").path
      let bin = URL(filePath: Launchlab.builtExecutable).deletingLastPathComponent().path

      let block = try await lab.block(
        ["--collect", "marks", "--ready", "mark", "--env", "PATH=\(bin):/usr/bin:/bin"],
        of: [script]
      )

      #expect(block.stages.map(\.name) == ["settings read", "ready", "spawn"])
    }

    @Test func `does nothing when nothing is measured`() async throws {
      let output = try await Launchlab().run("mark", "ready")

      #expect(output.status == 0)
      #expect(output.stdout + output.stderr == "")
    }

    @Test(arguments: ["", String(repeating: "é", count: 128)])
    func `refuses a name of no bytes, and one that would be cut`(name: String) async throws {
      let output = try await Launchlab().run("mark", name)

      #expect(output.status == 64)
      #expect(output.stderr.contains("help: give a name of 1 to 255 bytes"), "\(output.stderr)")
    }
  }
}
