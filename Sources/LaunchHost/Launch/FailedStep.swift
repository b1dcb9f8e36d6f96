import CLaunchWire
import Glibc
import LaunchCore
import SystemPackage

/// What a launch that was not started failed at.
struct FailedStep {
  var step: wire_step
  var errno: Int32

  /// The inode of the socket in the way, if any.
  var detail: UInt64

  /// The reason in words, with what to do about it where that is known.
  func reason(for request: LaunchRequest) -> String {
    let error = Errno(rawValue: errno).description.lowercased()
    return switch step {
    case STEP_EXECUTE:
      "cannot execute \"\(request.program)\": \(executeReason(request.program, error))"
    case STEP_DIRECTORY: "cannot enter the directory \"\(request.directory)\": \(error)"
    case STEP_INPUT:
      "cannot open the standard input \"\(request.standardInput ?? "/dev/null")\": \(error)"
    case STEP_OUTPUT: "cannot make the output streams: \(error)"
    case STEP_CLONE: "cannot make a process: \(error)"
    case STEP_NOTIFY: "cannot make the notification socket: \(error)"
    case STEP_PATTERN: "the pattern is not an extended regular expression"
    case STEP_PORT_IN_USE: portReason(request.ready)
    case STEP_SOCKET_IN_USE:
      "\(request.ready) already accepts; stop who listens there, or choose another path"
    case STEP_FILE_EXISTS:
      "\(request.ready) already exists; remove it, or let the target make another one"
    case STEP_AFFINITY:
      refusal.affinity(request.conditions.cpus, available: ProcessAffinity.available())
    case STEP_PERSONALITY: refusal.personality
    case STEP_PRIORITY: refusal.priority(request.conditions.priority)
    case STEP_NETWORK: refusal.network
    case STEP_REALTIME: refusal.realTime
    default: error
    }
  }

  private var refusal: ConditionRefusal { ConditionRefusal(errno: errno) }

  private func executeReason(_ program: String, _ error: String) -> String {
    switch errno {
    case ENOENT where unsafe access(program, F_OK) == 0:
      missingInterpreter(of: program)
    case ENOENT: "no such file"
    case EACCES: "permission denied; make it executable, on a file system that is not noexec"
    case ENOEXEC where ProgramFile(at: FilePath(program)) == .pointer:
      "it is \(ProgramFile.pointerReason); \(ProgramFile.pointerRemedy)"
    case ENOEXEC: "exec format error: no #! line, or a program for another machine?"
    case E2BIG: "its arguments and its environment are too large"
    case ETXTBSY: "it is open for writing"
    default: error
    }
  }

  /// Names the loader or interpreter that is missing, through interpreters that are scripts.
  private func missingInterpreter(of program: String) -> String {
    var file = program
    for _ in 0..<5 {
      switch ProgramFile(at: FilePath(file)) {
      case .dynamic(let loader): return "its loader \"\(loader)\" does not exist"
      case .script(let interpreter, _):
        guard unsafe access(interpreter, F_OK) == 0 else {
          let problem = "its interpreter \"\(interpreter)\" does not exist"
          return interpreter.hasSuffix("\r")
            ? "\(problem): lines end with CR LF; convert with `sed -i 's/\\r$//' '\(file)'`"
            : problem
        }
        file = interpreter
      default: return "its interpreter does not exist"
      }
    }
    return "its interpreter does not exist"
  }

  private func portReason(_ ready: Readiness) -> String {
    let port =
      switch ready {
      case .tcp(_, let port), .http(_, let port, _): port
      default: 0
      }
    let owner = SocketOwner.find(inode: detail)
    let user = owner.map { "pid \($0.pid) (\($0.name))" } ?? "a process that may not be seen"
    return "port \(port) is in use by \(user); stop it, or choose another port"
  }
}

/// The process that holds a socket open.
struct SocketOwner {
  var pid: Int
  var name: String

  /// Searches the open files of every process that may be seen, for proc_pid_fd(5).
  static func find(inode: UInt64) -> Self? {
    let tree = HostTree()
    let wanted = "socket:[\(inode)]"
    for entry in tree.names(in: "proc") {
      guard let pid = Int(entry) else { continue }
      let files = "proc/\(entry)/fd"
      if tree.names(in: files).contains(where: { tree.link(at: "\(files)/\($0)") == wanted }) {
        return Self(pid: pid, name: tree.text(at: "proc/\(entry)/comm") ?? "?")
      }
    }
    return nil
  }
}

/// Why a launched program could not be given a condition, with the remedy.
struct ConditionRefusal {
  var errno: Int32

  /// Where the host says what it allows.
  var tree = HostTree()

  private var error: String { Errno(rawValue: errno).description.lowercased() }

  /// sched_setaffinity(2), ERRORS.
  func affinity(_ cpus: [Int]?, available: [Int]) -> String {
    let start = "cannot run it on \(Self.processors(cpus ?? []))"
    guard errno == EINVAL else { return "\(start): \(error)" }
    return "\(start): only \(Self.list(available)) are on and in the cpuset of launchlab;"
      + " choose among them"
  }

  private static func processors(_ cpus: [Int]) -> String {
    "processor\(cpus.count == 1 ? "" : "s") \(list(cpus))"
  }

  private static func list(_ cpus: [Int]) -> String {
    cpus.map(String.init).joined(separator: ", ")
  }

  /// A filter of a container is what usually refuses personality(2).
  var personality: String {
    let start = "cannot switch address randomization off for it: \(error)"
    guard errno == EPERM || errno == EACCES else { return start }
    return "\(start); a filter of system calls refuses personality(2): run the container with"
      + " `--security-opt seccomp=unconfined`"
  }

  /// setpriority(2) and sched_setscheduler(2), ERRORS.
  func priority(_ priority: LaunchPriority?) -> String {
    let start = "cannot give it \(Self.text(priority))"
    switch errno {
    case EPERM, EACCES:
      return "\(start): \(error); needs CAP_SYS_NICE or \(Self.limits(priority)): run as root,"
        + " or raise the limit"
    case EAGAIN:
      return "\(start): other processes change the nice values of autogroups all the time;"
        + " run as root, or switch them off with `sysctl kernel.sched_autogroup_enabled=0`"
    case EINVAL:
      return "\(start): a nice value is from -20 to 19, and a level of fifo and rr from 1 to 99"
    default: return "\(start): \(error)"
    }
  }

  /// sched_setscheduler(2), ERRORS; a control group may have no real-time budget, sched(7).
  var realTime: String {
    let start = "cannot run it before every other program: \(error)"
    guard errno == EPERM || errno == EACCES else { return start }
    let level = RealTimeScheduling.spawnerLevel
    return "\(start); needs CAP_SYS_NICE or an RLIMIT_RTPRIO of \(level) (`ulimit -r`): run as"
      + " root, or raise the limit"
  }

  private static func text(_ priority: LaunchPriority?) -> String {
    var parts: [String] = []
    if let policy = priority?.policy {
      let hasLevel = policy == .fifo || policy == .rr
      let level = hasLevel ? " with level \(priority?.level ?? 1)" : ""
      parts.append("the policy \(policy.rawValue)\(level)")
    }
    if let nice = priority?.nice { parts.append("the nice value \(nice)") }
    return parts.joined(separator: " and ")
  }

  /// The limits that allow it without a capability; getrlimit(2).
  private static func limits(_ priority: LaunchPriority?) -> String {
    var limits: [String] = []
    if priority?.policy == .fifo || priority?.policy == .rr {
      limits.append("an RLIMIT_RTPRIO of \(priority?.level ?? 1) (`ulimit -r`)")
    }
    if let nice = priority?.nice, nice < 0 || limits.isEmpty {
      limits.append("an RLIMIT_NICE of \(20 - nice) (`ulimit -e`)")
    }
    return limits.isEmpty ? "a higher RLIMIT_NICE (`ulimit -e`)" : limits.joined(separator: " and ")
  }

  /// network_namespaces(7) and user_namespaces(7).
  var network: String {
    "cannot give it a network of its own: \(error); \(networkRemedy)"
  }

  private var networkRemedy: String {
    func value(_ name: String) -> String? { tree.text(at: "proc/sys/\(name)") }
    if value("user/max_net_namespaces") == "0" {
      return "allow network namespaces with `sysctl user.max_net_namespaces=1000`"
    }
    if errno == ENOSPC || errno == EUSERS {
      return "raise the limits with `sysctl user.max_user_namespaces=1000"
        + " user.max_net_namespaces=1000`"
    }
    guard errno == EPERM || errno == EACCES else {
      return "needs a kernel with network namespaces (CONFIG_NET_NS)"
    }
    if value("kernel/unprivileged_userns_clone") == "0" {
      return "run as root, or allow user namespaces with"
        + " `sysctl kernel.unprivileged_userns_clone=1`"
    }
    if value("kernel/apparmor_restrict_unprivileged_userns") == "1" {
      return "run as root, or allow user namespaces with"
        + " `sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
    }
    return "run as root, in a container with `--cap-add SYS_ADMIN`"
  }
}
