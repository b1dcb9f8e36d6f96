import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

@Suite(.temporaryDirectory) struct LabTurnsTests {
  private func wait(_ limit: String, in context: WorkflowContext) async throws {
    let patience = try LabPatience(limit) { _ in }
    try await LabPatience.$current.withValue(patience) {
      try await context.lab(for: ["launchlab", "measure"]) { _ in }
    }
  }

  @Test func `stops to wait for another lab when its own context is interrupted`() async throws {
    let context = WorkflowContext.fake()
    let other = try context.session(for: ["launchlab", "run"])
    defer { other.end() }
    try context.interrupt().set()
    await #expect(throws: HostError.interrupted) { try await wait("2s", in: context) }
  }

  @Test func `says how long it has waited for another lab`() async throws {
    let context = WorkflowContext.fake()
    let other = try context.session(for: ["launchlab", "run"])
    let error = await #expect(throws: HostError.self) { try await wait("10ms", in: context) }
    guard case .labBusy(_, _, "10ms") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    other.end()
    try await wait("10ms", in: context)
  }

  @Test func `queues in the kernel for the lock of another lab`() async throws {
    let other = try WorkflowContext.fake().session(for: ["launchlab", "run"])
    async let waiting: Void = wait("10m", in: .fake())
    let pid = "\(ProcessInfo.processInfo.processIdentifier)"
    func isQueued() throws -> Bool {
      try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        .contains { line in
          let words = line.split(separator: " ")
          return words.contains("->") && words.contains("FLOCK") && words.contains(pid[...])
        }
    }
    while try !isQueued() { try await Task.sleep(for: .milliseconds(1)) }
    other.end()
    try await waiting
    try WorkflowContext.fake().session(for: ["launchlab", "run"]).end()
  }

  @Test func `launches that wait keep no other task from its thread`() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    let end = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          var context = WorkflowContext.fake()
          context.environment["LAUNCHLAB_STATE_DIR"] = "\(TemporaryDirectory.path)/\(number)"
          try await context.lab(for: ["launchlab", "measure"]) { _ in
            // As many as wait are let go by a task that has to find a thread.
            Task.detached { end.signal() }
            Self.block(on: end)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func block(on semaphore: DispatchSemaphore) { semaphore.wait() }
}
