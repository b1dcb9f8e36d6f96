import Foundation
import Glibc
import LabTestSupport
import Testing

extension EndToEnd {
  /// One run at a time has the host.
  @Suite struct LabLockTests {
    @Test(arguments: [
      ["measure", "--", "/bin/true"], ["selftest", "--", "/bin/true"], ["restore"],
    ])
    func `keeps others out while a run goes on, and says who it is`(
      arguments: [String]
    ) async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()

      let output = try await lab.start(arguments).finish()

      #expect(output.status == 128)
      #expect(output.stderr.contains("process \(holder.pid) of "))
      #expect(output.stderr.contains("\"launchlab measure -- ./program\""))
      #expect(output.stderr.contains("help: "))
      #expect(output.stdout == "")
      #expect(holder.tool.process.isRunning)
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
      #expect(holder.leftovers == [])
      #expect(try await lab.runs().count == 1)
    }

    @Test func `lets readers in while a run goes on`() async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()

      let history = try await lab.start(["history"]).finish()
      let doctor = try await lab.start(["doctor"]).finish()

      #expect(history.status == 0)
      #expect(doctor.status == 0)
      #expect(doctor.stdout.contains("pid \(holder.pid) of "))
      holder.send(SIGINT)
      #expect(try await holder.finish().status == 130)
    }

    @Test func `is free again when its holder is killed`() async throws {
      let lab = Launchlab()
      let holder = try await lab.startSleeping()

      holder.send(SIGKILL)
      _ = try await holder.finish()
      let next = try await lab.run("measure", "--launches", "3", "--", "/bin/true")

      #expect(next.status == 0, "\(next.stderr)")
      #expect(try await eventually { holder.leftovers.isEmpty })
    }
  }
}

extension Launchlab {
  /// Starts a run whose first launch goes on until it is ended.
  fileprivate func startSleeping() async throws -> Session {
    try writeProgram("open F, '>', 'begun'; close F; sleep 600 while 1")
    let session = try start(["measure", "--timeout", "600s", "--", "./program"])
    try #require(try await eventually { exists("begun") })
    return session
  }
}
