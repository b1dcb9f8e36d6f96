import Foundation
import Glibc
import Subprocess
import SystemPackage

/// Hosts that are all this machine: jobs are processes, which run one after the other.
///
/// A job survives whoever submitted it. Its file `NAME.job` is locked by the processes of the job,
/// which inherit the open file: it runs as long as the lock is held, whatever became of its pid, and
/// after a reboot none is held. Processes that close what they inherit, as daemons do, are no part of
/// it any more. Source: flock(2).
package struct LocalEngine: FleetEngine {
  private let names: [String]
  private let directory: FilePath

  /// How long a job has from SIGTERM to SIGKILL.
  var killWait = Duration.seconds(60)

  /// Makes an engine; nothing is written before a job is submitted or a host is drained.
  ///
  /// - Parameters:
  ///   - hosts: The names of its hosts.
  ///   - directory: An absolute path, the same for all that submit jobs to the hosts.
  package init(hosts: [String], directory: String) {
    names = hosts
    self.directory = FilePath(directory)
  }

  package func hosts() async throws -> [FleetHost] {
    try names.map { name in
      FleetHost(name: name, obstacle: try drainReason(of: name).map { "drained: \($0)" })
    }
  }

  package func jobs() async throws -> [FleetJob] {
    let now = Date().timeIntervalSince1970
    return try jobFiles().compactMap { path in
      guard let held = try HeldJob(path) else { return nil }
      let running = held.start.map { Duration.seconds(max(0, now - $0)) }
      let reason = running == nil ? "waits for its turn" : nil
      return FleetJob(id: held.id, name: held.name, running: running, reason: reason)
    }
  }

  /// Starts a job, which waits for its turn.
  ///
  /// What it prints is added to `NAME.log` in the directory of the engine. A job whose host is drained
  /// when its turn has come ends without having run.
  package func submit(_ work: FleetWork) async throws {
    guard names.contains(work.host) else { throw FleetEngineError.unknownHost(work.host) }
    if let reason = try drainReason(of: work.host) {
      throw FleetEngineError.refused(reason: "\(work.host) is drained: \(reason)")
    }
    let script = try work.script()
    try makeDirectory()
    let path = directory.appending("\(work.name.fileName).job")
    let lock = try await lock(path, of: work.name)
    defer { try? lock.close() }
    let job = SubmittedJob(
      id: UUID().uuidString,
      name: work.name,
      host: work.host,
      limit: work.timeLimit.seconds
    )
    do {
      try lock.resize(to: 0)
      try lock.writeAll(JSONEncoder().encode(job) + Data("\n".utf8))
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "\(error)")
    }
    try await start(script, of: job, lock: lock)
  }

  /// Ends jobs by SIGTERM, and after a minute by SIGKILL.
  package func cancel(_ jobs: [FleetJob]) async throws {
    for job in jobs {
      let path = directory.appending("\(job.name.fileName).job")
      if let held = try HeldJob(path), held.id == job.id { try held.end() }
    }
  }

  /// Writes the reason to `HOST.drained`; removing this file brings the host back.
  package func drain(_ host: String, because reason: String) async throws {
    guard names.contains(host) else { throw FleetEngineError.unknownHost(host) }
    try makeDirectory()
    let path = drainFile(of: host)
    do {
      try reason.write(toFile: path.string, atomically: true, encoding: .utf8)
    } catch {
      throw FleetEngineError(error, at: path)
    }
  }
}

// MARK: - Files

extension LocalEngine {
  private func drainFile(of host: String) -> FilePath {
    directory.appending("\(host.fileName).drained")
  }

  /// Why a host is drained; nil if it is not.
  private func drainReason(of host: String) throws -> String? {
    let path = drainFile(of: host)
    guard let content = try HeldJob.content(path) else { return nil }
    return content.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private func makeDirectory() throws(FleetEngineError) {
    do {
      try FileManager.default.createDirectory(
        atPath: directory.string,
        withIntermediateDirectories: true
      )
    } catch {
      throw FleetEngineError(error, at: directory)
    }
  }

  private func jobFiles() throws(FleetEngineError) -> [FilePath] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.string)
      return names.filter { $0.hasSuffix(".job") }.sorted().map { directory.appending($0) }
    } catch CocoaError.fileReadNoSuchFile {
      return []
    } catch {
      throw FleetEngineError(error, at: directory)
    }
  }

  /// Takes the lock of a job that does not run.
  ///
  /// Whoever lists jobs holds it for a moment, so that it is tried again.
  private func lock(_ path: FilePath, of name: String) async throws -> FileDescriptor {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        path,
        .readWrite,
        options: [.create, .append, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead]
      )
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "\(error)")
    }
    for _ in 0..<50 {
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return file }
      do {
        try await Task.sleep(for: .milliseconds(10))
      } catch {
        try? file.close()
        throw error
      }
    }
    try? file.close()
    throw FleetEngineError.refused(reason: "a job \(name) waits or runs already")
  }
}

extension FleetEngineError {
  /// The error for a file that Foundation cannot use, with the system's reason where it has one.
  fileprivate init(_ error: any Error, at path: FilePath) {
    let cause = (error as? CocoaError)?.underlying as? POSIXError
    let reason = cause.map { "\(Errno(rawValue: $0.code.rawValue))" } ?? error.localizedDescription
    self = .file(path: path.string, reason: reason)
  }
}

// MARK: - Processes

extension LocalEngine {
  /// What a job does until its turn, in a session of its own.
  ///
  /// Descriptor 9 is the lock of the job and 8 the turn; the program inherits both. `timeout` is in the
  /// foreground, since it would send each signal to the program twice else, and launchlab ends at once
  /// at the second.
  private static let supervision = """
    exec 9<&0 </dev/null 8>>"$1/.turn" || exit
    flock 8 || exit
    if [ -e "$2" ]; then
      echo "the host is drained, nothing was started"
      exit
    fi
    printf '{"pid":%s,"start":%s}\\n' "$$" "$(date +%s)" >&9 || exit
    exec timeout --foreground --kill-after="$3" "$4" /bin/sh -c "$5"
    """

  private func start(_ script: String, of job: SubmittedJob, lock: FileDescriptor) async throws {
    let path = directory.appending("\(job.name.fileName).log")
    let log: FileDescriptor
    do {
      log = try FileDescriptor.open(
        path,
        .writeOnly,
        options: [.create, .append, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead]
      )
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "\(error)")
    }
    defer { try? log.close() }
    let limits = [killWait.seconds, max(0.001, job.limit)].map { String(format: "%.3f", $0) }
    let drained = drainFile(of: job.host).string
    do {
      let result = try await Subprocess.run(
        .name("setsid"),
        arguments: Arguments(
          ["--fork", "/bin/sh", "-c", Self.supervision, "sh", directory.string, drained]
            + limits + [script]
        ),
        workingDirectory: directory,
        input: .fileDescriptor(lock, closeAfterSpawningProcess: false),
        output: .fileDescriptor(log, closeAfterSpawningProcess: false),
        error: .fileDescriptor(log, closeAfterSpawningProcess: false)
      )
      guard result.terminationStatus == .exited(0) else {
        let detail = "\(result.terminationStatus), see \(path)"
        throw FleetEngineError.oddAnswer(command: "setsid", detail: detail)
      }
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw FleetEngineError.noCommand("setsid")
    } catch let error as SubprocessError {
      throw FleetEngineError.oddAnswer(command: "setsid", detail: "\(error)")
    }
  }
}

/// The first line of a job's file, written by who submits it.
private struct SubmittedJob: Codable {
  var id: String
  var name: String
  var host: String

  /// In seconds.
  var limit: Double
}

/// The second line, written by the job when its turn has come.
private struct StartedJob: Codable {
  var pid: Int32

  /// In seconds since 1970.
  var start: Double
}

/// A job whose lock is held: it waits or runs.
private struct HeldJob {
  private let path: FilePath
  private let submitted: SubmittedJob
  private let started: StartedJob?

  var id: String { submitted.id }
  var name: String { submitted.name }
  var start: Double? { started?.start }

  /// Reads the file of a job; nil if nobody holds its lock.
  ///
  /// - Parameter path: Where the file is.
  /// - Throws: ``FleetEngineError``.
  init?(_ path: FilePath) throws {
    // It is empty for a moment while the job is being submitted.
    guard try Self.isHeld(path), let content = try Self.content(path), !content.isEmpty else {
      return nil
    }
    let lines = content.split(separator: "\n").map { Data($0.utf8) }
    do {
      submitted = try JSONDecoder().decode(SubmittedJob.self, from: lines.first ?? Data())
      started = try lines.dropFirst().first.map {
        try JSONDecoder().decode(StartedJob.self, from: $0)
      }
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "it is not the file of a job")
    }
    self.path = path
  }

  private static func isHeld(_ path: FilePath) throws -> Bool {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
      defer { try? file.close() }
      if flock(file.rawValue, LOCK_SH | LOCK_NB) == 0 { return false }
      let failure = Errno(rawValue: errno)
      if failure == .wouldBlock { return true }
      throw failure
    } catch Errno.noSuchFileOrDirectory {
      return false
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "\(error)")
    }
  }

  /// What is in a file; nil if there is none.
  static func content(_ path: FilePath) throws -> String? {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
      let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: true)
      return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    } catch Errno.noSuchFileOrDirectory {
      return nil
    } catch {
      throw FleetEngineError.file(path: path.string, reason: "\(error)")
    }
  }

  /// Sends SIGTERM to the process that ends the others, or to all if it is gone or not there yet.
  ///
  /// What these start meanwhile is told in the next round.
  func end() throws {
    var told: Set<pid_t> = []
    while true {
      let holders = try holders().filter { !told.contains($0) }
      let leader = holders.filter { $0 == started?.pid }
      for pid in leader.isEmpty ? holders : leader where kill(pid, SIGTERM) != 0 && errno != ESRCH {
        throw FleetEngineError.refused(reason: "the job \(name) belongs to another user")
      }
      if !leader.isEmpty { return }
      if holders.isEmpty { break }
      told.formUnion(holders)
    }
    if told.isEmpty, try Self.isHeld(path) {
      throw FleetEngineError.refused(reason: "the job \(name) belongs to another user")
    }
  }

  /// The processes of the job: those that have its file open as descriptor 9, or still as 0.
  private func holders() throws -> [pid_t] {
    guard let own = Self.identity(path.string) else {
      throw FleetEngineError.file(path: path.string, reason: "\(Errno(rawValue: errno))")
    }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(pid_t.init)
      .filter { pid in
        pid != getpid() && [0, 9].contains { Self.identity("/proc/\(pid)/fd/\($0)") == own }
      }
  }

  /// The device and number of a file; nil where they cannot be read.
  private static func identity(_ path: String) -> [UInt]? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return [status.st_dev, status.st_ino]
  }
}
