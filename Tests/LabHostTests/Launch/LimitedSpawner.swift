import Foundation
import Glibc
import LabTestSupport

@testable import LaunchCore
@testable import LaunchHost

/// A spawner whose process a test holds itself, with all rights or fewer.
struct LimitedSpawner {
  private let command: [String]

  /// A spawner of the user nobody, who may not use the program where it was unpacked.
  static func nobody() throws -> Self {
    let directory = TemporaryDirectory.path
    let program = "\(directory)/spawner"
    try FileManager.default.copyItem(atPath: EmbeddedHelper.spawner.unpacked(), toPath: program)
    for path in [program, directory] { _ = unsafe chmod(path, 0o777) }
    if geteuid() != 0 { return Self(command: [program]) }
    let change = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    return Self(command: change + [program])
  }

  /// A spawner that keeps all rights.
  static func plain() throws -> Self { Self(command: [try EmbeddedHelper.spawner.unpacked()]) }

  /// A spawner of the root of a user namespace, as in a container that a user has started.
  static func contained() throws -> Self {
    Self(command: ["/usr/bin/unshare", "-Ur", try EmbeddedHelper.spawner.unpacked()])
  }

  /// A spawner of root without a capability, by its name in setpriv(1).
  static func root(without capability: String) throws -> Self {
    let change = ["/usr/bin/setpriv", "--bounding-set=-\(capability)"]
    return Self(command: change + [try EmbeddedHelper.spawner.unpacked()])
  }

  /// A spawner that may not make some system calls.
  static func refusing(_ calls: [RefusingSpawner.Call]) throws -> Self {
    Self(command: [try RefusingSpawner(calls).wrapper, try EmbeddedHelper.spawner.unpacked()])
  }

  /// Launches one after the other; fewer results than requests mean that the spawner was lost.
  func launch(_ requests: [LaunchRequest]) throws -> [LaunchResult] {
    let process = try started()
    var results: [LaunchResult] = []
    for request in requests {
      let isSent = process.send(request.bytes())
      let reply = process.receive(within: request.timeout + .seconds(10), interrupt: -1)
      guard isSent, case .message(let bytes) = reply, let answer = SpawnerAnswer(bytes) else {
        break
      }
      results.append(answer.result(of: request))
    }
    process.dismiss()
    return results
  }

  func started() throws -> HelperProcess {
    try HelperProcess(
      program: command[0],
      arguments: command.dropFirst() + [TemporaryDirectory.path, ""]
    )
  }
}
