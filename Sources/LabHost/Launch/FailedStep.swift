import Glibc
import LabModel
import SystemPackage

/// What a launch that was not started failed at.
struct FailedStep {
  /// As in `spawner_protocol.h`.
  var number: UInt32
  var errno: Int32

  /// The inode of the socket in the way, if any.
  var detail: UInt64

  /// The reason in words, with what to do about it where that is known.
  func reason(for request: LaunchRequest) -> String {
    let error = Errno(rawValue: errno).description.lowercased()
    return switch number {
    case 1: "cannot execute \"\(request.program)\": \(executeReason(request.program, error))"
    case 2: "cannot enter the directory \"\(request.directory)\": \(error)"
    case 3: "cannot open the standard input \"\(request.standardInput ?? "/dev/null")\": \(error)"
    case 4: "cannot make the output streams: \(error)"
    case 5: "cannot make a process: \(error)"
    case 6: "cannot make the notification socket: \(error)"
    case 7: "the pattern is no extended regular expression"
    case 8: "the request is broken"
    case 9: portReason(request.ready)
    case 10: "\(request.ready) already accepts; stop who listens there, or choose another path"
    case 11: "\(request.ready) already exists; remove it, or let the target make another one"
    case 12: refusal.affinity(request.conditions.cpus, available: ProcessAffinity.available())
    case 13: refusal.personality
    case 14: refusal.priority(request.conditions.priority)
    case 15: refusal.network
    case 16: refusal.realTime
    default: error
    }
  }

  private var refusal: ConditionRefusal { ConditionRefusal(errno: errno) }

  private func executeReason(_ program: String, _ error: String) -> String {
    switch errno {
    case ENOENT where unsafe access(program, F_OK) == 0:
      "no such file: the interpreter that it names is missing"
    case ENOENT: "no such file"
    case EACCES: "permission denied; make it executable, on a file system that is not noexec"
    case ENOEXEC: "exec format error: no #! line, or a program for another machine?"
    case E2BIG: "its arguments and its environment are too large"
    case ETXTBSY: "it is open for writing"
    default: error
    }
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
