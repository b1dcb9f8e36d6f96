import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// What commands say of a store, or of a day, that cannot be used.
  @Suite struct RunsTests {
    /// Ten imported nights.
    private func lab() async throws -> Launchlab {
      let lab = Launchlab()
      let values = (1...9).map { "2026-11-0\($0),10.\($0),ms,app" } + ["2026-11-10,99,ms,app"]
      try lab.write("time,value,unit,target\n\(values.joined(separator: "\n"))\n", to: "app.csv")
      let output = try await lab.run("import", "app.csv", "--scenario", "app")
      #expect(output.status == 0, "\(output.stderr)")
      return lab
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
      #expect(output.stderr.contains("error: invalid value \"\(day)\" for \(option)"))
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

    @Test func `says that too little memory may be reserved`() async throws {
      var lab = try await lab()
      lab.wrapper = ["sh", "-c", "ulimit -v 780000; exec \"$@\"", "sh"]
      let output = try await lab.start(["measure", "--launches", "3", "--", "/bin/true"]).finish()
      #expect(output.status == 128)
      #expect(output.stderr.contains("error: at most 780000 KiB of memory may be reserved"))
      #expect(output.stderr.contains("help: raise the limit with `ulimit -v 1572864`"))
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
  }
}
