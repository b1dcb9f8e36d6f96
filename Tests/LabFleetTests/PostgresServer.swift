import Foundation
import Glibc
import LabTestSupport
import LaunchCore
import Subprocess
import SystemPackage
import Testing

@testable import LaunchDepot

/// A PostgreSQL server of a test, which listens to a socket in its own directory only.
struct PostgresServer: Sendable {
  /// Where the socket, the data and the log are.
  let directory: String

  private let supervisor: StandardInputWriter

  @TaskLocal static var current: PostgresServer?

  /// Where the programs of the newest installed server are; nil without one.
  static let binaries: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "\(root)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  /// Runs a server while `body` does, with the data that are in the directory or new ones.
  ///
  /// A shell is its parent and ends it, with its children, when the pipe from this process ends:
  /// thus also when this process dies, and then the directory goes, too. The shell is not root,
  /// which PostgreSQL refuses.
  static func run(
    in directory: String,
    _ body: (PostgresServer) async throws -> Void
  ) async throws {
    let binaries = try #require(binaries)
    let shell = ["/bin/sh", "-c", supervision, "sh", directory, binaries]
    let user = ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
    let command = geteuid() == 0 ? user + shell : shell
    if geteuid() == 0 {
      let nobody = unsafe try #require(getpwnam("nobody"))
      try #require(unsafe chown(directory, nobody.pointee.pw_uid, nobody.pointee.pw_gid) == 0)
    }
    _ = try await Subprocess.run(
      .path(FilePath(command[0])),
      arguments: Arguments(Array(command.dropFirst())),
      environment: .custom(["PATH": "/usr/bin:/bin", "LC_ALL": "C"]),
      workingDirectory: FilePath(directory),
      input: .inputWriter,
      output: .discarded,
      error: .discarded
    ) { execution in
      let server = PostgresServer(
        directory: directory,
        supervisor: execution.standardInputWriter
      )
      try await server.isUp()
      try await body(server)
      _ = try await execution.standardInputWriter.write("stop\n")
    }
  }

  private static let supervision = """
    exec >>"$1/log" 2>&1
    data="$1/data"
    if [ ! -d "$data" ]; then
      "$2/initdb" -D "$data" --no-sync --auth=trust -U lab --no-locale -E UTF8 || exit 1
      printf 'local all secret scram-sha-256\\nlocal all all trust\\n' >"$data/pg_hba.conf"
    fi
    start() {
      "$2/postgres" -D "$data" -k "$1" -c listen_addresses= -c fsync=off -c full_page_writes=off \\
        -c max_connections=80 -c shared_buffers=32MB -c autovacuum=off -c superuser_reserved_connections=3 &
      # Until it is there, it ignores the signal that ends it.
      for try in $(seq 500); do
        [ -S "$1/.s.PGSQL.5432" ] && break
        sleep 0.02
      done
    }
    end() {
      kill -QUIT $!
      wait
    }
    start "$@"
    while read -r word; do
      case $word in
        crash) end ;;
        start) start "$@" ;;
        stop) break ;;
      esac
    done
    end
    [ "$word" = stop ] || rm -rf "$1"
    """

  /// Ends the server as a crash does: what was not committed is lost, and clients are cut off.
  func crash() async throws { _ = try await supervisor.write("crash\n") }

  /// Starts a server that has crashed, which recovers what was committed.
  func start() async throws { _ = try await supervisor.write("start\n") }

  /// Waits until it answers.
  func isUp() async throws {
    var tries = 0
    while try await !answers() {
      tries += 1
      try #require(tries < 400, "\(log)")
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private var log: String {
    (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "no log"
  }

  private func answers() async throws -> Bool {
    do {
      return try await !depot(in: "postgres").psql.run("SELECT 1;").isEmpty
    } catch DepotError.away {
      return false
    }
  }

  /// A depot at the server, whether there is one or not.
  ///
  /// - Parameters:
  ///   - database: Its name.
  ///   - user: Who asks; `lab` may do everything.
  ///   - parameters: Further parameters of the address, each with an `&` before it.
  /// - Returns: The depot.
  /// - Throws: An error of the test.
  func depot(
    in database: String,
    as user: String = "lab",
    _ parameters: String = ""
  ) throws -> Depot {
    let text = "postgresql://\(user)@/\(database)?host=\(directory)\(parameters)"
    var depot = Depot(try #require(try DepotAddress(text)))
    // Debian's psql in PATH is a script that looks for this one.
    depot.psql.program = try #require(Self.binaries) + "/psql"
    return depot
  }

  /// A new, empty database, and the depot that may be made in it.
  func makeDatabase() async throws -> TestDatabase {
    let name = "t" + UUID().uuidString.lowercased().filter { $0 != "-" }
    _ = try await depot(in: "postgres").psql.run("CREATE DATABASE \(name);")
    return TestDatabase(server: self, name: name, depot: try depot(in: name))
  }
}

/// A database of one test.
struct TestDatabase: Sendable {
  let server: PostgresServer
  let name: String
  let depot: Depot

  /// A new database of the server of the suite.
  static func make() async throws -> TestDatabase {
    try await #require(PostgresServer.current).makeDatabase()
  }

  /// The depot for another user.
  func depot(as user: String, _ parameters: String = "") throws -> Depot {
    try server.depot(in: name, as: user, parameters)
  }

  /// Runs SQL as the owner of everything.
  @discardableResult
  func sql(_ script: String) async throws -> String {
    String(decoding: try await depot.psql.run(script + ";\n"), as: UTF8.self)
      .trimmingCharacters(in: .newlines)
  }

  /// A user of a name that no other test has, with rights of the depot.
  func makeUser(_ roles: String...) async throws -> String {
    let user = "u" + UUID().uuidString.lowercased().filter { $0 != "-" }
    try await sql("CREATE ROLE \(user) LOGIN")
    for role in roles { try await sql("GRANT \(role) TO \(user)") }
    return user
  }
}

/// A trait that runs one server for all tests of a suite.
struct PostgresTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let directory = "/tmp/launchlab-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await PostgresServer.run(in: directory) { server in
      try await PostgresServer.$current.withValue(server) { try await function() }
    }
  }
}

/// All tests that need a server.
@Suite(
  PostgresTrait(),
  .enabled(if: PostgresServer.binaries != nil, "needs a PostgreSQL server, package postgresql")
)
struct PostgresTests {}

extension DepotRun {
  /// A run that is like any other.
  static func sample(
    _ id: String = "r1",
    host: String = "machine-1",
    name: String = "alpha",
    started: Double = 1_700_000_000.25,
    digest: Character = "a",
    content: [UInt8] = [0, 10, 13, 39, 92, 255]
  ) -> DepotRun {
    DepotRun(
      hostIdentity: host,
      hostName: name,
      fingerprint: "kind-1",
      id: id,
      scenario: "git",
      purpose: .imported,
      startedAt: Date(timeIntervalSince1970: started),
      finishedAt: Date(timeIntervalSince1970: started + 90),
      commit: "c0ffee",
      tool: "1.2.3",
      schema: 10,
      digest: String(repeating: digest, count: 64),
      points: [
        .init(
          target: "git",
          state: .warm,
          metric: .launch,
          n: 20,
          median: 1.1e6,
          medianAbsoluteDeviation: 0.1 + 0.2,
          intervalLow: 1.0e6,
          intervalHigh: 1.2e6
        ),
        .init(
          target: "git",
          state: .rebootCold,
          metric: .launch,
          n: 1,
          median: .leastNonzeroMagnitude,
          medianAbsoluteDeviation: 0
        ),
      ],
      content: content
    )
  }
}
