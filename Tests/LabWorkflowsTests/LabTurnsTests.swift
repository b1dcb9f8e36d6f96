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
}
