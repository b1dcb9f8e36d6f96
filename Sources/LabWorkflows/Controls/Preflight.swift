import LabHost
import LabModel

/// What is known of a host that makes the numbers of a run worse, and that nobody has suppressed.
struct Preflight {
  let plan: Plan

  var warnings: [Diagnostic] {
    let suppressed = plan.scenario.controls?.suppressed ?? []
    return Doctor.preflight(for: plan).filter { !suppressed.contains($0.id) }
      .compactMap(\.warning)
  }
}
