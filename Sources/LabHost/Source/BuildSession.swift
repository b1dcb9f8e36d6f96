import Foundation
import Glibc
import Synchronization
import SystemPackage

/// The processes that a build command has started, which no build leaves running.
final class BuildSession: Sendable {
  /// A variable of the environment by which processes of a build are known that have a session of
  /// their own, as daemons do; its value is ``mark``.
  static let variable = "LAUNCHLAB_BUILD"
  let mark: String

  private let leader = Mutex<pid_t>(0)
  private let note: FilePath

  /// - Parameter room: The directory of the build, where the session is noted while there is one.
  init(in room: FilePath) {
    note = Self.note(in: room)
    mark = Self.mark(of: room)
  }

  /// Notes the process that leads the session.
  func begin(_ process: pid_t) {
    leader.withLock { $0 = process }
    guard let identity = ProcessIdentity(ofLiving: Int(process)) else { return }
    try? Data(JournalContent.line(LabMark(of: identity))).write(to: URL(filePath: note.string))
  }

  /// Kills everything that the build has started: what runs on would disturb launches.
  func end() {
    let leader = leader.withLock { $0 }
    Self.killAll(in: leader, marked: mark)
    try? FileManager.default.removeItem(atPath: note.string)
  }

  /// Kills the session that a launchlab which was killed itself has left in a room.
  ///
  /// Only a session whose leader still runs, in this container, is known to be that one.
  static func endLeft(in room: FilePath) {
    guard let data = try? Data(contentsOf: URL(filePath: note(in: room).string)) else { return }
    let lab = try? JSONDecoder().decode(LabMark.self, from: data)
    let leader = lab.flatMap { $0.isAlive ? ProcessIdentity($0.lab) : nil }
    killAll(in: pid_t(leader?.pid ?? 0), marked: mark(of: room))
    try? FileManager.default.removeItem(atPath: note(in: room).string)
  }

  /// Kills until nothing is left, at most 100 times.
  private static func killAll(in session: pid_t, marked mark: String) {
    let variable = Array("\(variable)=\(mark)".utf8)
    for _ in 0..<100 {
      let members = ProcessStatus.all.filter { process in
        if process.pid == getpid() { return false }
        if session > 0, process.session == session { return true }
        let environment = HostTree().bytes(at: "proc/\(process.pid)/environ") ?? []
        return environment.split(separator: 0).contains { $0.elementsEqual(variable) }
      }
      if members.isEmpty { return }
      for member in members { _ = kill(member.pid, SIGKILL) }
      _ = poll(nil, 0, 1)
      for member in members { _ = waitpid(member.pid, nil, WNOHANG) }
    }
  }

  private static func mark(of room: FilePath) -> String { FilePath.absolute(room.string).string }

  private static func note(in room: FilePath) -> FilePath { room.appending("session") }
}
