import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// Runs that are taken out of history, and put back.
  @Suite struct RunsTests {
    /// Five nights, of which the last is bad.
    private func lab() async throws -> Launchlab {
      let lab = Launchlab()
      let values = (1...9).map { "2026-11-0\($0),10.\($0),ms,app" } + ["2026-11-10,99,ms,app"]
      try lab.write("time,value,unit,target\n\(values.joined(separator: "\n"))\n", to: "app.csv")
      let output = try await lab.run("import", "app.csv", "--scenario", "app")
      #expect(output.status == 0, "\(output.stderr)")
      return lab
    }

    @Test(arguments: ["exclude", "remove"])
    func `takes a bad night out of history, and puts it back`(verb: String) async throws {
      let lab = try await lab()
      let bad = try #require(try await lab.runs().first)
      let before = try await lab.run("export", "--what", "nights", "--format", "csv").stdout
      #expect(before.contains(bad.id))

      let taken = try await lab.run("runs", verb, bad.id, "--reason", "a backup ran")
      #expect(taken.status == 0, "\(taken.stderr)")
      #expect(taken.stdout.hasPrefix("run \(bad.id) of app is \(verb)d from history"))
      #expect(taken.stdout.contains("`launchlab runs include \(bad.id)`"))

      let nights = try await lab.run("export", "--what", "nights", "--format", "csv").stdout
      #expect(!nights.contains(bad.id) && nights.contains("2026-11-09"))
      let history = try await lab.run("history")
      #expect(history.stdout.contains("complete, excluded") == (verb == "exclude"))
      #expect(history.stdout.contains("a backup ran") == (verb == "exclude"))
      let all = try await lab.run("history", "--all")
      #expect(all.stdout.contains(bad.id) && all.stdout.contains("a backup ran"))
      let report = try await lab.run("report", "--json", "-")
      #expect(!report.stdout.contains("99000000"))
      let replay = try await lab.run("replay")
      #expect(replay.stdout.contains("9 nights"), "\(replay.stdout)")

      // What was imported once does not come back.
      _ = try await lab.run("import", "app.csv", "--scenario", "app")
      #expect(try await lab.run("export", "--what", "nights", "--format", "csv").stdout == nights)

      let asked = try await lab.run("report", "--run", bad.id)
      #expect(asked.status == 64)
      #expect(asked.stderr.contains("run \(bad.id) is \(verb)d from history: a backup ran"))

      #expect(try await lab.run("runs", "include", bad.id).status == 0)
      #expect(try await lab.run("export", "--what", "nights", "--format", "csv").stdout == before)
      #expect(!(try await lab.run("history").stdout.contains("a backup ran")))
    }

    struct Mistake: CustomTestStringConvertible {
      var arguments: [String]
      var problem: String
      var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
      Mistake(arguments: ["exclude", "2026110", "--reason", "x"], problem: "runs begin with"),
      Mistake(arguments: ["exclude", "1999", "--reason", "x"], problem: "no stored run begins"),
      Mistake(arguments: ["exclude", "20261110", "--reason", " "], problem: "--reason cannot be"),
      Mistake(arguments: ["exclude", "20261110"], problem: "missing expected argument `--reason"),
      Mistake(arguments: ["include", "20261110"], problem: "is included already"),
      Mistake(arguments: ["exclude", "", "--reason", "x"], problem: "no stored run begins"),
    ])
    func `refuses what it cannot do, and changes nothing`(mistake: Mistake) async throws {
      let lab = try await lab()
      let output = try await lab.start(["runs"] + mistake.arguments).finish()
      #expect(output.status == 64)
      #expect(output.stderr.contains(mistake.problem), "\(output.stderr)")
      #expect(!(try await lab.run("history").stdout.contains("excluded")))
    }

    @Test(arguments: ["--since", "--backdate"])
    func `refuses a day that is not in the calendar`(option: String) async throws {
      let lab = try await lab()
      try lab.write(
        "scenario: few\ntargets: {one: {command: [/bin/true]}}\nstates: [warm]\nlaunches: 3\n",
        to: "scenario.yml"
      )
      let isReplay = option == "--since"
      let day = isReplay ? "2026-02-30" : "2026-02-30T02:00:00Z"
      let command = isReplay ? ["replay"] : ["run", "scenario.yml"]
      let output = try await lab.start(command + [option, day]).finish()
      #expect(output.status == 64)
      #expect(output.stderr.contains("error: \(option) cannot be \"\(day)\""))
      #expect(output.stderr.contains("help: give "))
      #expect(try await lab.runs().count == 10)
    }

    @Test(arguments: [12, 16, 20])
    func `says that too few files may be open`(limit: Int) async throws {
      var lab = try await lab()
      lab.wrapper = ["sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"]
      for command in [["history"], ["measure", "--launches", "3", "--", "/bin/true"]] {
        let output = try await lab.start(command).finish()
        #expect(output.status == 128)
        #expect(output.stderr.contains("error: at most \(limit) files may be open at a time"))
        #expect(output.stderr.contains("help: raise the limit with `ulimit -n 1024`"))
      }
    }

    @Test(.enabled(if: Machine.has("mkfifo"), "mkfifo is not installed"))
    func `refuses what is no file as a store, without waiting`() async throws {
      let lab = try await lab()
      #expect(try Tool.run("mkfifo", [lab.path("fifo")]).status == 0)
      let places = [("fifo", "it is a FIFO"), ("/dev/null", "it is a device")]
      for (path, reason) in places {
        for command in [["history"], ["import", "app.csv", "--scenario", "app"]] {
          let output = try await lab.start(command + ["--store", path]).finish()
          #expect(output.status == 128)
          #expect(output.stderr.contains("error: cannot open the store: \(reason)"))
          #expect(output.stderr.contains("help: name another file with `--store FILE`"))
        }
      }
    }

    @Test(.enabled(if: Machine.has("python3"), "python3 is not installed"))
    func `refuses a store without a column, whatever is asked of it`() async throws {
      let lab = try await lab()
      let script =
        "import sqlite3,sys; sqlite3.connect(sys.argv[1])"
        + ".execute('ALTER TABLE run RENAME COLUMN host TO gone')"
      let store = lab.path(".launchlab/launchlab.sqlite")
      #expect(try Tool.run("python3", ["-c", script, store]).status == 0)
      let before = try Data(contentsOf: URL(filePath: store))
      for command in [
        ["history"], ["export"], ["report"], ["replay"], ["why", "R-1"],
        ["ack", "R-1", "--reason", "x"], ["runs", "exclude", "2026", "--reason", "x"],
        ["import", "app.csv"], ["compare", "last", "last~1"],
        ["measure", "--launches", "3", "--", "/bin/true"],
      ] {
        let output = try await lab.start(command).finish()
        #expect(output.status == 128, "\(command)")
        #expect(
          output.stderr.contains(
            "error: the store is damaged: the table \"run\" lacks the column \"host\""
          ),
          "\(command): \(output.stderr)"
        )
        #expect(output.stderr.contains("help: move the file away and restore a copy"))
      }
      #expect(try Data(contentsOf: URL(filePath: store)) == before)
    }

    @Test func `says who excluded a run that is excluded again`() async throws {
      let lab = try await lab()
      #expect(try await lab.run("runs", "exclude", "20261110", "--reason", "noise").status == 0)
      let again = try await lab.run("runs", "exclude", "20261110", "--reason", "more")
      #expect(again.status == 64)
      #expect(again.stderr.contains("is excluded already, since "))
      #expect(again.stderr.contains(": noise"))
    }
  }
}
