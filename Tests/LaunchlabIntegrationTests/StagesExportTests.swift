import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What the stages of launches are read from, and the trace that is written.
  @Suite struct StagesExportTests {
    @Test func `reads what dyld printed after its total`() async throws {
      let lab = Launchlab()
      try lab.write(
        """
                 dylib loading time: 40.00 milliseconds (10.0%)
                rebase/binding time:  8.00 milliseconds (2.0%)
                    ObjC setup time:  12.00 milliseconds (3.0%)
                   initializer time: 340.00 milliseconds (85.0%)

        """,
        to: "app.log"
      )
      let output = try await lab.run("stages", "--parse", "app.log", "--json", "-")
      #expect(output.status == 0)
      #expect(output.stdout.contains(#""total_ns": null"#))
      #expect(output.stdout.contains(#""stage": "fixup""#))
      #expect(output.stderr.contains("missing:total"))
    }

    @Test func `lists every program of a launch with its time`() async throws {
      let lab = Launchlab()
      let script = "/usr/bin/env true; exec perl -e 0"
      for state in ["warm", "reboot-cold"] where state == "warm" || Machine.isRoot {
        let result = try await lab.stages(["--state", state], of: ["sh", "-c", script])
        let processes = try #require(result.blocks.first?.processes)
        let names = processes.map {
          ($0.isExecuted ? "" : "fork of ") + ($0.program.split(separator: "/").last ?? "")
        }
        #expect(names == ["dash", "fork of dash", "env", "true", "perl"])
        let total = try #require(result.blocks.first?.totalNs)
        #expect(processes[0].endNs == processes[4].startNs)
        #expect(processes[2].endNs == processes[3].startNs)
        #expect(processes[1].parent == processes[0].pid)
        #expect(processes.allSatisfy { $0.startNs >= 0 && $0.endNs ?? total >= $0.startNs })
        #expect(processes.allSatisfy { $0.endNs ?? 0 <= total })
      }
    }

    /// A collector with a target for it.
    struct Case: CustomTestStringConvertible, Sendable {
      let collector: String
      let command: [String]
      let frames: [String]
      var testDescription: String { collector }
    }

    @Test(arguments: [
      Case(
        collector: "probe",
        command: ["sh", "-c", "perl -e 0; exec perl -MPOSIX -e 0"],
        frames: ["launch", "exec", "load", "fixup", "init", "main_to_ready", "/usr/bin/dash"]
      ),
      Case(
        collector: "breakpoints",
        command: ["/usr/bin/perl", "-e", "0"],
        frames: ["launch", "exec", "load", "init", "main_to_ready"]
      ),
      Case(
        collector: "statistics",
        command: ["/usr/bin/perl", "-e", "0"],
        frames: ["launch", "fixup", "load", "loader_other"]
      ),
      Case(
        collector: "text",
        command: ["/usr/bin/python3", "-X", "importtime", "-c", "0"],
        frames: ["launch", "encodings", "site"]
      ),
    ]) func `writes a trace, also by the option of earlier versions`(form: Case) async throws {
      let lab = Launchlab()

      let result = try await lab.stages(
        [
          "--launches", "2", "--collect", form.collector, "--trace", "trace.json",
          "--speedscope", "scope.json",
        ],
        of: form.command
      )

      #expect(result.blocks.count == 2)
      let trace = try Data(contentsOf: URL(filePath: lab.path("trace.json")))
      let slices = try ChromeTraceRules.expect(trace).filter { $0.length != nil }
      let launches = slices.filter { $0.name == "launch" }
      #expect(launches.map(\.length) == result.blocks.map(\.totalNs))
      #expect(Set(slices.map(\.name)).isSuperset(of: form.frames))
      #expect(try Data(contentsOf: URL(filePath: lab.path("scope.json"))) == trace)
    }
  }
}
