import LaunchCore
package import LaunchDepot
import Measuring
import Rendering

/// Sets up and examines depots.
package struct DepotWorkflow {
  private let depot: Depot

  /// - Parameter address: The URI of the depot.
  /// - Throws: `DepotError`, ``WorkflowError/badOption(name:value:expected:)``.
  package init(_ address: String) throws { depot = Depot(try DepotLocation.address(address)) }

  /// What is known of a depot.
  package struct Report: Hashable, Sendable {
    package var address: DepotAddress
    package var state: DepotState
  }

  /// Makes the depot, or brings it up to date.
  ///
  /// - Throws: `DepotError`.
  package func make() async throws -> Report {
    try await depot.initialize()
    return try await check()
  }

  /// Looks at the depot, and changes nothing.
  ///
  /// - Throws: `DepotError`.
  package func check() async throws -> Report {
    Report(address: depot.address, state: try await depot.check())
  }

  /// Lets a login push the runs of a host from now on, in place of the one that pushed it first.
  ///
  /// - Parameters:
  ///   - host: Its identity or name, or what a fleet calls it.
  ///   - role: The login, or a role that several are members of.
  /// - Returns: What was moved, as lines.
  /// - Throws: `DepotError`.
  package func trust(_ host: String, to role: String) async throws -> String {
    try await depot.trust(host, to: role).map { moved in
      let kind = moved.kind == .host ? "the host with identity" : "the host of fleets called"
      return "\(kind) \(moved.name.printable) belongs to \(role.printable) now\n"
    }.joined()
  }

  /// Brings the depot up to date.
  ///
  /// - Throws: `DepotError`.
  package func migrate() async throws -> Report {
    try await depot.migrate()
    return try await check()
  }
}

extension DepotWorkflow.Report {
  /// Some lines for a terminal.
  package var text: String {
    let rights = state.rights
    let may = [rights.mayPush ? "push" : nil, rights.mayRead ? "read" : nil].compactMap(\.self)
    var lines = [
      "depot: \(address.description.printable), version \(state.version)",
      "  PostgreSQL \(rights.serverVersion), \(rights.tls.map { "with \($0)" } ?? "without TLS")",
      "  \(rights.user.printable) may \(may.isEmpty ? "neither push nor read" : may.joined(separator: " and "))",
    ]
    if !rights.hasRoles {
      lines.append("  no roles launchlab_push and launchlab_read: only a superuser can make them")
    }
    if let holdings = state.holdings {
      let newest = holdings.newestReceived.map { ", the newest at \(Quantity.instant($0))" } ?? ""
      lines.append(
        "  \(Quantity.count(holdings.runs, "run")) of \(Quantity.count(holdings.hosts, "host"))\(newest), "
          + Quantity.text(Double(holdings.bytes), .bytes)
      )
    }
    return lines.joinedLines()
  }
}

extension PushWorkflow.Summary {
  /// What was sent, as a line.
  package var text: String {
    let conclusions = concluded == 0 ? "" : ", alerts of \(Quantity.count(concluded, "scenario"))"
    return "pushed \(Quantity.count(stored, "run"))\(conclusions); \(known) there already"
  }
}
