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

    /// Makes a scenario that proves nothing, and no repository yet.
    ///
    /// Its program takes as many KiB as the file `size` says, and the file `more` beside the repository,
    /// which no commit holds.
    private static func prepare(_ lab: Launchlab) throws {
      try lab.write(
        """
        sub number { open F, '<', $_[0] or return 0; <F> + 0 }
        my $memory = 'x' x ((number('size') + number('\(lab.path("more"))')) << 10);

        """,
        to: "repository/app.pl"
      )
      try lab.write(
        """
        scenario: app
        source: {repository: repository, build: "true"}
        targets:
          app: {command: [perl, app.pl]}
        states: [warm]
        launches: 7
        regression: {metrics: [peak_rss], proof: 0}
        """,
        to: "scenario.yml"
      )
    }

    /// Commits a size, and measures it.
    private static func night(_ lab: Launchlab, _ kilobytes: Int, isFirst: Bool) async throws {
      try lab.write("\(kilobytes)\n", to: "repository/size")
      if isFirst { try lab.makeRepository() } else { try lab.commit() }
      let night = try await lab.run("run", "scenario.yml")
      #expect(night.status == 0 || night.status == 125, "\(night.stderr)")
    }

    @Test func `a culprit that explains less than half of its alert is not the answer`()
      async throws
    {
      let lab = Launchlab()
      try Self.prepare(lab)
      for (index, size) in [20_000, 20_001, 20_000, 20_001, 20_000].enumerated() {
        try await Self.night(lab, size, isFirst: index == 0)
      }
      try lab.write("20000\n", to: "more")
      try await Self.night(lab, 22_000, isFirst: false)
      try lab.write("0\n", to: "more")
      let culprit = try lab.git("rev-parse", "HEAD").prefix(12)

      let answer = try await lab.run("bisect", "--alert", "R-1")
      #expect(answer.status == 125, "\(answer.stderr)")
      let words = answer.stdout.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.hasPrefix(culprit), "\(words)")
      #expect(words.contains("% of R-1, which is of +"), "\(words)")
      #expect(words.contains("no other change was found"), "\(words)")
    }
  }
}
