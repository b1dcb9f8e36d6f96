import Synchronization
import SystemPackage

/// The builds that this process still needs, which no other process removes meanwhile.
///
/// They are free again when the process ends, however it ends.
package final class BuildLeases: Sendable {
  private let held = Mutex<[String: BuildLock]>([:])

  package init() {}

  deinit {
    held.withLock { held in
      for lock in held.values { lock.release() }
    }
  }

  /// Takes a build, unless it is being removed.
  ///
  /// - Returns: Whether it is held.
  @discardableResult
  func take(_ room: FilePath) -> Bool {
    held.withLock { held in
      if held[room.string] != nil { return true }
      held[room.string] = BuildLock(sharing: Self.path(in: room))
      return held[room.string] != nil
    }
  }

  /// Where a build is marked as needed; what is not there is needed by nobody.
  static func path(in room: FilePath) -> FilePath { room.appending("lease") }
}
