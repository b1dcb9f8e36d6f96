import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct BadStoreTests {
    private static let measurement = ["--launches", "3", "--", "/bin/true"]

    @Test(.enabled(if: Machine.canMount, "mounting a small file system takes root"))
    func `keeps whole blocks when the disk becomes full, and resumes`() async throws {
      let lab = Launchlab()
      let disk = try SmallDisk(at: lab.path("disk"), kilobytes: 784)
      defer { disk.unmount() }
      try lab.write(
        """
        scenario: much
        targets:
          one: {command: [/bin/true]}
          two: {command: [/bin/true, again]}
        states: [warm]
        launches: 1200
        """,
        to: "scenario.yml"
      )

      let output = try await lab.run(
        "run",
        "scenario.yml",
        "--seed",
        "1",
        "--store",
        "disk/store.sqlite"
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: no space is left for the store; of run"))
      #expect(output.stderr.contains("at: \(lab.path("disk/store.sqlite"))"))
      #expect(output.stderr.contains("help: free some space"))
      let run = try #require(try await lab.runs(store: "disk/store.sqlite").first)
      #expect(run.status == "unfinished")
      #expect(run.launches == 2 * run.blocks)
      #expect(output.stderr.contains("\(run.blocks) blocks are stored"))

      try disk.remount("size=20m")
      let resumed = try await lab.run(
        "run",
        "scenario.yml",
        "--resume",
        "last",
        "--store",
        "disk/store.sqlite"
      )
      #expect(resumed.status == 0)
      let launches = try await lab.launches(store: "disk/store.sqlite")
      #expect(launches.blocks.count == 1200)
      #expect(launches.blocks.values.allSatisfy { $0 == ["one warm", "two warm"] })
    }

    @Test(.enabled(if: Machine.has("python3"), "python3 is not installed"))
    func `a night is complete once its summaries are stored, and goes on before`() async throws {
      let lab = Launchlab()
      try lab.write(
        "scenario: few\ntargets: {one: {command: [/bin/true]}}\nstates: [warm]\nlaunches: 3\n",
        to: "scenario.yml"
      )
      #expect(try await lab.run("run", "scenario.yml").status == 0)
      let stop = "CREATE TRIGGER stop BEFORE INSERT ON summary BEGIN SELECT RAISE(ABORT, 'no'); END"
      try lab.executeSQL(stop)

      // As if it were killed between its launches and its verdict.
      #expect(try await lab.run("run", "scenario.yml").status == 128)

      #expect(try await lab.runs().map(\.status) == ["unfinished", "complete"])
      #expect(try await lab.runs().first?.launches == 3)
      try lab.executeSQL("DROP TRIGGER stop")
      let resumed = try await lab.run("run", "scenario.yml", "--resume", "last")
      #expect(resumed.status == 0, "\(resumed.stderr)")
      #expect(try await lab.runs().map(\.status) == ["complete", "complete"])
      #expect(try await lab.launches().count == 3)
    }

    @Test(.enabled(if: Machine.has("python3"), "python3 is not installed"))
    func `keeps the address of a webhook out of the store`() async throws {
      let lab = Launchlab()
      try lab.write(
        """
        scenario: few
        targets: {one: {command: [/bin/true]}}
        states: [warm]
        launches: 3
        notify: [{webhook: "https://example.org/T0/secret"}]
        """,
        to: "scenario.yml"
      )
      #expect(try await lab.run("run", "scenario.yml").status == 0)
      let bytes = try Data(contentsOf: URL(filePath: lab.path(".launchlab/launchlab.sqlite")))
      #expect(!bytes.isEmpty)
      #expect(bytes.range(of: Data("T0/secret".utf8)) == nil)
    }

    @Test(.enabled(if: Machine.canMount, "mounting a small file system takes root"))
    func `says that a full disk has no room for a new store`() async throws {
      let lab = Launchlab()
      let disk = try SmallDisk(at: lab.path("disk"), kilobytes: 100)
      defer { disk.unmount() }

      let output = try await lab.run(
        "measure",
        "--store",
        "disk/store.sqlite",
        "--launches",
        "3",
        "--",
        "/bin/true"
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: no space is left for the store"))
      #expect(output.stderr.contains("at: \(lab.path("disk/store.sqlite"))"))
      #expect(output.stderr.contains("help: free some space"))
    }

    @Test(.enabled(if: Machine.canMount, "mounting a small file system takes root"))
    func `refuses a read-only store, which can still be read`() async throws {
      let lab = Launchlab()
      let disk = try SmallDisk(at: lab.path("disk"), kilobytes: 4_000)
      defer { disk.unmount() }
      let arguments = ["measure", "--store", "disk/store.sqlite"] + Self.measurement
      let first = try await lab.start(arguments).finish()
      #expect(first.status == 0)
      try disk.remount("ro")

      let output = try await lab.start(arguments).finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: cannot write to the store: it is read-only"))
      #expect(output.stderr.contains("at: \(lab.path("disk/store.sqlite"))"))
      #expect(output.stderr.contains("help: name a file in a directory that you can write to"))
      #expect(try await lab.runs(store: "disk/store.sqlite").map(\.launches) == [3])
      #expect(try await lab.launches(store: "disk/store.sqlite").count == 3)
    }

    @Test func `does not touch a store of a newer version`() async throws {
      let lab = Launchlab()
      let first = try await lab.run("measure", "--launches", "3", "--", "/bin/true")
      #expect(first.status == 0)
      let file = URL(filePath: lab.path(".launchlab/launchlab.sqlite"))
      // The user version of an SQLite file is a big-endian number at byte 60.
      var bytes = try Data(contentsOf: file)
      bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
      try bytes.write(to: file)

      for command in [["measure"] + Self.measurement, ["history"], ["export"]] {
        let output = try await lab.start(command).finish()
        #expect(output.status == 128)
        #expect(output.stderr.contains("the store has schema version 99"))
        #expect(output.stderr.contains("at: \(file.path)"))
        #expect(output.stderr.contains("help: update launchlab"))
      }

      #expect(try Data(contentsOf: file) == bytes)
    }

    @Test(.enabled(if: Machine.has("python3"), "python3 is not installed"))
    func `numbers that nothing can have are errors, and no crash`() async throws {
      let lab = Launchlab()
      let days = (10...24).map { "2026-11-\($0),\($0 % 2 + 10)\n" }
      // Nearly the largest that 64 bits hold.
      try lab.write("time,value\n\(days.joined())2026-11-25,9.2e12\n", to: "app.csv")
      let arguments = ["import", "app.csv", "--scenario", "app", "--unit", "ms"]
      #expect(try await lab.start(arguments).finish().status == 0)
      #expect(try await lab.run("report").status == 0)
      for value in ["9e307", "-9e307", "9e999"] {
        try lab.executeSQL("UPDATE summary SET median = \(value), min = -9e999, max = 9e999")
        for command in [["report"], ["export", "--what", "nights"]] {
          let output = try await lab.start(command).finish()
          #expect(output.status == 128)
          #expect(output.stderr.contains("nothing measured has the value"))
        }
        #expect(try await lab.run("history").status == 0)
      }
    }

    @Test func `refuses a file that is no store, and leaves it alone`() async throws {
      let lab = Launchlab()
      let text = String(repeating: "a letter to nobody\n", count: 100)
      try lab.write(text, to: "letter.txt")

      let output = try await lab.run(
        "measure",
        "--store",
        "letter.txt",
        "--launches",
        "3",
        "--",
        "/bin/true"
      )

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: the store is not an SQLite database"))
      #expect(output.stderr.contains("at: \(lab.path("letter.txt"))"))
      #expect(output.stderr.contains("help: name another file with `--store FILE`"))
      #expect(try String(contentsOfFile: lab.path("letter.txt"), encoding: .utf8) == text)
    }
  }
}

extension Launchlab {
  /// Changes the store of the test behind the back of launchlab.
  fileprivate func executeSQL(_ statement: String) throws {
    let script = """
      import sqlite3, sys
      with sqlite3.connect(sys.argv[1]) as db: db.execute(sys.argv[2])
      """
    let store = path(".launchlab/launchlab.sqlite")
    let output = try Tool.run("python3", ["-c", script, store, statement])
    #expect(output.status == 0, "\(output.stderr)")
  }
}
