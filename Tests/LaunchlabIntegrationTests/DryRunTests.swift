import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What `--dry-run` says against what the run does.
  @Suite struct DryRunTests {
    /// A scenario without its name and target.
    struct Case: CustomTestStringConvertible, Sendable {
      let testDescription: String
      let lines: String
      var target = ""
    }

    @Test(arguments: [true, false])
    func `takes an older store or an empty file, which the run makes its store`(
      isOld: Bool
    ) async throws {
      let lab = Launchlab()
      let old = Repository.root.appending(path: "Tests/LabStoreTests/Fixtures/version-4.sqlite")
      try (isOld ? Data(contentsOf: old) : Data()).write(to: URL(filePath: lab.path("x.sqlite")))
      let run = ["measure", "--launches", "3", "--store", "x.sqlite"]
      for options in [["--dry-run"], []] {
        let output = try await lab.start(run + options + ["--", "/bin/true"]).finish()
        #expect(output.status == 0, "\(output.stderr)")
      }
    }

    @Test(arguments: [
      Case(testDescription: "nothing more", lines: "launches: 3"),
      Case(
        testDescription: "an empty baseline and a control",
        lines: "launches: 4\nbaseline: {empty: true, control: [/bin/true]}"
      ),
      Case(
        testDescription: "a control and counters",
        lines: "launches: 5\nbaseline: {control: [/bin/true]}",
        target: ", counters: [page-faults]"
      ),
      Case(
        testDescription: "a control and stages",
        lines: "launches: 4\nbaseline: {control: [/bin/true]}\n"
          + "stages: {collect: [breakpoints], launches: 2}"
      ),
    ])
    func `plans as many launches of as many arms as the run makes`(test: Case) async throws {
      let lab = Launchlab()
      try lab.write(
        "scenario: plan\ntargets:\n  app: {command: [/bin/true]\(test.target)}\nstates: [warm]\n"
          + test.lines + "\n",
        to: "scenario.yml"
      )
      let plan = try await lab.run("run", "scenario.yml", "--dry-run")
      #expect(plan.status == 0, "\(plan.stderr)")
      let run = try await lab.run("run", "scenario.yml", "--no-verdict")
      #expect(run.status == 0, "\(run.stderr)")

      let launches = try await lab.launches()
      #expect(plan.stdout.contains(" \(launches.count) launches in "), "\(plan.stdout)")
      let arms = plan.stdout.split(separator: "\n").filter { $0.contains(" × ") }
      #expect(arms.count == Set(launches.map { "\($0.target) \($0.kind)" }).count)
    }

    @Test func `says what is missing with the exit code of the run, and touches nothing`()
      async throws
    {
      let lab = Launchlab()
      try lab.write(
        """
        scenario: missing
        targets:
          there: {command: [/bin/true]}
          gone: {command: [./no-such-program]}
        states: [warm]
        launches: 2
        baseline: {control: [no-such-control]}
        notify:
          - webhook: https://hooks.example/$LAUNCHLAB_NO_SUCH_VARIABLE
          - command: [no-such-notifier]
        """,
        to: "scenario.yml"
      )
      let before = lab.contents
      let plan = try await lab.run("run", "scenario.yml", "--dry-run")
      #expect(lab.contents == before)
      let run = try await lab.run("run", "scenario.yml")

      #expect(plan.status == 128)
      #expect(run.status == plan.status)
      for missing in [
        "no-such-program", "no-such-control", "the variable LAUNCHLAB_NO_SUCH_VARIABLE is not set",
        "no-such-notifier", "at: target \"gone\"", "at: baseline.control",
      ] {
        #expect(plan.stderr.contains(missing), "\(plan.stderr)")
      }
      #expect(!plan.stderr.contains("target \"there\""))
      #expect(plan.stdout.contains("Dry run: nothing was launched"))
    }

    @Test(.enabled(if: Machine.has("git"), "git is not installed"))
    func `looks at the source without building it`() async throws {
      let lab = Launchlab()
      try lab.writeProject(build: "touch '\(lab.path("built"))'")
      try lab.makeRepository()
      let before = lab.contents
      let good = try await lab.run("run", "scenario.yml", "--dry-run")
      #expect(good.status == 0, "\(good.stderr)")
      let unknown = try await lab.run("run", "scenario.yml", "--dry-run", "--revision", "v9")
      #expect(unknown.status == 128)
      #expect(unknown.stderr.contains("git knows no commit \"v9\""))
      #expect(lab.contents == before)

      try lab.writeProject(build: "no-such-compiler -o app")
      let tool = try await lab.run("run", "scenario.yml", "--dry-run")
      #expect(tool.status == 128)
      #expect(tool.stderr.contains("no-such-compiler not found in PATH, needed to build"))
      try lab.writeProject(build: "if true; then cc -o app main.c")
      let syntax = try await lab.run("run", "scenario.yml", "--dry-run")
      #expect(syntax.status == 128)
      #expect(syntax.stderr.contains("error: the build \"if true"))
      #expect(!lab.exists(".launchlab"))
    }
  }
}
