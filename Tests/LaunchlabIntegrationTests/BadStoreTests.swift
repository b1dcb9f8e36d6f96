import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  @Suite struct BadStoreTests {
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

      let output = try await lab.run("run scenario.yml --seed 1 --store disk/store.sqlite")

      #expect(output.status == 128)
      #expect(output.stderr.contains("error: no space is left for the store; of run"))
      #expect(output.stderr.contains("at: \(lab.path("disk/store.sqlite"))"))
      #expect(output.stderr.contains("help: free some space"))
      let run = try #require(try await lab.runs(store: "disk/store.sqlite").first)
      #expect(run.status == "unfinished")
      #expect(run.launches == 2 * run.blocks)
      #expect(output.stderr.contains("\(run.blocks) blocks are stored"))

      try disk.remount("size=20m")
      let resumed = try await lab.run("run scenario.yml --resume last --store disk/store.sqlite")
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
