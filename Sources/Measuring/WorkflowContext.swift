package import Foundation
package import LaunchCore
package import LaunchHost
package import LaunchStore

/// What workflows have of the world around them; tests give them another one.
package struct WorkflowContext {
  /// Makes the laboratory of a plan, whose private directories go below a directory.
  package typealias LaboratoryFactory = (Plan, String, LabSession, InterruptFlag) async throws ->
    any LaunchLaboratory

  /// The time of day.
  package var now: () -> Date

  /// The variables of launchlab, which also say where the lab lock is.
  package var environment: [String: String]

  /// The absolute path of the working directory.
  package var directory: String

  /// Gives the flag that ends what goes on in good order; a signal sets it from then on.
  package var interrupt: () throws(HostError) -> InterruptFlag

  package var laboratory: LaboratoryFactory

  /// Told what goes on, between launches only.
  package var observe: (RunEvent) -> Void

  /// This machine, with nobody who is told what goes on.
  package static var live: Self {
    Self(
      now: { Date() },
      environment: ProcessInfo.processInfo.environment,
      directory: FileManager.default.currentDirectoryPath,
      interrupt: { () throws(HostError) in try InterruptFlag.onSignals.get() },
      laboratory: { plan, directory, session, interrupt in
        try await HostLaboratory(
          plan: plan,
          directory: directory,
          session: session,
          interrupt: interrupt
        )
      },
      observe: { _ in }
    )
  }

  /// The same world, with somebody who is told what goes on.
  package func telling(_ observe: @escaping (RunEvent) -> Void) -> Self {
    var context = self
    context.observe = observe
    return context
  }

  /// The path of a directory of the user.
  ///
  /// - Parameters:
  ///   - kind: Which one.
  ///   - remedy: What is to be given where there is none.
  /// - Returns: An absolute path.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` when there is no home directory.
  package func directory(
    _ kind: UserDirectory,
    else remedy: String
  ) throws(WorkflowError) -> String {
    if let path = kind.path(in: environment) { return path }
    throw .badOption(name: "HOME", value: environment["HOME"] ?? "", expected: remedy)
  }

  /// Takes the lab lock, without waiting.
  ///
  /// - Throws: As `LabSession.init`.
  package func session(for command: [String]) throws(HostError) -> LabSession {
    try LabSession(command: command, in: JournalDirectory(environment: environment))
  }
}

extension Store {
  /// Opens a store for writing, or makes one.
  ///
  /// - Throws: `StoreError`, and `HostError` for files that others could have put there.
  package static func writable(at path: String) throws -> Store {
    try StoreFile(path).opened { try Store(path: path, mode: .readWrite) }
  }
}
