import Foundation
import Glibc
import LabTestSupport
import LaunchCore
import Synchronization
import Testing

@testable import LaunchDepot

/// Writes a program that stands for `psql`.
private func program(_ script: String, at path: String) throws -> String {
  try "#!/bin/bash\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
  try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  return path
}

@Suite(.temporaryDirectory) struct DepotWithoutServerTests {
  private func depot(_ address: String) throws -> Depot {
    Depot(try #require(try DepotAddress(address)))
  }

  @Test func `says that there is no server, no psql, no service`() async throws {
    let address = "postgresql:///lab?host=\(TemporaryDirectory.path)"
    var depot = try depot(address)
    await #expect(
      throws: DepotError.away(address: address, reason: "No such file or directory")
    ) { try await depot.push(.sample()) }
    depot.psql.program = "no-such-psql"
    await #expect(throws: DepotError.noPsql) { try await depot.push(.sample()) }
    let unknown = "postgres://?service=launchlab_no_such"
    let error = await #expect(throws: DepotError.self) { try await self.depot(unknown).check() }
    guard case .malformedAddress = error else { throw error ?? .noPsql }
  }

  @Test func `ends at a server that accepts and never answers`() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 4) == 0)
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let named = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(listener, $0, &size)
      }
    }
    try #require(named == 0)
    let address = "postgres://127.0.0.1:\(name.sin_port.byteSwapped)/lab?connect_timeout=2"
    let error = await #expect(throws: DepotError.self) { try await depot(address).push(.sample()) }
    guard case .away(_, "timeout expired") = error else { throw error ?? .noPsql }
  }

  @Test func `ends a psql that hangs, and takes no odd answer`() async throws {
    var depot = try depot("postgres://")
    depot.psql.limits.call = -4
    depot.psql.program = try program("exec sleep 600", at: TemporaryDirectory.path + "/sleeping")
    let error = await #expect(throws: DepotError.self) { try await depot.check() }
    guard case .away = error else { throw error ?? .noPsql }
    depot.psql.limits.call = 60
    let version = DepotSchema.migrations.count
    for answer in [
      "exit 0", "echo hello", "echo \(version)", "echo \(version); echo maybe", "kill -9 $$",
    ] {
      depot.psql.program = try program(answer, at: TemporaryDirectory.path + "/odd")
      let error = await #expect(throws: DepotError.self) { try await depot.push(.sample()) }
      guard case .oddAnswer = error else { throw error ?? .noPsql }
    }
  }
}

extension PostgresTests {
  @Suite(.temporaryDirectory) struct Failing {
    let database: TestDatabase
    var depot: Depot { database.depot }

    init() async throws {
      database = try await .make()
      try await database.depot.initialize()
    }

    @Test func `refuses a wrong password, no password, no user, no database`() async throws {
      try await database.sql("CREATE ROLE secret LOGIN PASSWORD 'right' IN ROLE launchlab_push")
      let file = TemporaryDirectory.path + "/pgpass"
      for (password, isRight) in [("right", true), ("wrong", false), ("", false)] {
        try "*:*:*:secret:\(password)\n".write(toFile: file, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let depot = try database.depot(as: "secret", "&passfile=\(file)")
        if isRight {
          #expect(try await depot.push(.sample()) == .stored)
        } else {
          let error = await #expect(throws: DepotError.self) { try await depot.push(.sample()) }
          guard case .loginRefused = error else { throw error ?? .noPsql }
        }
      }
      let nobody = await #expect(throws: DepotError.self) {
        try await database.depot(as: "no_such_user").check()
      }
      guard case .loginRefused(_, "role \"no_such_user\" does not exist") = nobody else {
        throw nobody ?? .noPsql
      }
      let nowhere = await #expect(throws: DepotError.self) {
        try await database.server.depot(in: "no_such_database").check()
      }
      guard case .noDatabase = nowhere else { throw nowhere ?? .noPsql }
    }

    @Test func `says that a server is read-only, or a lock held`() async throws {
      let standby = try database.depot(as: "lab", "&options=-cdefault_transaction_read_only%3Don")
      #expect(try await standby.check().rights.mayPush == false)
      await #expect(throws: DepotError.readOnly(address: standby.address.description)) {
        try await standby.push(.sample())
      }
      try await whilePushesWait {
        var hasty = depot
        hasty.psql.limits.lock = 1
        let error = await #expect(throws: DepotError.self) { try await hasty.push(.sample()) }
        guard case .busy = error else { throw error ?? .noPsql }
      }
      #expect(try await depot.push(.sample()) == .stored)
    }

    @Test func `finds a run whose psql was killed while the server stored it`() async throws {
      // Beside many other tests a call may take longer than a push waits elsewhere.
      var patient = depot
      (patient.psql.limits.lock, patient.psql.limits.statement) = (900, 900)
      try await whilePushesWait { [patient] in
        let push = Task { try await patient.push(.sample()) }
        try await database.waitForSession("wait_event_type = 'Lock'")
        push.cancel()
        await #expect(throws: CancellationError.self) { try await push.value }
      }
      // The server goes on without its client.
      #expect(try await depot.push(.sample()) == .known)
      #expect(try await depot.runs().count == 1)
    }

    @Test func `finds a run whose answer was lost`() async throws {
      var deaf = depot
      deaf.psql.program = try program(
        "\(depot.psql.program) \"$@\" >/dev/null",
        at: TemporaryDirectory.path + "/deaf"
      )
      await #expect(throws: DepotError.self) { try await deaf.push(.sample()) }
      #expect(try await depot.push(.sample()) == .known)
    }

    /// Does something while another session holds the lock of pushes.
    private func whilePushesWait(_ body: () async throws -> Void) async throws {
      let holder = Task {
        try await database.sql(
          "BEGIN; SELECT FROM launchlab.depot FOR UPDATE; SELECT pg_sleep(900)"
        )
      }
      let sleeps = "wait_event = 'PgSleep'"
      try await database.waitForSession(sleeps)
      try await body()
      try await database.sql(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
          + "WHERE datname = current_database() AND \(sleeps)"
      )
      await #expect(throws: DepotError.self) { try await holder.value }
    }
  }
}

extension TestDatabase {
  /// Waits until a session of the database is in a state.
  fileprivate func waitForSession(_ condition: String) async throws {
    let query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
    while try await sql(query + condition) == "0" { try await Task.sleep(for: .milliseconds(20)) }
  }
}

/// With a server of its own, that is stopped and crashes.
@Suite(
  .temporaryDirectory,
  .enabled(if: PostgresServer.binaries != nil, "needs a PostgreSQL server, package postgresql")
)
struct DepotChaosTests {
  private static let clients = 3
  private static let runs = 15

  @Test func `stores each run once and whole through kills, crashes and a stop`() async throws {
    let directory = TemporaryDirectory.path
    let database = Mutex<TestDatabase?>(nil)
    try await PostgresServer.run(in: directory) { server in
      let made = try await server.makeDatabase()
      database.withLock { $0 = made }
      try await made.depot.initialize()
      // A third of the clients are killed within the time that a push takes.
      var unlucky = made.depot
      let psql = unlucky.psql.program
      unlucky.psql.program = try program(
        """
        (( RANDOM % 3 )) && exec \(psql) "$@"
        exec timeout -s KILL 0.$(printf %03d $((RANDOM % 80))) \(psql) "$@"
        """,
        at: directory + "/unlucky"
      )
      let reader = Task { try await follow(made.depot) }
      let crashes = Task { try await crash(server) }
      let (tries, crashed) = try await chaos(unlucky, crashes)
      #expect(crashed > 0 && tries > Self.clients * Self.runs)
      try await verify(made)
      #expect(try await reader.value == made.depot.runs().map(\.key))
    }
    let stored = try #require(database.withLock { $0 })
    let error = await #expect(throws: DepotError.self) { try await stored.depot.push(.sample()) }
    guard case .away = error else { throw error ?? .noPsql }
    try await PostgresServer.run(in: directory) { _ in try await verify(stored) }
  }

  /// Pushes all runs, each of them until the depot has it.
  ///
  /// - Returns: How often a push was tried, and the server crashed.
  private func chaos(_ depot: Depot, _ crashes: Task<Int, any Error>) async throws -> (Int, Int) {
    let tries = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 0..<Self.clients {
        group.addTask {
          var tries = 0
          for number in 0..<Self.runs {
            let run = Self.run(client, number)
            var isStored = false
            while !isStored {
              tries += 1
              do {
                _ = try await depot.push(run)
                // Every fourth acknowledgement is lost.
                isStored = tries % 4 != 0
              } catch let error as DepotError {
                try Self.expectChaos(error)
                try await Task.sleep(for: .milliseconds(50))
              }
            }
          }
          return tries
        }
      }
      return try await group.reduce(0, +)
    }
    crashes.cancel()
    return (tries, try await crashes.value)
  }

  private static func expectChaos(_ error: DepotError) throws {
    switch error {
    case .away, .oddAnswer, .busy: return
    default: throw error
    }
  }

  private static func run(_ client: Int, _ number: Int) -> DepotRun {
    let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* (client * 100 + number + 1)) }
    return .sample(
      "r\(number)",
      host: "machine-\(client)",
      name: "host-\(client)",
      content: content
    )
  }

  /// Lets a process of the server kill itself every second, which makes the server kill the others.
  private func crash(_ server: PostgresServer) async throws -> Int {
    var count = 0
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .seconds(1))
        _ = try await server.depot(in: "postgres").psql.run(
          "COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID';"
        )
      } catch is CancellationError {
        break
      } catch let error as DepotError {
        try Self.expectChaos(error)
        count += 1
      }
    }
    return count
  }

  /// Reads what is new until all runs are there.
  private func follow(_ depot: Depot) async throws -> [Int64] {
    var keys: [Int64] = []
    while keys.count < Self.clients * Self.runs {
      do {
        keys += try await depot.runs(after: keys.last ?? 0).map(\.key)
      } catch let error as DepotError {
        try Self.expectChaos(error)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    return keys
  }

  private func verify(_ database: TestDatabase) async throws {
    let entries = try await database.depot.runs()
    #expect(entries.map(\.key) == entries.map(\.key).sorted())
    #expect(Set(entries.map { "\($0.hostName) \($0.id)" }).count == entries.count)
    #expect(entries.count == Self.clients * Self.runs)
    let points =
      "SELECT count(*) FROM launchlab.run r WHERE 2 = (SELECT count(*) FROM launchlab.point p WHERE p.run = r.key)"
    #expect(try await database.sql(points) == "\(entries.count)")
    var rest = entries.map(\.key)[...]
    while !rest.isEmpty {
      let files = try await database.depot.contents(of: Array(rest), budget: 1 << 20)
      for (file, entry) in zip(files, entries.dropFirst(entries.count - rest.count)) {
        let client = try #require(Int(entry.hostName.dropFirst(5)))
        let number = try #require(Int(entry.id.dropFirst(1)))
        #expect(file.content == Self.run(client, number).content)
      }
      rest = rest.dropFirst(files.count)
    }
  }
}
