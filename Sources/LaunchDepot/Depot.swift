import Foundation

/// A PostgreSQL database that keeps the complete runs of many hosts.
///
/// A run is pushed as a file, with the points of its series beside it: the depot is an index of
/// files. A push is one statement, thus one transaction, and may be repeated at any time; a run
/// is there once and whole, or not at all. Hosts push what they measured whenever they can, in any
/// order, and a reader asks for the runs after the last one it has seen.
///
/// Everything lies in the schema `launchlab` of the database, see ``DepotSchema``; the server is
/// talked to by ``Psql`` only, which brings the login of the user with it: passfile, services, TLS,
/// Kerberos. Each call is one `psql`, and keeps nothing open.
package struct Depot: Sendable {
  /// The most bytes of a file; what is stored and read goes through memory, several times.
  package static let mostBytes = 64 << 20

  package let address: DepotAddress

  var psql: Psql

  /// All migrations that this launchlab knows; their number is its version.
  var migrations = DepotSchema.migrations

  package init(_ address: DepotAddress) {
    self.address = address
    psql = Psql(address: address)
  }

  private var newest: Int { migrations.count }

  // MARK: - Setting up

  /// Makes the depot, if the database has none, and grants its roles their rights.
  ///
  /// The schema `launchlab` may be there if nothing is in it, as for a user who cannot make one. A
  /// depot that is there already is brought up to date.
  ///
  /// - Throws: ``DepotError``.
  package func initialize() async throws { try await setUp(makes: true) }

  /// Brings a depot up to date, in one transaction.
  ///
  /// - Throws: ``DepotError``.
  package func migrate() async throws { try await setUp(makes: false) }

  private func setUp(makes: Bool) async throws {
    var script = """
      BEGIN;
      DO $$ BEGIN PERFORM pg_advisory_xact_lock(x'6c61756e63686c62'::bigint); END $$;
      \(version)
      SELECT :version >= \(makes ? 0 : 1) AND :version <= \(newest) AS fits \\gset
      SELECT :'fits' AND to_regnamespace('launchlab') IS NULL AS bare \\gset
      \\if :bare
      CREATE SCHEMA launchlab;
      \\endif

      """
    for (old, migration) in migrations.enumerated() {
      script += """
        SELECT :'fits' AND :version <= \(old) AS due \\gset
        \\if :due
        \(migration)
        UPDATE launchlab.depot SET version = \(old + 1);
        \\endif

        """
    }
    script += "\\if :fits\n\(DepotSchema.grants)\\endif\nCOMMIT;\n"
    // A migration may have to rewrite all that is stored.
    var patient = psql
    patient.limits.statement = 3600
    patient.limits.call = 4000
    let found = try await Answer(patient.run(script), address: address).version
    if found < (makes ? 0 : 1) || found > newest { throw mismatch(found) }
  }

  /// Prints the version of the depot, and sets the variable `version`: 0 for none, -1 for a schema
  /// that has something else in it.
  private var version: String {
    """
    SELECT count(*) > 0 AS made FROM pg_class WHERE relnamespace = to_regnamespace('launchlab') \\gset
    \\set version 0
    \\if :made
    SELECT coalesce(max(version), -1) AS version FROM launchlab.depot WHERE program = 'launchlab' \\gset
    \\endif
    \\echo :version
    """
  }

  private func mismatch(_ found: Int) -> DepotError {
    let address = address.description
    return switch found {
    case ..<0: .foreignSchema(address: address)
    case 0: .noDepot(address: address)
    case ..<newest: .olderSchema(address: address, found: found, supported: newest)
    default: .newerSchema(address: address, found: found, supported: newest)
    }
  }

  // MARK: - Using it

  /// Runs SQL in a depot.
  ///
  /// - Parameters:
  ///   - body: What it is asked.
  ///   - oldest: The oldest version that has what is asked for; nil means that it must be the newest.
  ///   - limit: The most bytes that it may answer.
  /// - Returns: What it prints, in lines.
  /// - Throws: ``DepotError``.
  func answer(to body: String, from oldest: Int? = nil, limit: Int = 1 << 20) async throws -> Answer
  {
    let versions = (oldest ?? newest)...newest
    let script = """
      \(version)
      SELECT :version BETWEEN \(versions.lowerBound) AND \(newest) AS fits \\gset
      \\if :fits
      \(body)
      \\endif

      """
    let answer = try Answer(await psql.run(script, limit: limit), address: address)
    guard versions.contains(answer.version) else { throw mismatch(answer.version) }
    return answer
  }

  /// Looks at the depot, and at what the user may do with it.
  ///
  /// - Throws: ``DepotError``.
  package func check() async throws -> DepotState {
    let answer = try await answer(
      to: """
        SELECT has_table_privilege('launchlab.run', 'SELECT') AS readable \\gset
        SELECT row_to_json(s) FROM (SELECT
          current_setting('server_version') AS server_version,
          current_user AS user,
          has_function_privilege('launchlab.push(jsonb, bytea)', 'EXECUTE')
            AND current_setting('transaction_read_only') = 'off' AS may_push,
          :'readable'::boolean AS may_read,
          (SELECT count(*) = 2 FROM pg_roles WHERE rolname IN ('launchlab_push', 'launchlab_read'))
            AS has_roles,
          (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS tls
        ) s;
        \\if :readable
        SELECT row_to_json(s) FROM (SELECT
          (SELECT count(*) FROM launchlab.host) AS hosts,
          (SELECT count(*) FROM launchlab.run) AS runs,
          (SELECT sum(pg_total_relation_size(oid)) FROM pg_class
            WHERE relnamespace = 'launchlab'::regnamespace AND relkind = 'r') AS bytes,
          (SELECT extract(epoch FROM received_at) FROM launchlab.run ORDER BY key DESC LIMIT 1)
            AS newest_received
        ) s;
        \\endif
        """
    )
    return DepotState(
      version: answer.version,
      rights: try answer.decoded(line: 0),
      holdings: answer.lines.count > 1 ? try answer.decoded(line: 1) : nil
    )
  }

  /// Stores a run, or finds that it is stored.
  ///
  /// After any error it can be pushed again. A push that was cut off may go on in the server, and
  /// then the next one finds the run.
  ///
  /// - Throws: ``DepotError``.
  package func push(_ run: DepotRun) async throws -> DepotReceipt {
    if let text = run.texts.first(where: { $0.unicodeScalars.contains("\0") }) {
      throw refusal("\(text.debugDescription) has a NUL in it")
    }
    guard run.content.count <= Self.mostBytes else {
      throw refusal("its file has more than \(Self.mostBytes >> 20) MiB")
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .secondsSince1970
    let document: String
    do {
      document = String(decoding: try encoder.encode(run), as: UTF8.self)
    } catch let error as EncodingError {
      throw refusal("it has a value that is no number: \(error)")
    }
    let content = Data(run.content).base64EncodedString()
    let answer = try await answer(
      to: "SELECT launchlab.push(\(psql.literal(document)), decode('\(content)', 'base64'));"
    )
    guard let receipt = answer.lines.first.flatMap({ DepotReceipt(rawValue: $0.text) }) else {
      throw answer.oddness
    }
    return receipt
  }

  /// Which runs of a host are not stored.
  ///
  /// - Parameters:
  ///   - ids: The ids of runs.
  ///   - identity: That of the host.
  /// - Returns: The others, in their order.
  /// - Throws: ``DepotError``.
  package func missing(_ ids: [String], of identity: String) async throws -> [String] {
    guard !ids.isEmpty else { return [] }
    let list = try ids.map(psql.literal).joined(separator: ",")
    return try await answer(
      to: "SELECT launchlab.missing(\(psql.literal(identity)), ARRAY[\(list)]::text[]);",
      limit: Self.mostBytes
    ).lines.map(\.text)
  }

  /// Stores what a host has concluded of a scenario, in place of what it said before.
  ///
  /// - Parameters:
  ///   - conclusions: A host without a stored run has none.
  ///   - identity: That of the host.
  /// - Returns: Whether it was not stored yet.
  /// - Throws: ``DepotError``.
  package func push(_ conclusions: DepotConclusions, of identity: String) async throws -> Bool {
    let subject = try "\(psql.literal(identity)), \(psql.literal(conclusions.scenario))"
    let known = try await answer(to: "SELECT launchlab.concluded(\(subject));").lines.first?.text
    guard known != conclusions.digest else { return false }
    let content = Data(try conclusions.content()).base64EncodedString()
    _ = try await answer(
      to: """
        SELECT launchlab.conclude(\(subject), \(conclusions.schema),
          \(psql.literal(conclusions.digest)), decode('\(content)', 'base64'));
        """
    )
    return true
  }

  /// The digests of what hosts have concluded.
  ///
  /// - Parameters:
  ///   - scenario: Only of this scenario.
  ///   - host: Only of the host with this identity or this newest name.
  /// - Returns: In no order.
  /// - Throws: ``DepotError``.
  package func conclusions(
    scenario: String? = nil,
    host: String? = nil
  ) async throws -> [DepotConclusionsEntry] {
    var conditions = ["true"]
    if let scenario { conditions.append("c.scenario = \(try psql.literal(scenario))") }
    if let host { conditions.append("\(try psql.literal(host)) IN (h.identity, h.name)") }
    return try await answer(
      to: """
        \(Self.list) (SELECT h.identity AS host_identity, c.scenario, c.schema, c.digest,
          octet_length(c.content) AS bytes
          FROM launchlab.conclusions c JOIN launchlab.host h ON h.key = c.host
          WHERE \(conditions.joined(separator: " AND "))) item;
        """,
      from: 1,
      limit: Self.mostBytes
    ).decoded(line: 0)
  }

  /// The file of what a host has concluded.
  ///
  /// - Parameter entry: Which one.
  /// - Returns: Nil where it has concluded something else since.
  /// - Throws: ``DepotError``.
  package func content(of entry: DepotConclusionsEntry) async throws -> [UInt8]? {
    let answer = try await answer(
      to: """
        SELECT translate(encode(c.content, 'base64'), E'\\n', '')
        FROM launchlab.conclusions c JOIN launchlab.host h ON h.key = c.host
        WHERE h.identity = \(psql.literal(entry.hostIdentity))
          AND c.scenario = \(psql.literal(entry.scenario))
          AND c.digest = \(psql.literal(entry.digest));
        """,
      from: 1,
      limit: 2 * Self.mostBytes
    )
    guard let line = answer.lines.first else { return nil }
    guard let content = Data(base64Encoded: line) else { throw answer.oddness }
    return [UInt8](content)
  }

  /// The hosts of which there are runs, by name.
  ///
  /// - Throws: ``DepotError``.
  package func hosts() async throws -> [DepotHost] {
    try await answer(
      to: """
        \(Self.list) (SELECT identity, name, kind, \(Self.seconds("first_seen")) AS first_seen,
          \(Self.seconds("last_seen")) AS last_seen
          FROM launchlab.host ORDER BY name, identity) item;
        """,
      from: 1,
      limit: Self.mostBytes
    ).decoded(line: 0)
  }

  /// Every name that a host has had in a run.
  ///
  /// - Returns: In the order in which the depot saw them first, which never changes: a new one is the last.
  /// - Throws: ``DepotError``.
  package func hostNames() async throws -> [DepotHostName] {
    try await answer(
      to: """
        \(Self.list) (SELECT h.identity, coalesce(r.host_name, h.name) AS name FROM (
            SELECT host, host_name, min(key) AS key FROM launchlab.run GROUP BY host, host_name
          ) r JOIN launchlab.host h ON h.key = r.host
          WHERE r.host_name IS NOT NULL
            OR NOT EXISTS (SELECT FROM launchlab.host_name n WHERE n.host = h.key)
          ORDER BY r.key) item;
        """,
      from: 1,
      limit: Self.mostBytes
    ).decoded(line: 0)
  }

  /// The runs that were stored after another one, in the order of their keys, without those of which the
  /// file was deleted.
  ///
  /// Who keeps the key of the last one gets each run once: a run with a lesser key is never
  /// committed later.
  ///
  /// - Parameters:
  ///   - scenario: Only those of this scenario.
  ///   - host: Only those of the host with this identity or this newest name.
  ///   - key: The key of the last run that is known; 0 for all.
  ///   - limit: The most runs.
  /// - Returns: The runs; fewer than `limit` if there are no more.
  /// - Throws: ``DepotError``.
  package func runs(
    scenario: String? = nil,
    host: String? = nil,
    after key: Int64 = 0,
    limit: Int = 1000
  ) async throws -> [DepotEntry] {
    var conditions = [
      "r.key > \(key)", "EXISTS (SELECT FROM launchlab.run_file f WHERE f.run = r.key)",
    ]
    if let scenario { conditions.append("r.scenario = \(try psql.literal(scenario))") }
    if let host { conditions.append("\(try psql.literal(host)) IN (h.identity, h.name)") }
    return try await answer(
      to: """
        \(Self.list) (SELECT r.key, h.identity AS host_identity,
          h.name AS host_name, r.id, r.scenario, r.purpose, \(Self.seconds("r.started_at")) AS started_at,
          \(Self.seconds("r.finished_at")) AS finished_at,
          \(Self.seconds("r.received_at")) AS received_at, r.fingerprint, r.commit, r.tree,
          r.tool, r.schema, r.digest, r.bytes,
          CASE WHEN r.clock_off_seconds > 0 THEN least(r.clock_off_seconds, 1e12) END AS clock_off_seconds
          FROM launchlab.run r JOIN launchlab.host h ON h.key = r.host
          WHERE \(conditions.joined(separator: " AND ")) ORDER BY r.key LIMIT \(limit)) item;
        """,
      from: 1,
      limit: 4 * Self.mostBytes
    ).decoded(line: 0)
  }

  /// The files of the first of some runs, as many as fit into a budget of memory.
  ///
  /// - Parameters:
  ///   - keys: The keys of runs, each of them once.
  ///   - budget: The most bytes of all files together; the first file may be larger.
  /// - Returns: The files of the first keys, in their order: at least one, unless `keys` is empty.
  ///   The caller asks for the others again.
  /// - Throws: ``DepotError``.
  package func contents(of keys: [Int64], budget: Int = 16 << 20) async throws -> [DepotFile] {
    guard !keys.isEmpty else { return [] }
    let list = keys.map(String.init).joined(separator: ",")
    let answer = try await answer(
      to: """
        SELECT f.run || ' ' || translate(encode(f.content, 'base64'), E'\\n', '')
        FROM (SELECT k.key, k.place, sum(r.bytes) OVER (ORDER BY k.place) AS total
          FROM unnest(ARRAY[\(list)]::bigint[]) WITH ORDINALITY AS k (key, place)
          JOIN launchlab.run r USING (key)) w
        JOIN launchlab.run_file f ON f.run = w.key
        WHERE w.place = 1 OR w.total <= \(budget) ORDER BY w.place;
        """,
      from: 1,
      limit: (max(budget, Self.mostBytes) / 3 + keys.count) * 4 + keys.count * 32
    )
    let files = answer.lines.compactMap { line -> DepotFile? in
      guard let space = line.firstIndex(of: 0x20), let key = Int64(line[..<space].text),
        let content = Data(base64Encoded: line[(space + 1)...])
      else { return nil }
      return DepotFile(key: key, content: [UInt8](content))
    }
    guard !files.isEmpty, files.map(\.key) == Array(keys.prefix(answer.lines.count)) else {
      throw answer.oddness
    }
    return files
  }

  /// Gives a host, or a host of a fleet, to a login: that one may push its runs from now on, or every member
  /// of a role.
  ///
  /// - Parameters:
  ///   - host: Its identity, its newest name where no other host has that, or what a fleet calls it.
  ///   - role: A login, or another role.
  /// - Returns: What was moved.
  /// - Throws: ``DepotError``.
  package func trust(_ host: String, to role: String) async throws -> [DepotTrust] {
    let (name, login) = (try psql.literal(host), try psql.literal(role))
    let answer = try await answer(
      to: """
        SELECT count(*) > 0 AS known FROM pg_roles WHERE rolname = \(login) \\gset
        \\echo :known
        \(Self.list) (SELECT 'host' AS kind, identity AS name FROM launchlab.host
            WHERE \(name) IN (identity, name)
          UNION SELECT 'slot', slot_host FROM launchlab.run WHERE slot_host = \(name)
          UNION SELECT 'slot', name FROM launchlab.trust WHERE kind = 'slot' AND name = \(name)) item;
        """
    )
    func refusal(_ reason: String) -> DepotError {
      .cannotTrust(address: address.description, reason: reason)
    }
    guard answer.lines.first?.text == "t" else { throw refusal("there is no role \"\(role)\"") }
    let found: [DepotTrust] = try answer.decoded(line: 1)
    guard !found.isEmpty else { throw refusal("no host \"\(host)\" has pushed a run") }
    let hosts = found.filter { $0.kind == .host }
    guard hosts.count <= 1 || hosts.contains(where: { $0.name == host }) else {
      let identities = hosts.map(\.name).joined(separator: ", ")
      throw refusal("several hosts are called \"\(host)\", with the identities \(identities)")
    }
    let moved = hosts.count <= 1 ? found : found.filter { $0.name == host }
    let rows = try moved.map { "('\($0.kind.rawValue)', \(try psql.literal($0.name)), \(login))" }
    _ = try await self.answer(
      to: """
        INSERT INTO launchlab.trust (kind, name, role) VALUES \(rows.joined(separator: ", "))
        ON CONFLICT (kind, name) DO UPDATE SET role = excluded.role, since = now();
        """
    )
    return moved
  }

  /// The seconds since 1970 of a time that may be infinite in a depot of before there were limits.
  static func seconds(_ time: String) -> String {
    "extract(epoch FROM greatest(least(\(time), '9999-12-31'), 'epoch'))"
  }

  /// What makes one line of JSON of the rows that follow under the name `item`.
  static let list =
    "SELECT coalesce(translate(json_agg(item)::text, E'\\n', ''), '[]') FROM"

  private func refusal(_ rule: String) -> DepotError {
    .refused(address: address.description, rule: rule)
  }
}

/// What a script for a depot has printed: the version of the depot, then lines.
struct Answer {
  let version: Int
  let lines: [Data]
  let address: DepotAddress

  init(_ output: Data, address: DepotAddress) throws(DepotError) {
    let all = output.split(separator: 0x0a)
    guard let version = all.first.flatMap({ Int($0.text) }) else {
      let start = output.prefix(200).text
      throw .oddAnswer(address: address.description, detail: start.debugDescription)
    }
    self.version = version
    lines = Array(all.dropFirst())
    self.address = address
  }

  var oddness: DepotError {
    let start = lines.first.map { $0.prefix(200).text.debugDescription } ?? "nothing"
    return .oddAnswer(address: address.description, detail: start)
  }
}

extension Answer {
  /// Reads a line of JSON.
  ///
  /// - Throws: ``DepotError/oddAnswer(address:detail:)``.
  func decoded<Value: Decodable>(line: Int) throws -> Value {
    guard line < lines.count else { throw oddness }
    return try decoded(lines[line])
  }

  /// Reads JSON that stands in a line.
  ///
  /// - Throws: ``DepotError/oddAnswer(address:detail:)``.
  func decoded<Value: Decodable>(_ text: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
      return try decoder.decode(Value.self, from: text)
    } catch is DecodingError {
      throw oddness
    }
  }
}

extension Data {
  /// The bytes as text, whatever they are.
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
