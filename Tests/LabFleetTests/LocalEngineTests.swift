import Foundation
import Glibc
import LabTestSupport
import LaunchCore
import Subprocess
import Testing

@testable import FleetEngines

@Suite(.temporaryDirectory) struct LocalEngineTests {
  let engine = LocalEngine(hosts: ["a", "b/c"], directory: TemporaryDirectory.path + "/fleet")

  private func release(_ name: String = "go") throws {
    let path = "\(TemporaryDirectory.path)/\(name)"
    try "".write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test func `runs a job with its directory and variables`() async throws {
    let script = """
      pwd
      printf %s "$ODD" >odd
      until [ -e go ]; do sleep 0.02; done
      """
    let work = FleetWork.shell(script, name: "n/1|'x", on: "b/c", environment: ["ODD": oddText])
    #expect(try await engine.jobs().isEmpty)
    try await engine.submit(work)
    let job = try #require(try await engine.job(work.name))
    try await eventually("start") { content("odd") == oddText }
    let running = try #require(try await engine.job(work.name))
    #expect(running.id == job.id && running.reason == nil)
    #expect(running.running != nil)
    let reason = "a job n%2f1%7c%27x waits or runs already"
    await #expect(throws: FleetEngineError.refused(reason: reason)) {
      try await engine.submit(work)
    }
    try release()
    try await eventually("end") { try await engine.jobs().isEmpty }
    #expect(content("fleet/n%2f1%7c%27x.log") == TemporaryDirectory.path + "\n")
    // The same name again is another job.
    try await engine.submit(work)
    try await eventually("end") { try await engine.jobs().isEmpty }
    try await engine.cancel([job])
  }

  @Test func `runs jobs one at a time`() async throws {
    let script = """
      mkdir alone || echo >together
      echo $$ >>ran
      until [ -e go ]; do sleep 0.02; done
      rmdir alone
      """
    let works = ["a", "b/c", "a"].map { FleetWork.shell(script, on: $0) }
    for work in works { try await engine.submit(work) }
    try await eventually("start") { content("ran") != nil }
    let jobs = try await engine.jobs()
    #expect(jobs.count == 3)
    #expect(jobs.count { $0.running != nil } == 1)
    #expect(jobs.count { $0.reason == "waits for its turn" } == 2)
    // One that waits can be cancelled.
    let waiting = try #require(jobs.first { $0.running == nil })
    try await engine.cancel([waiting])
    try await eventually("end") { try await engine.job(waiting.name) == nil }
    try release()
    try await eventually("end") { try await engine.jobs().isEmpty }
    #expect(content("together") == nil)
    #expect(content("ran")?.split(separator: "\n").count == 2)
  }

  @Test func `tells a job once that it shall end`() async throws {
    let script = """
      trap 'echo TERM >>ended; count=x$count' TERM
      echo >began
      while [ "$count" != x ] || [ ! -e go ]; do sleep 0.02; done
      """
    let work = FleetWork.shell(script, on: "a")
    try await engine.submit(work)
    try await eventually("start") { content("began") != nil }
    let job = try #require(try await engine.job(work.name))
    try await engine.cancel([job])
    try await eventually("signal") { content("ended") != nil }
    #expect(try await engine.job(work.name) != nil)
    try release()
    try await eventually("end") { try await engine.jobs().isEmpty }
    #expect(content("ended") == "TERM\n")
    try await engine.cancel([job, FleetJob(id: "1", name: "never")])
  }

  @Test func `ends a job at its limit, by force if it must`() async throws {
    var engine = engine
    engine.killWait = .milliseconds(100)
    let work = FleetWork.shell(
      "trap 'echo TERM >ended' TERM; while :; do sleep 0.02; done",
      on: "a",
      timeLimit: .milliseconds(200)
    )
    try await engine.submit(work)
    try await eventually("end") { try await engine.jobs().isEmpty }
    #expect(content("ended") == "TERM\n")
  }

  @Test func `finds what is left of a job without the process that watches it`() async throws {
    let work = FleetWork.shell("echo $PPID >began; exec sleep 3600", on: "a")
    try await engine.submit(work)
    try await eventually("start") { content("began")?.hasSuffix("\n") == true }
    let watcher = try #require(content("began").flatMap { pid_t($0.dropLast()) })
    let file = try #require(content("fleet/\(work.name).job"))
    #expect(file.hasPrefix("\(watcher)\n\(watcher) "))
    try #require(kill(watcher, SIGKILL) == 0)
    try await eventually("end") {
      try await engine.cancel(engine.jobs())
      return try await engine.jobs().isEmpty
    }
  }

  @Test func `is not bound to who submits it`() async throws {
    let work = FleetWork.shell("cut -d ' ' -f 6,7 /proc/$$/stat >session; exec sleep 3600", on: "a")
    try await engine.submit(work)
    try await eventually("start") { content("session")?.hasSuffix("\n") == true }
    let fields = try #require(content("session")).split { " \n".contains($0) }.map { Int32($0) }
    // A session of its own without a terminal: neither Ctrl-C nor a hang-up reaches it.
    #expect(fields.first != getsid(0))
    #expect(fields.last == 0)
    try await engine.cancel(engine.jobs())
    try await eventually("end") { try await engine.jobs().isEmpty }
  }

  @Test func `starts nothing on a drained host`() async throws {
    #expect(try await engine.hosts() == [FleetHost(name: "a"), FleetHost(name: "b/c")])
    let first = FleetWork.shell("until [ -e go ]; do sleep 0.02; done", on: "a")
    try await engine.submit(first)
    let second = FleetWork.shell("echo >ran", name: "second", on: "b/c")
    try await eventually("start") { try await engine.job(first.name)?.running != nil }
    try await engine.submit(second)
    try await engine.drain("b/c", because: "slow\non 3 nights")
    #expect(try await engine.hosts().map(\.obstacle) == [nil, "drained: slow on 3 nights"])
    try release()
    try await eventually("end") { try await engine.jobs().isEmpty }
    #expect(content("ran") == nil)
    #expect(content("fleet/second.log") == "the host is drained, nothing was started\n")
    let reason = "b/c is drained: slow on 3 nights"
    await #expect(throws: FleetEngineError.refused(reason: reason)) {
      try await engine.submit(second)
    }
    try FileManager.default.removeItem(atPath: TemporaryDirectory.path + "/fleet/b%2fc.drained")
    try await engine.submit(second)
    try await eventually("end") { content("ran") != nil }
  }

  @Test func `says what it cannot do`() async throws {
    try release("file")
    let odd = LocalEngine(hosts: ["a"], directory: TemporaryDirectory.path + "/file")
    for call: @Sendable () async throws -> Void in [
      { try await odd.submit(.shell("true", on: "a")) }, { try await odd.drain("a", because: "x") },
    ] {
      let error = await #expect(throws: FleetEngineError.self) { try await call() }
      guard case .refused(let reason) = error, reason.contains("/file") else {
        throw error ?? .noCommand("none")
      }
    }
  }
}
