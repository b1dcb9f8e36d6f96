import Foundation
import Testing

extension EndToEnd {
  /// A bisection on a host of a fleet, which is this machine, and a builder beside it.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`")
  ) struct FleetBisectTests {
    private static let commits = 8
    private static let culprit = 5

    /// Writes a fleet of one host and one builder, and a program that takes more memory from one commit
    /// on, which does not depend on what else the machine does.
    private static func write(_ lab: Launchlab) throws {
      for number in 0...commits {
        try lab.write(
          """
          // \(number)
          static volatile char memory[\(number < culprit ? 4_000 : 12_000) << 10];
          int main(void) {
            for (long n = 0; n < sizeof memory; n += 512) memory[n] = 1;
            return 0;
          }

          """,
          to: "repository/app.c"
        )
        if number == 0 { try lab.makeRepository() } else { try lab.commit() }
      }
      try lab.write(
        """
        scenario: app
        source:
          repository: repository
          build: "cc -O1 -o app app.c && pwd >> \(lab.path("built"))"
        targets:
          app: {command: [./app]}
        states: [warm]
        """,
        to: "app.yml"
      )
      try lab.write(
        """
        fleet: lab
        depot: postgresql:///nobody
        engine: local
        hosts: [h1]
        builders: [b1]
        scenarios: [app.yml]
        program: \(lab.executable)
        """,
        to: "fleet.yml"
      )
    }

    @Test func `a host finds the culprit, with builds of another one`() async throws {
      let lab = Launchlab()
      try Self.write(lab)
      let culprit = try lab.git("rev-parse", "HEAD~\(Self.commits - Self.culprit)").prefix(12)

      let session = try lab.start([
        "fleet", "bisect", "fleet.yml", "HEAD~\(Self.commits)..HEAD", "--", "--metric", "peak_rss",
        "--no-explain",
      ])
      let output = try await session.finish()

      // What was still to be built is cancelled.
      #expect(try await eventually { session.leftovers == [] })
      #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
      #expect(output.stdout.contains(culprit), "\(output.stdout)")
      #expect(output.stdout.contains("bisected on h1, see \(lab.path("report/bisect/app-"))"))
      let reports = lab.names(in: "report/bisect").map { ($0 as NSString).pathExtension }
      #expect(reports.sorted() == ["json", "md"])
      #expect(lab.names(in: ".launchlab/hosts/h1/bisect").count == 1)
      let built = try String(contentsOfFile: lab.path("built"), encoding: .utf8)
        .split(separator: "\n")
      let key = { (place: Substring) in place.split(separator: "/").dropLast().last }
      // The builder is asked first; what it has built the host takes.
      let first = try #require(built.first)
      #expect(first.contains("/hosts/b1/builds/"), "\(built)")
      #expect(built.count { key($0) == key(first) } == 1, "\(built)")
      #expect(try lab.names(in: ".launchlab/builds").contains(String(#require(key(first)))))
      #expect(
        try lab.names(in: ".launchlab/hosts/h1/builds").contains(String(#require(key(first))))
      )
    }

    @Test func `says what the host has printed that cannot bisect`() async throws {
      let lab = Launchlab()
      try Self.write(lab)
      let output = try await lab.run("fleet", "bisect", "fleet.yml", "no..HEAD", "--builders", "0")
      #expect(output.status == 128)
      #expect(
        output.stderr.contains("h1 has ended its bisection, and git knows no commit \"no\""),
        "\(output.stderr)"
      )
    }

    @Test func `an option that bisect does not have is refused before any job`() async throws {
      let lab = Launchlab()
      try Self.write(lab)
      let bad = try await lab.run("fleet bisect fleet.yml HEAD~1..HEAD -- --nonsense")
      #expect(bad.status == 64, "\(bad.stderr)")
      let many = try await lab.run("fleet bisect fleet.yml HEAD~1..HEAD --builders 2")
      #expect(many.status == 64 && many.stderr.contains("at most 1"), "\(many.stderr)")
      #expect(!lab.exists(".launchlab/jobs"))
    }
  }
}
