import Foundation
import Testing

extension EndToEnd {
  /// A regression that a night confirms, and the commit that it comes from.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct BisectNightTests {
    /// Memory is measured, which does not depend on what else the machine does.
    private static func write(_ lab: Launchlab, kilobytes: Int, number: Int) throws {
      try lab.write(
        """
        // \(number)
        static volatile char memory[\(kilobytes) << 10];
        int main(void) {
          for (long n = 0; n < sizeof memory; n += 512) memory[n] = 1;
          return 0;
        }

        """,
        to: "repository/app.c"
      )
    }

    @Test func `bisects what a night has confirmed, and again when asked for the alert`()
      async throws
    {
      let lab = Launchlab()
      try Self.write(lab, kilobytes: 4_000, number: 0)
      try lab.makeRepository()
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "cc -O1 -o app app.c"}
        targets:
          app: {command: [./app]}
        states: [warm]
        launches: 7
        regression: {metrics: [peak_rss]}
        bisect: {max_time: 2min}
        """,
        to: "scenario.yml"
      )
      for _ in 0..<6 {
        let quiet = try await lab.run("run", "scenario.yml")
        #expect(quiet.status == 0 || quiet.status == 125, "\(quiet.stderr)")
      }
      for number in 1...8 {
        try Self.write(lab, kilobytes: number < 5 ? 4_000 : 12_000, number: number)
        try lab.commit()
      }
      let culprit = try lab.git("rev-parse", "HEAD~3").prefix(40)

      let bad = try await lab.run("run", "scenario.yml")

      #expect(bad.status == 1, "\(bad.stderr)")
      #expect(bad.stderr.contains("R-1 was bisected"), "\(bad.stderr)")
      #expect(bad.stderr.contains(culprit.prefix(12)), "\(bad.stderr)")

      let asked = try await lab.run("bisect", "--alert", "R-1")
      #expect(asked.status == 0, "\(asked.stderr)")
      #expect(asked.stdout.contains(culprit.prefix(12)), "\(asked.stdout)")
    }
  }
}
