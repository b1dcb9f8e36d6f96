import CLabHost
import Foundation
import Glibc
import LaunchCore
import Subprocess
import SystemPackage

/// Slurm, by its commands.
///
/// Slurm acknowledges a job seconds before it is on disk, and gives the ids of lost jobs out again. So
/// a submission is a hint, and whoever asks for the jobs knows them by their names. Jobs are never
/// requeued by Slurm: only one party decides what runs again.
package struct SlurmEngine: FleetEngine {
  /// Where jobs are submitted to; nil for the default partition.
  private let partition: String?

  /// What the commands find in their environment, `SLURM_CONF` for one.
  var environment = ProcessInfo.processInfo.environment

  /// How long a command may take; without a controller they give up after 4 to 9 s.
  var patience = Duration.seconds(30)

  package init(partition: String?) {
    self.partition = partition
  }

  package func hosts() async throws -> [FleetHost] {
    let format = SlurmRecord.format("%N", "%P", "%a", "%T", "%E")
    let filter = partition.map { ["--partition=\($0)"] } ?? []
    let answer = try await run("sinfo", ["--noheader", "--Node", "-o", format] + filter)
    var hosts = try SlurmRecord.hosts(answer, ofDefault: partition == nil)
    if let partition, hosts.isEmpty { throw FleetEngineError.unknownPartition(partition) }
    let starts = SlurmRecord.starts(try await run("scontrol", ["show", "node", "--oneliner"]))
    let now = Date()
    for index in hosts.indices {
      hosts[index].up = starts[hosts[index].name].map {
        .seconds(max(0, now.timeIntervalSince($0)))
      }
    }
    return hosts
  }

  /// The jobs that wait or run, whoever submitted them; those that are being ended run.
  package func jobs() async throws -> [FleetJob] {
    let format = SlurmRecord.format("%i", "%T", "%M", "%r", "%j")
    return try SlurmRecord.jobs(try await run("squeue", ["--noheader", "-o", format]))
  }

  /// Asks for a job that has a host to itself.
  ///
  /// What it prints is added to `.launchlab/fleet/NAME.log` in its working directory. It sees the
  /// environment that its user has on the host, not the one of who submits.
  package func submit(_ work: FleetWork) async throws {
    guard work.host.isPlainHost else { throw FleetEngineError.unknownHost(work.host) }
    let script = try work.script(log: (".launchlab/fleet", "\(work.name.fileName).log"))
    var arguments = [
      "--parsable", "--job-name=\(work.name)", "--nodelist=\(work.host)", "--nodes=1",
      "--exclusive", "--mem=0", "--no-requeue", "--export=NONE", "--chdir=\(work.directory)",
      "--output=/dev/null", "--time=\(work.minutes)",
    ]
    if let partition { arguments.append("--partition=\(partition)") }
    _ = try await run("sbatch", arguments, input: script, host: work.host)
  }

  /// Ends jobs by SIGTERM, and after the `KillWait` of the cluster by SIGKILL.
  ///
  /// Each is named by its id and its name: an id that was given out again is another job's.
  package func cancel(_ jobs: [FleetJob]) async throws {
    for job in jobs {
      do {
        _ = try await run("scancel", ["--name=\(job.name)", job.id])
      } catch FleetEngineError.refused(let reason)
        where reason.hasSuffix("Invalid job id specified")
        || reason.hasSuffix("Job/step already completing or completed")
      {
        continue
      }
    }
  }

  package func drain(_ host: String, because reason: String) async throws {
    guard host.isPlainHost else { throw FleetEngineError.unknownHost(host) }
    let line = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    let change = ["nodename=\(host)", "state=drain", "reason=\(line)"]
    _ = try await run("scontrol", ["update"] + change, host: host)
  }

  /// Brings hosts back that were drained since a controller that had crashed began a job a second time.
  package func mend(_ hosts: [FleetHost]) async throws -> Bool {
    let obstacles = ["drained: Duplicate jobid", "draining: Duplicate jobid"]
    let drained = hosts.filter { $0.obstacle.map(obstacles.contains) ?? false }
    for host in drained {
      let change = ["nodename=\(host.name)", "state=resume"]
      _ = try await run("scontrol", ["update"] + change, host: host.name)
    }
    return !drained.isEmpty
  }
}

extension FleetWork {
  /// The limit in whole minutes, in which Slurm counts; 0 would be none.
  fileprivate var minutes: Int { max(1, Int((timeLimit.seconds / 60).rounded(.up))) }
}

extension String {
  /// Whether Slurm reads the text as one host: `h[1-4]` and `a,b` are several.
  fileprivate var isPlainHost: Bool { wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil }
}

// MARK: - Answers

/// What `squeue` and `sinfo` list.
///
/// Reasons of administrators have anything in them, line ends too, so that fields and records end with
/// separators of ASCII that were made for it.
enum SlurmRecord {
  private static let field: Character = "\u{1F}"
  private static let record: Character = "\u{1E}"

  static func format(_ fields: String...) -> String {
    fields.joined(separator: String(field)) + String(record)
  }

  private static func records(
    _ answer: String,
    of command: String,
    fields: Int
  ) throws(FleetEngineError) -> [[String]] {
    var records: [[String]] = []
    for line in answer.split(separator: record) {
      let line = line.trimmingPrefix(while: \.isNewline)
      if line.isEmpty { continue }
      let parts = line.split(separator: field, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == fields else {
        throw .oddAnswer(command: command, detail: String(line.prefix(200)).debugDescription)
      }
      records.append(parts)
    }
    return records
  }

  /// The hosts that `sinfo` listed, once for each of their partitions.
  ///
  /// - Parameters:
  ///   - answer: What it printed.
  ///   - ofDefault: Whether only those of the default partition count, which has a star.
  /// - Returns: Each host once, in the order of the answer.
  /// - Throws: ``FleetEngineError/oddAnswer(command:detail:)``.
  static func hosts(_ answer: String, ofDefault: Bool) throws(FleetEngineError) -> [FleetHost] {
    try records(answer, of: "sinfo", fields: 5)
      .filter { !ofDefault || $0[1].hasSuffix("*") }
      .map { parts in
        let isUp = parts[2] == "up"
        let partition = "partition \(parts[1].filter { $0 != "*" }) is \(parts[2])"
        return FleetHost(
          name: parts[0],
          obstacle: obstacle(state: parts[3], reason: parts[4]) ?? (isUp ? nil : partition)
        )
      }
  }

  /// When the slurmd of each node was started, which `scontrol show node --oneliner` printed.
  ///
  /// - Parameter answer: Its times are seconds since 1970; a node that was never there has none.
  /// - Returns: The times by the names of the nodes.
  static func starts(_ answer: String) -> [String: Date] {
    var starts: [String: Date] = [:]
    for line in answer.matches(of: /(?m)^NodeName=(\S+) .*?\bSlurmdStartTime=([0-9]+)/) {
      starts[String(line.1)] = TimeInterval(line.2).map(Date.init(timeIntervalSince1970:))
    }
    return starts
  }

  /// Why a node takes no job; nil if it does, now or after the job that it has.
  ///
  /// Source: sinfo(1), "NODE STATE CODES". A node that `~` saves power is started for a job. One is `unknown`
  /// until a controller that was just started has heard from it.
  private static func obstacle(state: String, reason: String) -> String? {
    let name = state.prefix { $0.isLetter || $0 == "_" }
    let marks = state.dropFirst(name.count)
    let takesJobs = ["idle", "mixed", "allocated", "completing", "planned", "unknown"]
      .contains(name)
    if takesJobs, marks.allSatisfy({ "+-~#".contains($0) }) { return nil }
    var words = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    if words == "none" { words = marks.contains("*") ? "Not responding" : "" }
    let known = marks.contains("*") ? String(name) : state
    return words.isEmpty ? known : "\(known): \(words)"
  }

  /// The jobs that `squeue` listed, without those that have ended meanwhile.
  ///
  /// - Parameter answer: What it printed.
  /// - Returns: The jobs, in the order of the answer.
  /// - Throws: ``FleetEngineError/oddAnswer(command:detail:)``.
  static func jobs(_ answer: String) throws(FleetEngineError) -> [FleetJob] {
    var jobs: [FleetJob] = []
    for parts in try records(answer, of: "squeue", fields: 5) {
      let reason = parts[3] == "None" ? nil : parts[3]
      var job = FleetJob(id: parts[0], name: parts[4])
      switch parts[1] {
      case "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "DEADLINE",
        "OUT_OF_MEMORY", "PREEMPTED", "REVOKED":
        continue
      case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT":
        job.reason = reason
      default:
        guard let time = duration(parts[2]) else {
          throw .oddAnswer(command: "squeue", detail: "\(parts[2].debugDescription) as a time")
        }
        job.running = time
      }
      jobs.append(job)
    }
    return jobs
  }

  /// A time such as `3:07`, `1:00:00` or `2-00:00:00`.
  ///
  /// A clock that was set back gives `INVALID`, which is a job that has just begun.
  private static func duration(_ text: String) -> Duration? {
    if text == "INVALID" { return .zero }
    let days = text.split(separator: "-")
    let parts = (days.last ?? "").split(separator: ":").map { Int($0) }
    let day = days.count == 2 ? Int(days[0]) : 0
    guard let day, 1...2 ~= days.count, 2...3 ~= parts.count, !parts.contains(nil) else {
      return nil
    }
    let clock = parts.compactMap(\.self).reduce(0) { $0 * 60 + $1 }
    return .seconds(day * 86_400 + clock)
  }
}

// MARK: - Commands

extension SlurmEngine {
  /// Runs a command of Slurm.
  ///
  /// Its input lies in a file without a name in memory. A pipe would end launchlab by SIGPIPE where
  /// the command ends without having read it all.
  private func run(
    _ command: String,
    _ arguments: [String],
    input: String = "",
    host: String = ""
  ) async throws -> String {
    let result = try await withThrowingTaskGroup(of: Answer?.self) { group in
      group.addTask { try await start(command, arguments, input: Array(input.utf8)) }
      group.addTask {
        try await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    try Task.checkCancellation()
    guard let result else { throw FleetEngineError.tooSlow(command: command, limit: patience) }
    guard result.status == .exited(0) else {
      throw FleetEngineError(
        slurm: command,
        ended: result.status,
        stderr: result.stderr,
        host: host,
        partition: partition ?? ""
      )
    }
    return result.stdout
  }

  /// What a command that ended has left.
  private struct Answer: Sendable {
    let status: TerminationStatus
    let stdout: String
    let stderr: String
  }

  private func start(
    _ command: String,
    _ arguments: [String],
    input: [UInt8]
  ) async throws -> Answer {
    let descriptor = lab_make_memory_file()
    guard descriptor >= 0 else {
      let reason = "no memory for its input: \(Errno(rawValue: -descriptor))"
      throw FleetEngineError.oddAnswer(command: command, detail: reason)
    }
    let file = FileDescriptor(rawValue: descriptor)
    defer { try? file.close() }
    do {
      try file.writeAll(toAbsoluteOffset: 0, input)
      let result = try await Subprocess.run(
        .name(command),
        arguments: Arguments(arguments),
        environment: .custom(commandEnvironment),
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .sequence,
        error: .string(limit: 1 << 20)
      ) { execution in
        try await execution.standardOutput.bytes(upTo: 1 << 26) { buffer, bytes in
          unsafe buffer.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
      }
      return Answer(
        status: result.terminationStatus,
        stdout: String(decoding: result.closureResult, as: UTF8.self),
        stderr: result.standardError
      )
    } catch let error as SubprocessError where error.code == .executableNotFound {
      throw FleetEngineError.noCommand(command)
    } catch let error as SubprocessError {
      throw FleetEngineError.oddAnswer(command: command, detail: "\(error)")
    } catch let error as Errno {
      throw FleetEngineError.oddAnswer(command: command, detail: "\(error)")
    } catch let error as TooManyBytes {
      throw FleetEngineError.oddAnswer(command: command, detail: "\(error)")
    }
  }

  /// The messages are in English, and no variable of the user changes what the commands list.
  private var commandEnvironment: [Environment.Key: String] {
    let filters = ["SQUEUE_", "SINFO_", "SCANCEL_"]
    var result: [Environment.Key: String] = ["LC_ALL": "C", "SLURM_TIME_FORMAT": "%s"]
    for (name, value) in environment
    where !["LC_ALL", "SLURM_TIME_FORMAT"].contains(name)
      && !filters.contains(where: name.hasPrefix)
    {
      result[Environment.Key(stringLiteral: name)] = value
    }
    return result
  }
}

extension FleetEngineError {
  /// The error that a command of Slurm which failed stands for.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - status: How it ended.
  ///   - stderr: What it printed there.
  ///   - host: The host that it was asked for.
  ///   - partition: The partition that it was asked for.
  ///
  /// Source: the messages of Slurm 22.05, `src/common/slurm_errno.c`.
  init(
    slurm command: String,
    ended status: TerminationStatus,
    stderr: String,
    host: String,
    partition: String
  ) {
    let lines = stderr.split(whereSeparator: \.isNewline)
    let last = lines.last.map(String.init) ?? ""
    let start = last.ranges(of: /(failed|error|fatal|load_[a-z]+):[ ]/).last?.upperBound
    let reason = start.map { String(last[$0...]) } ?? last
    func tells(_ phrases: String...) -> Bool { phrases.contains(where: stderr.contains) }
    self =
      if tells(
        "Unable to contact slurm controller",
        "Socket timed out",
        "Zero Bytes were transmitted",
        "backup controller in standby mode",
        "temporarily unable to accept job",
        "Connection refused"
      ) {
        .away(reason: reason)
      } else if tells(
        "process configuration file",
        "establish a configuration source",
        "stat file"
      ) {
        .notConfigured(reason: reason)
      } else if tells("Invalid node name") {
        .unknownHost(host)
      } else if tells("Invalid partition name") {
        .unknownPartition(partition)
      } else if ["sbatch", "scontrol", "scancel"].contains(command), start != nil {
        .refused(reason: reason)
      } else {
        switch status {
        case .exited(let code):
          .oddAnswer(command: command, detail: "status \(code)\(last.isEmpty ? "" : ": \(last)")")
        case .signaled(let signal):
          .oddAnswer(command: command, detail: "ended by signal \(signal)")
        }
      }
  }
}
