import Foundation
import Glibc
import Subprocess
import SystemPackage
import Testing

@testable import FleetEngines

/// A Slurm cluster of a test on this machine: a controller and the hosts `h1` to `h4`.
///
/// It has its own key, ports of the loopback device, and everything else in its directory. The
/// partition `measure`, the default, has all hosts, `build` only the first.
struct SlurmCluster: Sendable {
  let directory: String
  private let supervisor: StandardInputWriter

  @TaskLocal static var current: SlurmCluster?

  static let hosts = ["h1", "h2", "h3", "h4"]

  /// What keeps a cluster from being started here; nil if nothing does.
  static let obstacle: String? = {
    let programs = ["slurmctld", "slurmd", "munged"].map { "/usr/sbin/\($0)" }
    if !programs.allSatisfy(FileManager.default.isExecutableFile(atPath:)) {
      return "needs a Slurm controller, packages slurmctld, slurmd and munge"
    }
    return geteuid() == 0 ? nil : "needs root for a namespace of processes"
  }()

  /// A program of the cluster.
  enum Daemon: Sendable {
    case munged
    case slurmctld

    /// The one of a host, without the jobs that it has started.
    case slurmd(String)

    fileprivate var name: String {
      switch self {
      case .munged: "munged"
      case .slurmctld: "slurmctld"
      case .slurmd(let host): host
      }
    }
  }

  /// The engine for the cluster.
  func engine(partition: String? = nil) -> SlurmEngine {
    var engine = SlurmEngine(partition: partition)
    engine.environment["SLURM_CONF"] = "\(directory)/slurm.conf"
    // Among hundreds of tests it takes minutes to hear that a command has ended.
    engine.patience = .seconds(900)
    return engine
  }

  /// Runs a command of Slurm.
  @discardableResult
  func run(_ command: String, _ arguments: String...) async throws -> String {
    let result = try await Subprocess.run(
      .name(command),
      arguments: Arguments(arguments),
      environment: .inherit.updating(["SLURM_CONF": "\(directory)/slurm.conf"]),
      output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20)
    )
    try #require(result.terminationStatus == .exited(0), "\(result.standardError)")
    return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Ends a daemon by SIGKILL.
  func kill(_ daemon: Daemon) async throws { try await tell("kill", daemon.name) }

  /// Ends a host as a power cut does: its daemon and the jobs on it, by SIGKILL.
  func lose(_ host: String) async throws { try await tell("lose", host) }

  /// Starts a daemon that was ended.
  func start(_ daemon: Daemon) async throws { try await tell("start", daemon.name) }

  /// Waits until all hosts take jobs.
  func isUp() async throws {
    try await eventually("\(log)") {
      do {
        let hosts = try await engine().hosts()
        return hosts.count == Self.hosts.count && hosts.allSatisfy { $0.obstacle == nil }
      } catch FleetEngineError.away {
        return false
      }
    }
  }

  private func tell(_ order: String, _ name: String) async throws {
    let answer = "\(directory)/\(UUID().uuidString)"
    _ = try await supervisor.write("\(order) \(name) \(answer)\n")
    try await eventually("\(order) \(name)") { FileManager.default.fileExists(atPath: answer) }
  }

  private var log: String {
    (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "no log"
  }
}

// MARK: - Start and end

extension SlurmCluster {
  /// Runs a cluster while `body` does.
  ///
  /// A shell is the parent of all in a namespace of processes. When the pipe from this process ends,
  /// thus also when this process dies, the shell does, all jobs with it, and the directory goes.
  static func run(
    in directory: String,
    _ body: (SlurmCluster) async throws -> Void
  ) async throws {
    try Self.configuration(directory).write(
      toFile: "\(directory)/slurm.conf",
      atomically: false,
      encoding: .utf8
    )
    _ = try await Subprocess.run(
      .name("unshare"),
      arguments: Arguments(
        [
          "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c", supervision, "sh",
          directory,
        ] + hosts
      ),
      environment: .custom([
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
        "SLURM_CONF": "\(directory)/slurm.conf",
      ]),
      workingDirectory: FilePath(directory),
      input: .inputWriter,
      output: .discarded,
      error: .discarded
    ) { execution in
      let cluster = SlurmCluster(directory: directory, supervisor: execution.standardInputWriter)
      try await cluster.isUp()
      try await body(cluster)
      _ = try await execution.standardInputWriter.write("stop\n")
    }
  }

  private static let supervision = """
    exec >>"$1/log" 2>&1
    dir=$1
    shift
    start() {
      case $1 in
        munged)
          munged -F --force --socket="$dir/munge.socket" --key-file="$dir/munge.key" --num-threads=2 \\
            --log-file="$dir/munge.log" --pid-file="$dir/munge.pid" --seed-file="$dir/munge.seed" & ;;
        slurmctld) slurmctld -D & ;;
        *) SLURMD_NODENAME=$1 slurmd -D -N "$1" & ;;
      esac
      echo $! >"$dir/$1.daemon"
    }
    end() {
      kill -9 "$(cat "$dir/$1.daemon")"
      wait "$(cat "$dir/$1.daemon")"
    }
    lose() {
      for process in /proc/[0-9]*; do
        tr '\\0' '\\n' <"$process/environ" | grep -qx "SLURMD_NODENAME=$1" && kill -9 "${process#/proc/}"
      done
      wait "$(cat "$dir/$1.daemon")"
    }
    head -c 1024 /dev/urandom >"$dir/munge.key"
    chmod 400 "$dir/munge.key"
    for host; do mkdir "$dir/$host"; done
    start munged
    until [ -S "$dir/munge.socket" ]; do sleep 0.02; done
    start slurmctld
    for host; do start "$host"; done
    while read -r order name answer; do
      case $order in
        start) start "$name" ;;
        kill) end "$name" ;;
        lose) lose "$name" ;;
        stop) break ;;
      esac
      : >"$answer"
    done
    kill -9 -1
    wait
    [ "$order" = stop ] || rm -rf "$dir"
    """

  private static func configuration(_ directory: String) throws -> String {
    let machine = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
      .prefix { !$0.isNewline && $0 != "." }
    let ports = try freePorts(hosts.count + 1)
    let nodes = zip(hosts, ports.dropFirst()).map { host, port in
      "NodeName=\(host) NodeHostname=\(machine) NodeAddr=127.0.0.1 Port=\(port) CPUs=2"
    }
    return """
      ClusterName=lab
      SlurmctldHost=\(machine)(127.0.0.1)
      SlurmctldPort=\(ports[0])
      SlurmctldPidFile=\(directory)/slurmctld.pid
      SlurmctldLogFile=\(directory)/slurmctld.log
      StateSaveLocation=\(directory)/state
      SlurmdPidFile=\(directory)/%n.pid
      SlurmdLogFile=\(directory)/%n.log
      SlurmdSpoolDir=\(directory)/%n
      SlurmdParameters=config_overrides
      SlurmUser=root
      SlurmdUser=root
      AuthType=auth/munge
      AuthInfo=socket=\(directory)/munge.socket
      CredType=cred/munge
      MpiDefault=none
      ProctrackType=proctrack/linuxproc
      TaskPlugin=task/none
      SelectType=select/cons_tres
      SelectTypeParameters=CR_CPU
      SchedulerParameters=sched_interval=2
      JobAcctGatherType=jobacct_gather/none
      AccountingStorageType=accounting_storage/none
      JobCompType=jobcomp/none
      ReturnToService=2
      KillWait=2
      MessageTimeout=2
      SlurmdTimeout=10
      MinJobAge=2
      BatchStartTimeout=2
      \(nodes.joined(separator: "\n"))
      PartitionName=measure Nodes=\(hosts.joined(separator: ",")) Default=YES OverSubscribe=EXCLUSIVE
      PartitionName=build Nodes=\(hosts[0])

      """
  }

  /// Ports of the loopback device that nobody has, below those that the kernel gives out.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    var ports: [UInt16] = []
    for port in (UInt16(15_000)..<32_000).shuffled() where ports.count < count {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let status = unsafe withUnsafePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if status == 0 { ports.append(port) }
    }
    try #require(ports.count == count)
    return ports
  }
}

/// A trait that runs one cluster for all tests of a suite.
struct SlurmTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let directory = "/tmp/launchlab-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    try FileManager.default.createDirectory(
      atPath: "\(directory)/state",
      withIntermediateDirectories: false
    )
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await SlurmCluster.run(in: directory) { cluster in
      try await SlurmCluster.$current.withValue(cluster) { try await function() }
    }
  }
}

/// Waits until a condition holds, a quarter of an hour at most.
///
/// - Parameters:
///   - what: What is waited for, for the message.
///   - condition: The condition.
/// - Throws: What the condition throws, or an error of the test when the time is over.
func eventually(
  _ what: @autoclosure () -> String,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(900)
  while try await !condition() {
    try #require(ContinuousClock.now < end, "\(what())")
    try await Task.sleep(for: .milliseconds(50))
  }
}
