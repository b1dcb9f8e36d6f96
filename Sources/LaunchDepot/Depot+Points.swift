package import Foundation
package import LaunchCore

/// The medians of one scenario on the newest nights of all hosts, without a file of any run.
///
/// A host counts with its nights since its fingerprint changed last, and of several runs of one night with
/// the newest. A run that somebody takes out of history before it is pushed is not there. One that is taken
/// out later, alerts and other breaks are in the conclusions of its host only, and thus not known here.
package struct DepotPoints: Sendable {
  /// The labels of the nights, ascending; the last is the one that is looked at.
  package let nights: [String]

  /// Ascending by name.
  package let hosts: [Host]

  package let series: [Series]

  /// By host, series and night; not a number without a value.
  private var medians: [Double]

  /// A host with its newest run of the scenario.
  package struct Host: Hashable, Decodable, Sendable {
    fileprivate let key: Int64
    package let identity: String

    /// The name in its newest run of any scenario.
    package let name: String

    /// The fingerprint.
    package let kind: String

    /// The host as the fleet names it.
    package let slotHost: String?

    /// The id of the run.
    package let run: String
    package let startedAt: Date

    /// The label of its night.
    package let night: String
  }

  /// What one median of each run is of.
  package struct Series: Hashable, Sendable {
    fileprivate let key: Int64
    package let target: String
    package let state: LaunchState
    package let metric: Metric
  }

  /// The values of a host in a series.
  ///
  /// - Parameters:
  ///   - host: Its place among the hosts.
  ///   - series: Its place among the series.
  /// - Returns: By the place of the night; not a number without one.
  package func medians(ofHost host: Int, series: Int) -> ArraySlice<Double> {
    let start = (host * self.series.count + series) * nights.count
    return medians[start..<start + nights.count]
  }
}

/// The newest run of a scenario of which a depot has the file.
package struct DepotNewestRun: Hashable, Decodable, Sendable {
  package let scenario: String

  /// The number of the run in the depot.
  package let key: Int64

  package let hostIdentity: String

  /// The id of the run.
  package let id: String

  /// The label of its night.
  package let night: String
}

extension Depot {
  /// The newest night of each scenario that has a file.
  ///
  /// - Parameters:
  ///   - scenario: Only of this scenario.
  ///   - night: The label of the last night that counts; nil for the newest.
  ///   - hosts: The identities of hosts whose runs do not count.
  /// - Returns: Ascending by the name of the scenario.
  /// - Throws: ``DepotError``.
  package func newestRuns(
    scenario: String? = nil,
    until night: String? = nil,
    besides hosts: [String] = []
  ) async throws -> [DepotNewestRun] {
    let only = try scenario.map { "WHERE scenario = \(try psql.literal($0))" } ?? ""
    let others = try hosts.map(psql.literal).joined(separator: ",")
    let counted =
      hosts.isEmpty
      ? ""
      : "AND r.host <> ALL (SELECT key FROM launchlab.host WHERE identity = ANY (ARRAY[\(others)]::text[]))"
    return try await answer(
      to: """
        \(Self.list) (SELECT s.scenario, r.key, h.identity AS host_identity, r.id, r.night
          FROM (SELECT DISTINCT scenario FROM launchlab.series \(only)) s CROSS JOIN LATERAL (
            SELECT key, host, id, night FROM launchlab.run r
            WHERE r.scenario = s.scenario \(nights(until: night)) \(counted) AND EXISTS (SELECT FROM launchlab.run_file f WHERE f.run = r.key)
            ORDER BY night DESC, started_at DESC LIMIT 1) r
          JOIN launchlab.host h ON h.key = r.host ORDER BY s.scenario) item;
        """,
      from: 2,
      limit: Self.mostBytes
    ).decoded(line: 0)
  }

  /// The medians of the newest nights of a scenario.
  ///
  /// The time grows with the nights that are asked for, and not with those that the depot has.
  ///
  /// - Parameters:
  ///   - scenario: Its name.
  ///   - metrics: Only of these metrics.
  ///   - night: The label of the last night that counts; nil for the newest.
  ///   - count: How many nights that any host has; 60 hold all that verdicts over hosts look at.
  /// - Returns: Those of targets and the control, not of the empty program.
  /// - Throws: ``DepotError``.
  package func points(
    of scenario: String,
    metrics: [Metric],
    until night: String? = nil,
    newest count: Int = 60
  ) async throws -> DepotPoints {
    let name = try psql.literal(scenario)
    let names = try metrics.map { try psql.literal($0.rawValue) }.joined(separator: ",")
    let runs = try "scenario = \(name) \(nights(until: night))"
    // Each aggregate below a LATERAL is one short look into an index. Compiling them takes longer.
    let answer = try await answer(
      to: """
        SET jit = off;
        WITH nights AS MATERIALIZED (
          SELECT night, row_number() OVER (ORDER BY night) - 1 AS place FROM (
            SELECT DISTINCT night FROM launchlab.run WHERE \(runs)
            ORDER BY night DESC LIMIT \(count)) d
        ), series AS MATERIALIZED (
          SELECT key, target, state, metric FROM launchlab.series
          WHERE scenario = \(name) AND target <> \(psql.literal(Arm.emptyTarget))
            AND metric = ANY (ARRAY[\(names)]::text[])
        ), runs AS MATERIALIZED (
          SELECT n.place, n.night, r.* FROM nights n CROSS JOIN LATERAL (
            SELECT DISTINCT ON (host) key, host, id, started_at, fingerprint, slot_host
            FROM launchlab.run WHERE \(runs) AND night = n.night
            ORDER BY host, started_at DESC, key DESC) r
        ), newest AS MATERIALIZED (
          SELECT DISTINCT ON (host) * FROM runs ORDER BY host, place DESC
        ), old AS MATERIALIZED (
          SELECT r.host, max(r.place) AS place FROM runs r JOIN newest n USING (host)
          WHERE r.fingerprint <> n.fingerprint GROUP BY r.host
        )
        SELECT 'N' || coalesce(json_agg(night ORDER BY place)::text, '[]') FROM nights
        UNION ALL SELECT 'S' || row_to_json(s) FROM series s
        UNION ALL SELECT 'H' || row_to_json(i) FROM (
          SELECT n.host AS key, h.identity, h.name, n.fingerprint AS kind, n.slot_host, n.id AS run,
            \(Self.seconds("n.started_at")) AS started_at, n.night
          FROM newest n JOIN launchlab.host h ON h.key = n.host) i
        UNION ALL SELECT 'P' || r.host || ' ' || r.place || ' ' || p.line
        FROM runs r LEFT JOIN old o USING (host) CROSS JOIN LATERAL (
          SELECT string_agg(p.series || ' ' || p.median, ' ') AS line FROM launchlab.point p
          WHERE p.run = r.key AND abs(p.median) <= 9e18 AND p.series = ANY (ARRAY(SELECT key FROM series))) p
        WHERE r.place > coalesce(o.place, -1) AND p.line IS NOT NULL;
        """,
      from: 2,
      limit: 4 * Self.mostBytes
    )
    return try DepotPoints(answer)
  }

  /// The condition for runs that are nights.
  private func nights(until night: String?) throws -> String {
    let until = try night.map { "AND night <= \(try psql.literal($0))" } ?? ""
    return "AND purpose IN ('night', 'imported') \(until)"
  }
}

// MARK: - Reading what is answered

extension DepotPoints {
  fileprivate init(_ answer: Answer) throws {
    var nights: [String]?
    var series: [Series] = []
    var hosts: [Host] = []
    var points: [Data] = []
    for line in answer.lines {
      let rest = line.dropFirst()
      switch line.first {
      case UInt8(ascii: "N"): nights = try answer.decoded(rest)
      case UInt8(ascii: "S"): if let one = Series(try answer.decoded(rest)) { series.append(one) }
      case UInt8(ascii: "H"): hosts.append(try answer.decoded(rest))
      case UInt8(ascii: "P"): points.append(rest)
      default: throw answer.oddness
      }
    }
    guard let nights else { throw answer.oddness }
    hosts.sort { ($0.name, $0.identity) < ($1.name, $1.identity) }
    series.sort { $0.key < $1.key }
    self.nights = nights
    self.series = series
    self.hosts = hosts
    medians = [Double](repeating: .nan, count: hosts.count * series.count * nights.count)
    let hostPlaces = Dictionary(uniqueKeysWithValues: zip(hosts.map(\.key), hosts.indices))
    let seriesPlaces = Dictionary(uniqueKeysWithValues: zip(series.map(\.key), series.indices))
    for point in points {
      var numbers = NumberLine([UInt8](point))
      guard let host = numbers.integer().flatMap({ hostPlaces[$0] }), let night = numbers.integer(),
        nights.indices.contains(Int(night))
      else { throw answer.oddness }
      while !numbers.isAtEnd {
        guard let key = numbers.integer(), let median = numbers.number() else {
          throw answer.oddness
        }
        // A series of a later launchlab has none.
        guard let place = seriesPlaces[key] else { continue }
        medians[(host * series.count + place) * nights.count + Int(night)] = median
      }
    }
  }
}

extension DepotPoints.Series {
  fileprivate struct Row: Decodable {
    let key: Int64
    let target: String
    let state: String
    let metric: String
  }

  /// - Parameter row: One that a later launchlab has sent may be of no state that is known.
  fileprivate init?(_ row: Row) {
    guard let state = LaunchState(rawValue: row.state), let metric = Metric(rawValue: row.metric)
    else { return nil }
    self.init(key: row.key, target: row.target, state: state, metric: metric)
  }
}

/// A line of numbers with a space between them.
///
/// There are millions of them, so that those of a usual length are read without making a text of them.
private struct NumberLine {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  /// The next number without a sign; nil where there is something else.
  mutating func integer() -> Int64? {
    var value: Int64 = 0
    let start = place
    while place < bytes.count, let digit = Self.digit(bytes[place]), value < 100_000_000_000_000_000
    {
      value = 10 * value + digit
      place += 1
    }
    return end(place > start ? value : nil)
  }

  /// The next number, rounded as ever; nil where there is something else.
  mutating func number() -> Double? {
    let start = place
    var digits: Int64 = 0
    var scale = 1.0
    var hasPoint = false
    while place < bytes.count, digits < 100_000_000_000_000 {
      if let digit = Self.digit(bytes[place]) {
        digits = 10 * digits + digit
        if hasPoint { scale *= 10 }
      } else if bytes[place] == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      place += 1
    }
    // Both are exact, so that their quotient is the nearest number.
    if place == bytes.count || bytes[place] == UInt8(ascii: " "), place > start {
      return end(Double(digits) / scale)
    }
    while place < bytes.count, bytes[place] != UInt8(ascii: " ") { place += 1 }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    return end(Double(text))
  }

  private static func digit(_ byte: UInt8) -> Int64? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int64(byte - UInt8(ascii: "0")) : nil
  }

  /// Passes the space behind a value.
  private mutating func end<Value>(_ value: Value?) -> Value? {
    guard place < bytes.count else { return value }
    guard bytes[place] == UInt8(ascii: " ") else { return nil }
    place += 1
    return value
  }
}
