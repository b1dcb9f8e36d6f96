import Builds
import Foundation
import LaunchCore
import LaunchHost
import Scenarios

/// Prepares the program that does not change, which is launched every night as `control`.
struct ControlWorkflow {
  let scenario: Scenario
  let cache: CacheLocation
  let context: WorkflowContext

  /// The control as a target, and what is to be known of it.
  struct Control: Hashable {
    var target: Target
    var notes: [Diagnostic] = []
  }

  /// The control as a target, before anything is built or copied for it.
  ///
  /// - Returns: Nil for a scenario without a control.
  static func target(of scenario: Scenario) -> Target? {
    switch scenario.control {
    case nil: return nil
    case .command(let command):
      return Target(name: Arm.controlTarget, command: command, directory: scenario.directory)
    case .revision(_, let name):
      guard let named = scenario.targets.first(where: { $0.name == name }) else { return nil }
      var target = named.withPlainLaunchesOnly
      target.name = Arm.controlTarget
      return target
    }
  }

  /// Makes the target of the control.
  ///
  /// - Returns: The target; nil for a scenario without a control.
  /// - Throws: `HostError` when its program is not there, or its revision cannot be built.
  func control() async throws -> Control? {
    switch scenario.control {
    case nil: nil
    case .command: try Self.target(of: scenario).map(pinned)
    case .revision(let revision, _): try await built(revision)
    }
  }

  private func built(_ revision: String) async throws -> Control? {
    guard let source = scenario.source else { return nil }
    let build = try await cache.build(revision, of: source, in: context)
    let rebased = scenario.rebased(from: source.repository, to: build.directory)
    guard let target = Self.target(of: rebased) else { return nil }
    return Control(target: target, notes: (build.missingSubmodules ?? []).map(Diagnostic.missing))
  }

  /// Launches the copy of the program that was made in the first night, since updates of the system
  /// replace the program itself.
  private func pinned(_ target: Target) throws -> Control {
    let program = try LaunchedFiles(of: target, in: scenario).program
    switch Movability(ofProgram: program) {
    case .movable: break
    case .script: return inPlace(target, "\"\(program)\" is a script, which may look beside itself")
    case .fixed(let reason): return inPlace(target, "\"\(program)\" \(reason)")
    }
    do {
      return Control(target: try replaced(target, program: program))
    } catch HostError.placeRefused(let path, let refusal) {
      throw HostError.placeRefused(path: path, refusal)
    } catch let error as any LabError {
      let problem = error.diagnostics.first?.problem ?? "the copy cannot be made"
      return inPlace(target, problem, severity: .warning)
    }
  }

  private func replaced(_ target: Target, program: String) throws -> Target {
    let name = (program as NSString).lastPathComponent
    let command = [program] + target.command.dropFirst()
    var target = target
    if let pinned = cache.pins.program(of: command, in: scenario.name),
      let copy = cache.artifacts.copy(of: pinned, named: name)
    {
      target.command[0] = copy
      return target
    }
    let artifact = try ArtifactCache.artifact(at: program)
    target.command[0] = try cache.artifacts.keep(artifact, as: name)
    do {
      try cache.pins.pin(artifact, of: command, in: scenario.name)
    } catch let error as HostError {
      throw error
    } catch {
      throw WorkflowError.cannotWrite(path: "\(cache.directory)/pins", reason: "\(error)")
    }
    return target
  }

  private func inPlace(
    _ target: Target,
    _ reason: String,
    severity: Diagnostic.Severity = .note
  ) -> Control {
    let note = Diagnostic(
      severity,
      id: "control-in-place",
      problem: "the control is launched where it is installed, not from a copy of its first night: "
        + reason,
      place: "target \"\(Arm.controlTarget)\"",
      remedy: severity == .note
        ? "name an ELF program that needs nothing beside itself, or a revision of the source"
        : "make room on the disk of the store, or let its directory be written to"
    )
    return Control(target: target, notes: [note])
  }
}
