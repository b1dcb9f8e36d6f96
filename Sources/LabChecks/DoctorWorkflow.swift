// LabChecks: whether this host is fit for measuring.
//
// `DoctorWorkflow` asks what the host can and cannot do (the checks themselves are in LaunchHost/Doctor) and
// `DoctorText` shows it. `SelfTest` launches a program against itself: `SelfTestWorkflow` runs it,
// `SelfTestSummary` says how small an effect the host can detect and how often it would raise
// a false alarm, `StabilityRanking` orders hosts. `RestoreWorkflow` undoes what killed labs have left,
// `FilesWorkflow` shows which files count as a target's own, and `ProbeSweepWorkflow` tries the probe on every
// program.

import Foundation
package import LaunchCore
import LaunchHost
package import Measuring

/// Finds out what this host can and cannot do.
package struct DoctorWorkflow {
  /// The ids of all capabilities, in their order.
  package static let ids = Doctor.ids

  private let suppressed: Set<String>
  private let context: WorkflowContext

  /// - Parameters:
  ///   - suppressed: The ids of what is known and meant to stay as it is.
  ///   - context: Where launchlab keeps what it knows.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for an id that does not exist.
  package init(suppressed: [String], in context: WorkflowContext) throws(WorkflowError) {
    try Preflight.check(suppressed)
    self.suppressed = Set(suppressed)
    self.context = context
  }

  /// Examines the machine; it takes some tens of milliseconds.
  package func findings() -> DoctorFindings {
    let host = Doctor.facts
    let record = record(of: host)
    return DoctorFindings(
      host: host,
      capabilities: Doctor(record: record).capabilities(),
      noise: record.noise,
      suppressed: suppressed
    )
  }

  /// What launchlab itself has kept about a host.
  private func record(of host: HostFacts) -> LabRecord {
    var record = LabRecord()
    if let directory = try? JournalDirectory(environment: context.environment) {
      record.holder = LabLock.holder(in: directory).map { holder in
        "pid \(holder.pid) of \(holder.user): \(holder.command.joined(separator: " "))"
      }
      record.leftovers = ControlJournal.stale(in: directory).filter(\.isPending).count
    }
    record.noise = HostStore.noise(of: host.fingerprint, in: context)
    return record
  }
}

/// Takes the machine back to what it was before labs that could not do so themselves.
package struct RestoreWorkflow {
  private let context: WorkflowContext

  package init(in context: WorkflowContext) { self.context = context }

  /// Undoes what is left, with the lab lock held.
  ///
  /// - Returns: What was left, and what became of it.
  /// - Throws: `HostError` when another lab is at work, or the journals cannot be found.
  package func run() async throws -> Recovery {
    let directory = try JournalDirectory(environment: context.environment)
    let lock = try await LabPatience.turn(in: context) { () throws(HostError) in
      try LabLock(in: directory, command: CommandLine.arguments)
    }
    defer { lock.release() }
    var recovery = Leftovers(in: directory).recover()
    recovery.notes += lock.notes
    return recovery
  }
}
