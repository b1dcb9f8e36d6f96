package import Foundation
package import LaunchCore

// What a fleet asks a depot: which of its slots are met.

extension Depot {
  /// The proofs that hosts of a fleet have made of a scenario, and whose file is there.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - nights: The labels of the first and the last night.
  /// - Returns: In the order in which they were stored.
  /// - Throws: ``DepotError``.
  package func proofs(
    of scenario: String,
    nights: ClosedRange<String>
  ) async throws -> [DepotNight.Run] {
    try await answer(
      to: """
        \(Self.list) (SELECT \(Self.slotRun) FROM launchlab.run r
          WHERE purpose = 'proof' AND scenario = \(psql.literal(scenario))
            AND slot_night BETWEEN \(psql.literal(nights.lowerBound)) AND \(psql.literal(nights.upperBound))
            AND EXISTS (SELECT FROM launchlab.run_file f WHERE f.run = r.key) ORDER BY key) item;
        """,
      from: 2,
      limit: Self.mostBytes
    ).decoded(line: 0)
  }

  private static let slotRun = """
    slot_host AS host, scenario, purpose, id, key, extract(epoch FROM received_at) AS received_at
    """

  /// What is known of a night of a fleet.
  ///
  /// - Parameter night: Its label.
  /// - Returns: The complete runs, and what kept hosts from measuring, the oldest first.
  /// - Throws: ``DepotError``.
  package func night(_ night: String) async throws -> DepotNight {
    let literal = try psql.literal(night)
    let answer = try await answer(
      to: """
        \(Self.list) (SELECT \(Self.slotRun)
          FROM launchlab.run WHERE slot_night = \(literal) ORDER BY key) item;
        \(Self.list) (SELECT slot_host AS host, scenario, problem, extract(epoch FROM received_at) AS received_at
          FROM launchlab.problem WHERE slot_night = \(literal) ORDER BY received_at) item;
        """,
      from: 2,
      limit: Self.mostBytes
    )
    return DepotNight(runs: try answer.decoded(line: 0), problems: try answer.decoded(line: 1))
  }

  /// Stores why a host could not measure.
  ///
  /// - Parameters:
  ///   - problem: A sentence; the first line of it is kept.
  ///   - slot: Where it was to measure.
  ///   - scenario: What; nil for all of it.
  /// - Throws: ``DepotError``.
  package func tell(_ problem: String, of slot: FleetSlot, scenario: String?) async throws {
    let line = problem.split(whereSeparator: \.isNewline).first.map(String.init) ?? "unknown"
    let shown = String(line.filter { $0 != "\0" })
    let name = try scenario.map(psql.literal) ?? "NULL"
    _ = try await answer(
      to: """
        SELECT launchlab.tell(\(psql.literal(slot.night)), \(psql.literal(slot.host)), \(name),
          \(psql.literal(shown)));
        """
    )
  }
}

/// What a depot knows of a night of a fleet.
package struct DepotNight: Hashable, Sendable {
  package var runs: [Run] = []
  package var problems: [Problem] = []

  /// A complete run of a host.
  package struct Run: Hashable, Decodable, Sendable {
    /// As the fleet names it.
    package var host: String

    package var scenario: String
    package var purpose: RunRecord.Purpose
    package var id: String

    /// The number of the run in the depot.
    package var key: Int64

    package var receivedAt: Date

    package init(
      host: String,
      scenario: String,
      purpose: RunRecord.Purpose = .night,
      id: String,
      key: Int64 = 1,
      receivedAt: Date
    ) {
      self.host = host
      self.scenario = scenario
      self.purpose = purpose
      self.id = id
      self.key = key
      self.receivedAt = receivedAt
    }
  }

  /// Why a host could not measure.
  package struct Problem: Hashable, Decodable, Sendable {
    /// As the fleet names it.
    package var host: String

    /// Nil for all of them.
    package var scenario: String?

    package var problem: String
    package var receivedAt: Date

    package init(host: String, scenario: String?, problem: String, receivedAt: Date) {
      self.host = host
      self.scenario = scenario
      self.problem = problem
      self.receivedAt = receivedAt
    }
  }
}
