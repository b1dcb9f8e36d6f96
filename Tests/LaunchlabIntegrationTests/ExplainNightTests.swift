import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// A regression that a night confirms and explains, and what is said of it afterwards.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: geteuid() == 0, "tracing takes root")
  ) struct ExplainNightTests {
    /// A program that with `milliseconds` waits for a device on its way.
    private static func write(_ lab: Launchlab, milliseconds: Int) throws {
      let wait = """
        __attribute__((noinline)) static void wait_for_device(void) {
          struct timespec time = {0, \(milliseconds) * 1000000L};
          nanosleep(&time, 0);
        }
        """
      try lab.write(
        """
        #include <time.h>
        static volatile unsigned long sink;
        \(milliseconds > 0 ? wait : "")
        int main(void) {
          for (long n = 0; n < 1000000; n++) sink += n;
          \(milliseconds > 0 ? "wait_for_device();" : "")
          return 0;
        }

        """,
        to: "repository/app.c"
      )
    }

    @Test func `a night says why what it confirmed is slower`() async throws {
      let lab = Launchlab()
      try Self.write(lab, milliseconds: 0)
      try lab.makeRepository()
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "cc -O1 -o app app.c"}
        targets:
          app: {command: [./app]}
        states: [warm]
        launches: 10
        regression: {metrics: [launch], effect: 50%}
        explain: regression
        """,
        to: "scenario.yml"
      )
      for _ in 0..<6 {
        let quiet = try await lab.run("run", "scenario.yml")
        #expect(quiet.status == 0 || quiet.status == 125, "\(quiet.stderr)")
      }
      try Self.write(lab, milliseconds: 40)
      try lab.commit()

      let bad = try await lab.run("run", "scenario.yml")

      #expect(bad.status == 1, "\(bad.stderr)")
      #expect(bad.stderr.contains("explaining R-1: last good "), "\(bad.stderr)")
      // Whether the function is named depends on how busy the machine is.
      let why = "(new), clock_nanosleep 0 → 1: +4"
      #expect(bad.stdout.contains(why), "\(bad.stdout)")
      let report = try String(contentsOfFile: lab.path("report/latest.md"), encoding: .utf8)
      #expect(report.contains("\n- **Why:** "))
      #expect(report.contains("[Flame graph of the difference](img/"))
      let images = try FileManager.default.contentsOfDirectory(atPath: lab.path("report/img"))
      #expect(images.contains { $0.hasSuffix("-R-1-why.svg") })
      let told = try await lab.run("why", "R-1")
      #expect(told.stdout.contains(why), "\(told.stdout)")

      // The same builds are launched again.
      for words in [["--alert", "R-1"], ["last~2", "last~1"]] {
        let again = try await lab.run(arguments: ["explain"] + words)
        #expect(again.status == 0 || again.status == 125, "\(again.stderr)")
        #expect(again.stdout.contains("clock_nanosleep"), "\(again.stdout)\(again.stderr)")
      }
      let same = try await lab.run("explain", "last~4", "last~3")
      #expect(same.status == 64)
      #expect(same.stderr.contains("launched the same build of app"), "\(same.stderr)")
    }
  }
}
