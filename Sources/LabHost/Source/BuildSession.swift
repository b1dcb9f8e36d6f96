import Foundation
import Glibc
import Synchronization
import SystemPackage

/// The processes that a build command has started, which no build leaves running.
final class BuildSession: Sendable {
  private let leader = Mutex<pid_t>(0)
  private let note: FilePath

  /// - Parameter room: The directory of the build, where the session is noted while there is one.
  init(in room: FilePath) { note = Self.note(in: room) }

  /// Notes the process that leads the session.
  func begin(_ process: pid_t) {
    leader.withLock { $0 = process }
    guard let identity = ProcessIdentity(ofLiving: Int(process)) else { return }
    try? Data(JournalContent.line(LabMark(of: identity))).write(to: URL(filePath: note.string))
  }

  /// Kills everything in the session: what runs on would disturb launches.
  func end() {
    let leader = leader.withLock { $0 }
    if leader > 0 { Self.killAll(in: leader) }
    try? FileManager.default.removeItem(atPath: note.string)
  }

  /// Kills the session that a launchlab which was killed itself has left in a room.
  ///
  /// Only one whose leader still runs, in this container, is known to be that session.
  static func endLeft(in room: FilePath) {
    guard let data = try? Data(contentsOf: URL(filePath: note(in: room).string)) else { return }
    if let mark = try? JSONDecoder().decode(LabMark.self, from: data), mark.isAlive,
      let leader = ProcessIdentity(mark.lab)
    {
      killAll(in: pid_t(leader.pid))
    }
    try? FileManager.default.removeItem(atPath: note(in: room).string)
  }

  /// Kills until nothing is left, at most 100 times.
  private static func killAll(in session: pid_t) {
    for _ in 0..<100 {
      let members = ProcessStatus.all.filter { $0.session == session }
      if members.isEmpty { return }
      for member in members { _ = kill(member.pid, SIGKILL) }
      _ = poll(nil, 0, 1)
      for member in members { _ = waitpid(member.pid, nil, WNOHANG) }
    }
  }

  private static func note(in room: FilePath) -> FilePath { room.appending("session") }
}
