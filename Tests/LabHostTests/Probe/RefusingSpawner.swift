import Foundation
import Glibc
import LabTestSupport

@testable import LaunchCore
@testable import LaunchHost

/// A spawner that may not make some system calls, as in a container with a filter.
struct RefusingSpawner {
  /// The program that becomes the spawner whose path and arguments it is given.
  let wrapper: String

  enum Call: String, Sendable {
    case events = "SYS_perf_event_open"
    case tracing = "SYS_ptrace"
    case namespaces = "SYS_unshare"
    case personality = "SYS_personality"

    var error: String { self == .events || self == .tracing ? "EACCES" : "EPERM" }
  }

  /// Compiles the program that sets the filter and becomes the spawner.
  init(_ calls: [Call]) throws {
    let filters = calls.map {
      "BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, \($0.rawValue), 0, 1),"
        + "BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | \($0.error)),"
    }
    wrapper = try CProgram(testDescription: "").compile(
      """
      #include <errno.h>
      #include <linux/filter.h>
      #include <linux/seccomp.h>
      #include <stddef.h>
      #include <sys/prctl.h>
      #include <sys/syscall.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        struct sock_filter filter[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          \(filters.joined(separator: "\n"))
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return 99;
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 98;
        execv(arguments[1], arguments + 1);
        return 97;
      }
      """,
      name: "refusing"
    )
  }

  /// Launches once; nil when the spawner did not answer.
  func launch(_ request: LaunchRequest) throws -> LaunchResult? {
    let process = try started()
    guard process.send(request.bytes()) else { return nil }
    let reply = process.receive(within: request.timeout + .seconds(10), interrupt: -1)
    process.dismiss()
    guard case .message(let bytes) = reply else { return nil }
    return SpawnerAnswer(bytes)?.result(of: request)
  }

  /// Begins a launch and goes away as soon as something holds.
  func abandon(_ request: LaunchRequest, when condition: () -> Bool) throws {
    let process = try started()
    _ = process.send(request.bytes())
    _ = LaunchBench.eventually(condition)
    _ = process.abandon()
  }

  private func started() throws -> HelperProcess {
    let spawner = try EmbeddedHelper.spawner.unpacked()
    return try HelperProcess(
      program: wrapper,
      arguments: [spawner, TemporaryDirectory.path, ""]
    )
  }
}
