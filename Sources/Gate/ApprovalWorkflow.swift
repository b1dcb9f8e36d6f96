import Foundation
package import LaunchCore
import LaunchHost
package import Measuring
import Scenarios

/// Writes down that something may be part of a launch.
package struct ApprovalWorkflow {
  private let path: String
  private let approval: GateApproval
  private let today: String

  /// - Parameters:
  ///   - item: What is approved, as `library:libfoo.so.1`.
  ///   - scenario: The path of the scenario whose file of approvals is extended.
  ///   - context: What day it is.
  ///   - approval: Makes the approval of a kind and a name.
  /// - Throws: `ScenarioError`, and `WorkflowError` for an item of another form.
  package init(
    _ item: String,
    scenario: String,
    in context: WorkflowContext,
    approval: (GateApproval.Kind, String) -> GateApproval
  ) throws {
    let parts = item.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty,
      let kind = GateApproval.Kind(rawValue: String(parts[0]))
    else {
      throw WorkflowError.badOption(
        name: "item",
        value: item,
        expected: "a kind and a name, such as library:libfoo.so.1, initializer:NAME or task:NAME"
      )
    }
    let approval = approval(kind, String(parts[1]))
    self.approval = approval
    if approval.name.contains("*"), !approval.isPattern {
      throw WorkflowError.badOption(
        name: "item",
        value: item,
        expected: "--pattern with it, so that * stands for anything"
      )
    }
    if let library = approval.library, kind == .library {
      throw WorkflowError.badOption(
        name: "--in",
        value: library,
        expected: "it with an initializer or a task only"
      )
    }
    if let until = approval.until, ImportedTime.day(until) == nil {
      throw WorkflowError.badOption(
        name: "--until",
        value: until,
        expected: "a day such as 2027-01-31"
      )
    }
    today = context.day
    if let until = approval.until, approval.hasExpired(on: today) {
      throw WorkflowError.badOption(
        name: "--until",
        value: until,
        expected: "today or a later day, since the approval ends with it"
      )
    }
    path = GateWorkflow.approvalsPath(of: try ScenarioFile.load(path: scenario))
  }

  /// Adds the approval to the file, unless one for the same is there.
  ///
  /// - Returns: What was done, in one line.
  /// - Throws: `ScenarioError` where the file has mistakes, or would have some; `WorkflowError` where
  ///   it cannot be written.
  package func run() throws -> String {
    let name = "\(approval.kind.rawValue) \(approval.name)"
    let known = try ApprovalsFile.approvals(at: path)
    let isKnown = known.contains { other in
      other.covers(approval.kind, approval.name, in: approval.library)
        && !other.hasExpired(on: today)
    }
    guard !isKnown else { return "\(name) is approved already in \(path)" }
    let before = try? String(contentsOfFile: path, encoding: .utf8)
    let text = ApprovalsFile.text(before, adding: approval)
    _ = try ApprovalsFile.approvals(in: text, path: path)
    try WholeFile(path).write { try $0(text) }
    return "approved \(name) in \(path)"
  }
}
