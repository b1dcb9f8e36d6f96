import LabHost
import LabModel
import LabScenarios

/// Builds what a scenario measures, if it has a source.
struct SourceWorkflow {
  let request: RunRequest

  /// A scenario whose paths lead to what was built.
  struct Built {
    let scenario: Scenario
    let build: BuildRecord?
  }

  /// Builds the requested revision, unless it is there already.
  func scenario(_ observe: (RunEvent) -> Void) async throws -> Built {
    guard let source = request.scenario.source else {
      return Built(scenario: request.scenario, build: nil)
    }
    let builds = SourceBuild(
      source: source,
      cache: "\(request.storeDirectory)/builds",
      interrupt: try InterruptFlag.onSignals.get()
    )
    let build = try await builds.build(request.revision) { observe(.building($0)) }
    observe(.built(build))
    let scenario = request.scenario.rebased(from: source.repository, to: build.directory)
    return Built(scenario: scenario, build: build)
  }
}
