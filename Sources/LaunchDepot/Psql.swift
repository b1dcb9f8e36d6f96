import CLabHost
import Foundation
import Glibc
import LaunchCore
import Subprocess
import SystemPackage

/// How `psql` is called: it reads SQL from its standard input, and asks nobody anything.
///
/// The SQL lies in a file without a name in memory. A pipe would end launchlab by SIGPIPE where
/// `psql` cannot connect and ends without having read it all.
struct Psql: Sendable {
  let address: DepotAddress

  /// A name that is looked up in PATH, or a path.
  var program = "psql"

  var limits = Limits()

  /// How long a call may take, in seconds.
  struct Limits: Sendable {
    /// To wait for a lock: pushes come one after the other, and each takes milliseconds.
    var lock = 30

    /// For one statement, on the server.
    var statement = 60

    /// For the whole call, beside the time that its bytes take at 256 KiB a second.
    ///
    /// It ends what no server can end, such as a connection that was cut.
    var call = 150
  }

  /// Runs a script of SQL and commands of `psql`.
  ///
  /// - Parameters:
  ///   - script: What comes after the settings of the session.
  ///   - limit: The most bytes that it may answer.
  /// - Returns: What it printed, without headers, alignment and counts.
  /// - Throws: ``DepotError``, or `CancellationError`.
  func run(_ script: String, limit: Int = 1 << 20) async throws -> Data {
    let input = Array((session + script).utf8)
    let patience = limits.call + (input.count + limit) >> 18
    let result = try await withThrowingTaskGroup(of: ExecutionResult?.self) { group in
      group.addTask { try await start(input, limit: limit) }
      group.addTask {
        try await Task.sleep(for: .seconds(patience))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    try Task.checkCancellation()
    guard let result else {
      throw DepotError.away(address: address.description, reason: "no answer in \(patience) s")
    }
    guard result.status == .exited(0) else {
      throw DepotError(psql: result.status, stderr: result.stderr, address: address.description)
    }
    return Data(result.stdout)
  }

  /// What a finished `psql` has left.
  private struct ExecutionResult: Sendable {
    let status: TerminationStatus
    let stdout: [UInt8]
    let stderr: String
  }

  private func start(_ input: [UInt8], limit: Int) async throws -> ExecutionResult {
    let descriptor = lab_make_memory_file()
    guard descriptor >= 0 else {
      throw DepotError.oddAnswer(
        address: address.description,
        detail: "no memory for the request: \(Errno(rawValue: -descriptor))"
      )
    }
    let file = FileDescriptor(rawValue: descriptor)
    defer { try? file.close() }
    try file.writeAll(toAbsoluteOffset: 0, input)
    do {
      let result = try await Subprocess.run(
        program.contains("/") ? .path(FilePath(program)) : .name(program),
        arguments: [
          "--no-psqlrc", "--no-password", "--quiet", "--no-align", "--tuples-only",
          "-v", "ON_ERROR_STOP=1", "-d", address.description,
        ],
        environment: environment,
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .sequence,
        error: .string(limit: 1 << 20)
      ) { execution in
        try await execution.standardOutput.bytes(upTo: limit) { buffer, bytes in
          unsafe buffer.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
      }
      return ExecutionResult(
        status: result.terminationStatus,
        stdout: result.closureResult,
        stderr: result.standardError
      )
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw DepotError.noPsql
    } catch let error as SubprocessError {
      throw DepotError.oddAnswer(address: address.description, detail: "\(error)")
    } catch let error as TooManyBytes {
      throw DepotError.oddAnswer(address: address.description, detail: "\(error)")
    }
  }

  /// The messages of `psql` are in English, and there is a limit for connecting; those of the server
  /// may be in any language, so that its errors are known by their codes.
  private var environment: Environment {
    let ownLimit = ProcessInfo.processInfo.environment["PGCONNECT_TIMEOUT"]
    return Environment.inherit.updating([
      "LC_ALL": "C", "PGCLIENTENCODING": "UTF8", "PGAPPNAME": "launchlab",
      "PGCONNECT_TIMEOUT": ownLimit ?? "10",
    ])
  }

  /// The settings of the session, sent as one message.
  ///
  /// They are no `PGOPTIONS`, which `options=` in an address would replace, and which connection
  /// poolers refuse.
  private var session: String {
    let settings = [
      "client_min_messages = error", "standard_conforming_strings = on",
      "statement_timeout = '\(limits.statement)s'", "lock_timeout = '\(limits.lock)s'",
      "idle_in_transaction_session_timeout = '\(limits.statement)s'",
      "default_transaction_isolation = 'read committed'",
    ]
    return "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT never\n"
      + settings.map { "SET \($0)" }.joined(separator: "\\; ") + ";\n"
  }
}

extension Psql {
  /// A literal of SQL that stands for a text, whatever the text has in it.
  ///
  /// It is quoted by scalars, since a quote with a combining mark is another character than a quote.
  ///
  /// - Throws: ``DepotError/refused(address:rule:)`` for a text with a NUL, which PostgreSQL cannot
  ///   store.
  func literal(_ text: String) throws(DepotError) -> String {
    var quoted = "E'".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\0" {
        let rule = "\(text.debugDescription) has a NUL in it"
        throw .refused(address: address.description, rule: rule)
      }
      if scalar == "'" || scalar == "\\" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    return String(quoted) + "'"
  }
}

// MARK: - Errors

extension DepotError {
  /// The error that a `psql` which failed stands for.
  ///
  /// - Parameters:
  ///   - status: How it ended: 1 for an error of its own, 2 for a connection that failed or was
  ///     lost, 3 for an error in the script.
  ///   - stderr: What it printed there.
  ///   - address: Where the depot is.
  init(psql status: TerminationStatus, stderr: String, address: String) {
    let lines = stderr.split(whereSeparator: \.isNewline)
    for (state, message) in lines.compactMap(Self.coded) {
      self.init(state: state, message: message, address: address)
      return
    }
    let words = lines.joined(separator: " ").replacing("\t", with: " ").replacing(
      "psql: error: ",
      with: ""
    )
    if status == .exited(2),
      words.contains("connection to server") || words.contains("translate host")
    {
      self.init(connecting: words, address: address)
    } else if status == .exited(2) {
      self = .malformedAddress(address: address, reason: words)
    } else {
      let fate =
        switch status {
        case .exited(let code): "psql exited with status \(code)"
        case .signaled(let signal): "psql was ended by signal \(signal)"
        }
      self = .oddAnswer(address: address, detail: words.isEmpty ? fate : "\(fate): \(words)")
    }
  }

  /// The code and message of a line such as `psql:<stdin>:7: ERROR:  42P01: relation …`.
  ///
  /// The word before the code is in the language of the server. Warnings, whose codes begin with 0,
  /// are no error.
  private static func coded(_ line: Substring) -> (state: String, message: String)? {
    guard let start = line.firstRange(of: ":  ")?.upperBound else { return nil }
    let state = line[start...].prefix(5)
    let rest = line[start...].dropFirst(5)
    guard state.utf8.count == 5, rest.hasPrefix(": "),
      !state.hasPrefix("0") || state.hasPrefix("08"),
      state.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) })
    else { return nil }
    return (String(state), String(rest.dropFirst(2)))
  }

  /// The error for an SQLSTATE.
  ///
  /// Source: PostgreSQL 15 documentation, appendix A; `LL…` are those of ``DepotSchema``.
  private init(state: String, message: String, address: String) {
    self =
      switch state {
      case "LL001": .otherContent(address: address, reason: message)
      case "LL003": .clonedHost(address: address, reason: message)
      case "LL004": .otherLogin(address: address, reason: message)
      case "28000", "28P01": .loginRefused(address: address, reason: message)
      case "3D000": .noDatabase(address: address, reason: message)
      case "42501": .noRights(address: address, reason: message)
      case "53100": .full(address: address, reason: message)
      case "25006": .readOnly(address: address)
      case "55P03", "57014", "40001", "40P01": .busy(address: address, reason: message)
      // What the schema of a depot has is not there, or is something else.
      case "3F000", "42P01", "42703", "42883", "42804", "42809": .foreignSchema(address: address)
      default:
        switch state.prefix(2) {
        case "08", "53", "57", "58": .away(address: address, reason: message)
        case "LL", "22", "23", "54": .refused(address: address, rule: message)
        default: .oddAnswer(address: address, detail: "\(state): \(message)")
        }
      }
  }

  /// The error for a connection that failed, of which `psql` tells no code.
  ///
  /// What the client finds is in English. What the server says is so only if it is set up so; in
  /// other languages it is a refusal for a reason that is shown.
  private init(connecting words: String, address: String) {
    let reason = Self.reason(words)
    func tells(_ phrases: String...) -> Bool { phrases.contains(where: reason.contains) }
    self =
      if tells("invalid port number", "invalid integer value") {
        .malformedAddress(address: address, reason: reason)
      } else if tells("session is read-only", "session is not read-write", "in hot standby mode") {
        .readOnly(address: address)
      } else if tells(
        "the database system is",
        "too many clients",
        "too many connections",
        "connection slots",
        "timeout expired",
        "Connection refused",
        "translate host",
        "server closed the connection",
        "No such file or directory",
        "No route to host",
        "is unreachable",
        "timed out",
        "Connection reset",
        "was lost",
        "could not receive",
        "could not send"
      ) {
        .away(address: address, reason: reason)
      } else if tells("database \""), tells("does not exist") {
        .noDatabase(address: address, reason: reason)
      } else if tells("permission denied for database") {
        .noRights(address: address, reason: reason)
      } else if tells("No space left on device") {
        .full(address: address, reason: reason)
      } else {
        .loginRefused(address: address, reason: reason)
      }
  }

  /// The reason of the last try, of one for each address of the server; those are shown below it.
  private static func reason(_ words: String) -> String {
    let last = words.ranges(of: "connection to server").last.map { words[$0.upperBound...] }
    let tried = last ?? words[...]
    if tried.hasPrefix(" was lost") { return "the connection was lost" }
    let start = tried.firstRange(of: " failed: ")?.upperBound ?? tried.startIndex
    let end = tried.firstRange(of: " Is the server running")?.lowerBound ?? tried.endIndex
    return tried[start..<end].replacing("FATAL:  ", with: "").trimmingCharacters(in: .whitespaces)
  }
}
