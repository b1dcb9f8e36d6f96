import LaunchCore
import Subprocess
import Testing

@testable import LaunchDepot

@Suite struct DepotAddressTests {
  @Test(arguments: [
    "postgres://", "postgresql:///lab", "postgres://depot.example/lab?sslmode=verify-full",
    "postgresql://user@%2Frun%2Fpostgresql/lab", "postgres://?service=lab",
    "postgresql://[::1]:5432/lab", "postgres://a:1,b:2/lab?target_session_attrs=read-write",
    "postgresql:///lab?host=/run/postgresql&passfile=/etc/lab/pgpass&require_auth=password",
  ])
  func `takes addresses of psql as they are`(text: String) throws {
    #expect(try DepotAddress(text)?.description == text)
  }

  @Test(arguments: [
    "", "lab.sqlite", "/srv/postgres://x", "Postgres://x", "mysql://x", "postgres:",
  ])
  func `leaves other texts to others`(text: String) throws {
    #expect(try DepotAddress(text) == nil)
  }

  @Test(arguments: [
    "postgres://me:secret@host/lab", "postgres://me:sec/ret@host/lab", "postgres://:secret@/lab",
    "postgres://me:a%40b@host", "postgres://host/lab?password=secret",
    "postgres://?sslmode=prefer&sslpassword=secret", "postgres://h/lab?pass%77ord=secret",
    "postgres://h/lab?PASSWORD=secret", "postgres://h/lab?oauth_client_secret=secret",
  ])
  func `refuses a password, and does not repeat it`(text: String) throws {
    let error = try #require(throws: DepotError.self) { try DepotAddress(text) }
    #expect(error == .passwordInAddress)
    #expect(error.exitCode == .usage)
    #expect(
      error.diagnostics.map(\.description) == [
        """
        error: the address of the depot has a password in it
          help: write the password to ~/.pgpass (mode 0600), or name a service of ~/.pg_service.conf \
        with `postgres://?service=NAME`
        """
      ]
    )
  }

  @Test(arguments: ["postgres://h/a b", "postgres://h/a\0b", "postgres://h/a\nb"])
  func `refuses what no address has`(text: String) throws {
    let error = try #require(throws: DepotError.self) { try DepotAddress(text) }
    guard case .malformedAddress = error else { throw error }
  }
}

@Suite struct PsqlTests {
  private static let address = "postgres://h/lab?a=b&c=d"

  /// What `psql` printed when it failed, and the error that it stands for.
  struct Failure: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: Int32
    let stderr: String
    let error: DepotError
  }

  @Test(arguments: [
    Failure(
      testDescription: "refused",
      status: 2,
      stderr: """
        psql: error: connection to server at "h" (::1), port 5432 failed: Connection refused
        \tIs the server running on that host and accepting TCP/IP connections?
        """,
      error: .away(address: address, reason: "Connection refused")
    ),
    Failure(
      testDescription: "no such host",
      status: 2,
      stderr:
        "psql: error: could not translate host name \"h\" to address: Name or service not known",
      error: .away(
        address: address,
        reason: "could not translate host name \"h\" to address: Name or service not known"
      )
    ),
    Failure(
      testDescription: "starting up",
      status: 2,
      stderr:
        "psql: error: connection to server on socket \"/s\" failed: FATAL:  the database system is "
        + "starting up",
      error: .away(address: address, reason: "the database system is starting up")
    ),
    Failure(
      testDescription: "login in another language",
      status: 2,
      stderr: "psql: error: connection to server on socket \"/s\" failed: FATAL:  "
        + "Passwort-Authentifizierung für Benutzer »x« fehlgeschlagen",
      error: .loginRefused(
        address: address,
        reason: "Passwort-Authentifizierung für Benutzer »x« fehlgeschlagen"
      )
    ),
    Failure(
      testDescription: "unknown service",
      status: 2,
      stderr: "psql: error: definition of service \"x\" not found",
      error: .malformedAddress(address: address, reason: "definition of service \"x\" not found")
    ),
    Failure(
      testDescription: "error in another language",
      status: 3,
      stderr: """
        psql:<stdin>:3: WARNUNG:  01000: etwas:  42P01: anderes
        psql:<stdin>:4: FEHLER:  53100: konnte Datei nicht erweitern: kein Platz
        TIP:  Platz schaffen
        LOCATION:  mdextend, md.c:4
        """,
      error: .full(address: address, reason: "konnte Datei nicht erweitern: kein Platz")
    ),
    Failure(
      testDescription: "lost",
      status: 2,
      stderr: """
        psql:<stdin>:5: server closed the connection unexpectedly
        \tThis probably means the server terminated abnormally
        psql:<stdin>:5: error: connection to server was lost
        """,
      error: .away(
        address: address,
        reason: "the connection was lost"
      )
    ),
    Failure(
      testDescription: "two addresses, of which the second answers",
      status: 2,
      stderr: """
        psql: error: connection to server at "localhost" (::1), port 5432 failed: Connection refused
        \tIs the server running on that host and accepting TCP/IP connections?
        connection to server at "localhost" (127.0.0.1), port 5432 failed: fe_sendauth: no password \
        supplied
        """,
      error: .loginRefused(address: address, reason: "fe_sendauth: no password supplied")
    ),
    Failure(
      testDescription: "read-only",
      status: 3,
      stderr: "psql:<stdin>:5: ERROR:  25006: cannot execute UPDATE in a read-only transaction",
      error: .readOnly(address: address)
    ),
    Failure(
      testDescription: "lock",
      status: 3,
      stderr: "psql:<stdin>:5: ERROR:  55P03: canceling statement due to lock timeout",
      error: .busy(address: address, reason: "canceling statement due to lock timeout")
    ),
    Failure(
      testDescription: "silence",
      status: 1,
      stderr: "",
      error: .oddAnswer(address: address, detail: "psql exited with status 1")
    ),
  ])
  func `knows errors by their codes`(failure: Failure) {
    let error = DepotError(
      psql: .exited(failure.status),
      stderr: failure.stderr,
      address: Self.address
    )
    #expect(error == failure.error)
  }

  @Test func `names the command that helps, quoted for a shell`() {
    #expect(
      DepotError.noDepot(address: Self.address).diagnostics.map(\.description) == [
        """
        error: the database has no depot
          at: postgres://h/lab?a=b&c=d
          help: make one with `launchlab depot init 'postgres://h/lab?a=b&c=d'`
        """
      ]
    )
    let old = DepotError.olderSchema(address: "postgres://h/lab", found: 1, supported: 2)
    #expect(
      old.diagnostics.first?.remedy
        == "bring it up to date with `launchlab depot migrate postgres://h/lab`"
    )
  }

  @Test(arguments: [
    "plain": "E'plain'", "it's": "E'it''s'", "a\\b": "E'a\\\\b'", "'\u{301}": "E'''\u{301}'",
    "\\'": "E'\\\\'''", ":name $$": "E':name $$'",
  ])
  func `quotes texts`(text: String, quoted: String) throws {
    let psql = Psql(address: try #require(try DepotAddress("postgres://")))
    // Strings are equal by characters, and this is about bytes.
    #expect(Array(try psql.literal(text).utf8) == Array(quoted.utf8))
    #expect(throws: DepotError.self) { try psql.literal(text + "\0") }
  }
}
