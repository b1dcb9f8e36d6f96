import LaunchCore

/// Finds what reclaims idle pages by itself, and so cools a warm program between launches.
struct ProactiveReclaim {
  var tree: HostTree

  /// The agents that are on, such as `DAMON pageout`, joined by commas; nil when there are none.
  ///
  /// Source: the kernel's admin-guide/mm/damon/usage.rst and reclaim.rst.
  var description: String? {
    var agents = Set(schemes)
    let isOn = tree.text(at: "sys/module/damon_reclaim/parameters/enabled") == "Y"
    if isOn { agents.insert("DAMON reclaim") }
    return agents.isEmpty ? nil : agents.sorted().joined(separator: ", ")
  }

  /// What is said of it in a run; the kernel tells the state of an agent only to root.
  var receipt: ControlReceipt {
    let isHidden = agents.contains { tree.text(at: "\($0)/state") == nil }
    let found = description ?? (isHidden ? nil : "none")
    return ControlReceipt(
      name: "proactive_reclaim",
      before: found,
      after: found,
      status: found == nil ? .unavailable : .observed,
      reason: found == nil ? "only root can see the state of DAMON" : nil
    )
  }

  private var agents: [String] { directories(in: "sys/kernel/mm/damon/admin/kdamonds") }

  /// The files that switch the agents off which are on, and what they hold.
  var switches: [(path: String, value: String)] {
    let enabled = "sys/module/damon_reclaim/parameters/enabled"
    let reclaiming = agents.filter {
      tree.text(at: "\($0)/state") == "on" && !actions(of: $0).isEmpty
    }
    return reclaiming.map { ("\($0)/state", "on") }
      + (tree.text(at: enabled) == "Y" ? [(enabled, "Y")] : [])
  }

  private var schemes: [String] {
    agents
      .filter { tree.text(at: "\($0)/state") == "on" }
      .flatMap { actions(of: $0) }
      .map { "DAMON \($0)" }
  }

  /// What the schemes of an agent do that cools pages.
  private func actions(of agent: String) -> [String] {
    directories(in: "\(agent)/contexts")
      .flatMap { directories(in: "\($0)/schemes") }
      .compactMap { tree.text(at: "\($0)/action") }
      .filter { ["pageout", "cold", "lru_deprio"].contains($0) }
  }

  private func directories(in path: String) -> [String] {
    tree.names(in: path).filter { Int($0) != nil }.map { "\(path)/\($0)" }
  }
}
