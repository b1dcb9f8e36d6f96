import Foundation
import LabHost
package import LabModel
import LabScenarios
import LabStore

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
    try Self.check(suppressed)
    self.suppressed = Set(suppressed)
    self.context = context
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

/// Where what is known of the host itself is kept.
enum HostStore {
  /// The path that was asked for, or `launchlab/launchlab.sqlite` in the state directory of the user.
  ///
  /// - Parameters:
  ///   - asked: Absolute, or relative to the working directory.
  ///   - context: A `XDG_STATE_HOME` that is not absolute is passed over, as the XDG Base Directory
  ///     Specification wants it.
  /// - Returns: An absolute path.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` when there is no home directory.
  static func path(_ asked: String?, in context: WorkflowContext) throws -> String {
    if let asked { return StoreLocation.path(asked, beside: context.directory) }
    let environment = context.environment
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let directory = state ?? home.map({ "\($0)/.local/state" }) else {
      throw WorkflowError.badOption(
        name: "HOME",
        value: environment["HOME"] ?? "",
        expected: "an absolute HOME, or name the file with --store"
      )
    }
    return "\(directory)/launchlab/launchlab.sqlite"
  }

  /// What self-tests have found of a host, the newest of each state and command; empty when there
  /// was none, or it cannot be read.
  static func noise(of fingerprint: String, in context: WorkflowContext) -> [HostNoise] {
    guard let path = try? path(nil, in: context),
      FileManager.default.fileExists(atPath: path),
      let store = try? Store(path: path, mode: .readOnly)
    else { return [] }
    return (try? store.noise(fingerprint: fingerprint)) ?? []
  }
}

/// What is known of a host that makes the numbers of a run worse, and that nobody has suppressed.
struct Preflight {
  let plan: Plan

  var warnings: [Diagnostic] {
    let suppressed = plan.scenario.controls?.suppressed ?? []
    return Doctor.preflight(for: plan).filter { !suppressed.contains($0.id) }
      .compactMap(\.warning)
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
  package func run() throws -> Recovery {
    let directory = try JournalDirectory(environment: context.environment)
    let lock = try LabPatience.turn { () throws(HostError) in
      try LabLock(in: directory, command: CommandLine.arguments)
    }
    defer { lock.release() }
    var recovery = Leftovers(in: directory).recover()
    recovery.notes += lock.notes
    return recovery
  }
}
