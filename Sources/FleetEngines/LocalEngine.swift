import Foundation
import Glibc
import Subprocess
import SystemPackage

/// Hosts that are all this machine: jobs are processes, which run one after the other.
///
/// A job survives whoever submitted it. Its processes inherit the locked file `NAME.job`: it runs as long
/// as the lock is held, and after a reboot none is held. Sources: flock(1), timeout(1).
package struct LocalEngine: FleetEngine {
  private let names: [String]
  private let directory: String

  /// How long a job has from SIGTERM to SIGKILL.
  var killWait = Duration.seconds(60)

  /// Makes an engine; nothing is written before a job is submitted or a host is drained.
  ///
  /// - Parameters:
  ///   - hosts: The names of its hosts.
  ///   - directory: An absolute path, the same for all that submit jobs to the hosts.
  package init(hosts: [String], directory: String) {
    names = hosts
    self.directory = directory
  }

  package func hosts() async throws -> [FleetHost] {
    names.map { FleetHost(name: $0, obstacle: obstacle(of: $0)) }
  }

  package func jobs() async throws -> [FleetJob] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return files.filter { $0.hasSuffix(".job") }.sorted().compactMap { file -> FleetJob? in
      let name = file.dropLast(4).removingPercentEncoding
      guard let name, let found = state(of: name) else { return nil }
      let running = found.start.map { Duration.seconds(max(0, Date().timeIntervalSince1970 - $0)) }
      let reason = running == nil ? "waits for its turn" : nil
      return FleetJob(id: name, name: name, running: running, reason: reason)
    }
  }

  /// Starts a job, which waits for its turn.
  ///
  /// What it prints is added to `NAME.log` in the directory of the engine. A job whose host is drained
  /// when its turn has come ends without having run.
  package func submit(_ work: FleetWork) async throws {
    if let obstacle = obstacle(of: work.host) {
      throw FleetEngineError.refused(reason: "\(work.host) is \(obstacle)")
    }
    let limits = [killWait.seconds, max(0.001, work.timeLimit.seconds)]
    try await run(
      Self.submission,
      [path(of: work.name), Self.job, "\(path(of: work.host)).drained"]
        + limits.map { String(format: "%.3f", $0) } + [work.script()]
    )
  }

  /// Ends jobs by SIGTERM, and after a minute by SIGKILL.
  package func cancel(_ jobs: [FleetJob]) async throws {
    for job in jobs {
      guard let found = state(of: job.name), let pid = found.pid, pid > 1 else { continue }
      // `timeout` tells the program. Before it runs, and where it was killed, all of the job are told.
      let link = "/proc/\(pid)/fd/9"
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
      let isLed = found.start != nil && file?.hasSuffix("/\(job.name.fileName).job") == true
      guard kill(isLed ? pid : -pid, SIGTERM) == 0 || errno == ESRCH else {
        throw FleetEngineError.refused(reason: "the job \(job.name) belongs to another user")
      }
    }
  }

  /// Writes the reason to `HOST.drained`; removing this file brings the host back.
  package func drain(_ host: String, because reason: String) async throws {
    let script = "mkdir -p \"${1%/*}\" && printf %s \"$2\" >\"$1.drained\""
    try await run(script, [path(of: host), reason])
  }
}

// MARK: - Files and processes

extension LocalEngine {
  /// Takes the lock of a job, as descriptor 9, and starts it in a session of its own.
  ///
  /// Whoever lists jobs holds the lock for a moment.
  private static let submission = """
    mkdir -p "${1%/*}" && cd "${1%/*}" && exec 9>>"$1.job" || exit
    flock --timeout 1 9 || { echo "a job ${1##*/} waits or runs already" >&2; exit 1; }
    : >"$1.job"
    exec setsid --fork /bin/sh -c "$2" "$@" </dev/null >>"$1.log" 2>&1
    """

  /// What the session of a job does: it waits for its turn, which is the lock of descriptor 8.
  ///
  /// It has the words of the submission from the second on. `timeout` is in the foreground, since it would
  /// send each signal to the program twice else, and launchlab ends at once at the second.
  private static let job = """
    echo "$$" >&9 && exec 8>>.turn && flock 8 || exit
    if [ -e "$2" ]; then
      echo "the host is drained, nothing was started"
      exit
    fi
    echo "$$ $(date +%s)" >&9 || exit
    exec timeout --foreground --kill-after="$3" "$4" /bin/sh -c "$5"
    """

  /// Where the files of a job or a host are, without their endings.
  private func path(of name: String) -> String { "\(directory)/\(name.fileName)" }

  /// Why a host takes no job; nil if it does.
  private func obstacle(of host: String) -> String? {
    let reason = try? String(contentsOfFile: "\(path(of: host)).drained", encoding: .utf8)
    return reason.map { "drained: " + $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
  }

  /// The first process of a job, and when its turn came in seconds since 1970; nil if nobody holds its lock.
  ///
  /// The process is missing for a moment while the job is being submitted.
  private func state(of name: String) -> (pid: pid_t?, start: Double?)? {
    let path = "\(path(of: name)).job"
    let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
    guard let file else { return nil }
    defer { try? file.close() }
    guard flock(file.rawValue, LOCK_SH | LOCK_NB) != 0 else { return nil }
    let content = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let words = content.split(whereSeparator: \.isNewline).last?.split(separator: " ") ?? []
    return (words.first.flatMap { pid_t($0) }, words.dropFirst().first.flatMap { Double($0) })
  }

  private func run(_ script: String, _ words: [String]) async throws {
    let result = try await Subprocess.run(
      .path("/bin/sh"),
      arguments: Arguments(["-c", script, "sh"] + words),
      input: .none,
      output: .discarded,
      error: .string(limit: 1 << 16)
    )
    guard result.terminationStatus == .exited(0) else {
      let reason = result.standardError.trimmingCharacters(in: .whitespacesAndNewlines)
      throw FleetEngineError.refused(reason: reason)
    }
  }
}
