import LabHost
import LabModel
import LabScenarios

/// Builds what a scenario measures, if it has a source, and adds its control.
struct SourceWorkflow {
  let request: RunRequest

  /// A scenario whose paths lead to what was built.
  struct Built {
    var scenario: Scenario
    let build: BuildRecord?
    var notes: [Diagnostic] = []
  }

  /// Builds the requested revision and that of the control, unless they are there already.
  func scenario(_ observe: (RunEvent) -> Void) async throws -> Built {
    let cache = CacheLocation(directory: request.storeDirectory)
    let control = try await ControlWorkflow(scenario: request.scenario, cache: cache)
      .control(observe)
    var (scenario, build) = try await built(in: cache, observe)
    if let control { scenario.targets.append(control.target) }
    let missing = (build?.missingSubmodules ?? []).map(Diagnostic.missing)
    return Built(scenario: scenario, build: build, notes: missing + (control?.notes ?? []))
  }

  private func built(
    in cache: CacheLocation,
    _ observe: (RunEvent) -> Void
  ) async throws -> (Scenario, BuildRecord?) {
    guard let source = request.scenario.source else { return (request.scenario, nil) }
    let build = try await cache.builder(of: source)
      .build(request.revision) { observe(.building($0)) }
    observe(.built(build))
    return (request.scenario.rebased(from: source.repository, to: build.directory), build)
  }
}

extension Diagnostic {
  /// A warning of a submodule that a build was made without.
  static func missing(_ submodule: MissingSubmodule) -> Self {
    Diagnostic(
      .warning,
      id: "submodule-missing",
      problem: "submodule \"\(submodule.path)\" is not available; built without it: "
        + submodule.reason,
      place: "commit \(submodule.commit.prefix(12)) of \(submodule.path)",
      remedy: "get it once with `git submodule update --init --recursive`, or say with "
        + "`submodules: required` or `off` what you want"
    )
  }
}
