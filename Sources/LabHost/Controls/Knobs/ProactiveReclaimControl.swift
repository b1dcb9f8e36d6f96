import LabModel

/// Switches agents off that reclaim idle pages by themselves.
///
/// Sources: Linux, Documentation/admin-guide/mm/damon/usage.rst and reclaim.rst.
struct ProactiveReclaimControl: Control {
  let name = ControlName.proactiveReclaim
  let wanted = "none"

  func obstacle(in tree: HostTree) -> String? {
    guard reading(in: tree) == nil else { return nil }
    return "only root can see the state of DAMON: run as root"
  }

  func reading(in tree: HostTree) -> String? { ProactiveReclaim(tree: tree).receipt.after }

  func changes(in tree: HostTree) -> [Change] {
    ProactiveReclaim(tree: tree).switches.map { path, value in
      .value(path: path, before: value, after: value == "Y" ? "N" : "off")
    }
  }
}
