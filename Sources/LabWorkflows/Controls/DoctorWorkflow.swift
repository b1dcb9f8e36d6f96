import LabHost
package import LabModel
import LabScenarios

/// Finds out what this host can and cannot do.
package struct DoctorWorkflow {
  /// The ids of all capabilities, in their order.
  package static let ids = Doctor.ids

  private let suppressed: Set<String>

  /// - Parameter suppressed: The ids of what is known and meant to stay as it is.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for an id that does not exist.
  package init(suppressed: [String] = []) throws(WorkflowError) {
    try Self.check(suppressed)
    self.suppressed = Set(suppressed)
  }

  /// Refuses ids that do not exist, and names the nearest one.
  package static func check(_ suppressed: some Sequence<String>) throws(WorkflowError) {
    guard let unknown = suppressed.first(where: { !ids.contains($0) }) else { return }
    throw .badOption(
      name: "--suppress",
      value: unknown,
      expected: nearestWord(to: unknown, in: ids) ?? "one of: \(ids.joined(separator: ", "))"
    )
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
    if let directory = try? JournalDirectory() {
      record.holder = LabLock.holder(in: directory).map { holder in
        "pid \(holder.pid) of \(holder.user): \(holder.command.joined(separator: " "))"
      }
      record.leftovers = ControlJournal.stale(in: directory).filter(\.isPending).count
    }
    record.noise = HostStore.noise(of: host.fingerprint)
    return record
  }
}
