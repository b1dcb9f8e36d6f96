import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Programs that say what their launches consist of.
  @Suite struct StagesMarksTests {
    private static let source = """
      #include "launch_marks.h"
      #include <time.h>
      #include <unistd.h>
      static void sleep_for(long milliseconds) {
        struct timespec pause = {0, milliseconds * 1000000};
        nanosleep(&pause, 0);
      }
      LAUNCH_TASK("pre_main", load_settings) { sleep_for(1); }
      LAUNCH_TASK("first screen", load_fonts) { sleep_for(5); }
      LAUNCH_TASK("first screen", lay_out) { sleep_for(2); }
      LAUNCH_TASK("deferred", check_for_updates) { sleep_for(1); }
      int main(void) {
        launch_run_phase("first screen");
        launch_mark("first frame");
        launch_interval database = launch_interval_begin("database");
        sleep_for(3);
        launch_interval_end(database);
        launch_ready();
        launch_run_phase("deferred");
        for (;;) pause();
      }
      """

    private static let headers =
      Repository.root.appending(path: "Sources/LaunchMarks/include").path

    private func program(in lab: Launchlab) throws -> CompiledProgram {
      try CompiledProgram(
        Self.source,
        in: lab.directory,
        options: ["-I\(Self.headers)", "-D_GNU_SOURCE"]
      )
    }

    @Test(arguments: [["probe", "marks"], ["breakpoints", "marks"], ["marks"]])
    func `shows marks, phases and tasks below main`(collectors: [String]) async throws {
      let lab = Launchlab()
      let program = try program(in: lab)
      let options = collectors.flatMap { ["--collect", $0] }

      let block = try await lab.block(options + ["--ready", "mark"], of: [program.path])

      #expect(block.format == "launchlab.\(collectors[0])")
      // Marks alone do not tell where main begins.
      let below = block.part("main_to_ready")?.children ?? block.stages
      #expect((block.part("main_to_ready") == nil) == (collectors == ["marks"]))
      let phase = try #require(below.first { $0.name == "first screen" })
      #expect(phase.children.map(\.name) == ["load_fonts", "lay_out"])
      #expect((phase.children.first?.ns ?? 0) >= 5_000_000)
      #expect((phase.ns ?? 0) >= 7_000_000)
      let names = below.map(\.name)
      let mark = try #require(names.firstIndex(of: "first frame"))
      let interval = try #require(names.firstIndex(of: "database"))
      #expect(mark < interval)
      #expect(below[mark].ns == 0)
      #expect((below[interval].ns ?? 0) >= 3_000_000)
      let all = block.all
      #expect(all.contains { $0.name == "load_settings" })
      // Deferred work comes after the launch.
      #expect(!all.contains { $0.name == "check_for_updates" && ($0.ns ?? 0) > 0 })
      let marks = all.filter { ["first screen", "load_fonts", "database"].contains($0.name) }
      #expect(marks.allSatisfy { $0.source == "marks" })
    }

    @Test func `says what to call when the mark never comes`() async throws {
      let lab = Launchlab()

      let output = try await lab.run("stages --ready mark --timeout 300ms -- perl -e", "sleep 9")

      #expect(output.status == 128)
      #expect(output.stderr.contains("timed out"))
      #expect(output.stderr.contains("launch_ready()"), "\(output.stderr)")
    }

    @Test(.enabled(if: Machine.has("git"), "git is not installed"))
    func `runs the scenario of a program with phases`() async throws {
      let lab = Launchlab()
      for path in ["Scenarios/marks", "Sources/LaunchMarks", "docs/glossary.md"] {
        let copy = URL(filePath: lab.path("repository")).appending(path: path)
        try FileManager.default.createDirectory(
          at: copy.deletingLastPathComponent(),
          withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(at: Repository.root.appending(path: path), to: copy)
      }
      try lab.makeRepository()

      let output = try await lab.run(
        "run repository/Scenarios/marks/scenario.yml --store \(lab.path("store.sqlite")) --json -"
      )

      #expect(output.status == 0, "\(output.stderr)")
      let result = try RunResult(output.stdout)
      let arm = try #require(
        result.arms.first { $0.target == "reader" && $0.state == "warm" && $0.kind == "plain" }
      )
      let below = try #require(arm.stages.first { $0.name == "main_to_ready" })
      let phase = try #require(below.children.first { $0.name == "first screen" })
      let tasks = ["count_letters", "read_glossary", "sort_entries", "lay_out"]
      #expect(Set(phase.children.map(\.name)).isSuperset(of: tasks))
      let initializers = try #require(arm.stages.first { $0.name == "init" })
      #expect(initializers.all.contains { $0.name == "fold_case" })
    }
  }
}
