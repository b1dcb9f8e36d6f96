import LabTestSupport
import Testing

@testable import LabChecks
@testable import LaunchCore
@testable import Measuring
@testable import Scenarios

@Suite(.temporaryDirectory) struct DoctorWorkflowTests {
  @Test func `names the nearest id of one that does not exist`() {
    #expect(
      text(of: ["boost", "governer"]) == """
        error: invalid value "governer" for --suppress
          help: give governor
        """
    )
  }

  @Test func `lists the ids for one that is like none`() throws {
    let message = try #require(text(of: ["everything"]))
    #expect(message.contains("give one of: root, drop-caches, "))
  }

  @Test func `the scenario template names ids that exist`() throws {
    let text = ScenarioTemplate.text()
    let found = try #require(text.firstMatch(of: /suppress: \[([a-z, -]+)\]/))
    try Preflight.check(found.1.split(separator: ", ").map { String($0) })
  }

  @Test func `keeps what is suppressed apart`() throws {
    let id = try #require(DoctorWorkflow.ids.last)
    let findings = try DoctorWorkflow(suppressed: [id], in: .fake()).findings()
    #expect(findings.capabilities.map(\.id) == DoctorWorkflow.ids)
    #expect(findings.suppressed == [id])
    #expect(findings.host.fingerprint.count == 32)
  }

  /// What is said of ids; nil when they are all known.
  private func text(of ids: [String]) -> String? {
    do throws(WorkflowError) {
      try Preflight.check(ids)
      return nil
    } catch {
      return error.diagnostics.map(\.description).joined(separator: "\n")
    }
  }
}
