import Glibc
import LabModel
import SystemPackage

/// Asks before the first launch whether this machine can bring about the states of a scenario.
struct CapabilityCheck: Sendable {
  var pageCache = PageCache()
  var mounts = MountInfo()

  /// The states that are refused, each with its reason and remedy.
  func refusals(of states: [LaunchState], for files: [WatchedFile]) -> [HostError] {
    var refusals: [HostError] = []
    if states.contains(.rebootCold), !pageCache.canDropAll {
      let path = pageCache.root.appending("proc/sys/vm/drop_caches").string
      refusals.append(.stateRefused(.rebootCold, .cannotDropCaches(path: path)))
    }
    guard let cold = states.first(where: \.isCold) else { return refusals }
    for file in files where file.isOwn {
      // What cannot be opened cannot be evicted.
      if !Self.mayOpen(file.path) {
        refusals.append(.system(operation: "evict", path: file.path.string, errno: EACCES))
      }
      guard let mount = mounts.mount(holding: file.path), mount.isInMemory else { continue }
      refusals.append(
        .stateRefused(cold, .inMemory(file: file.path.string, fileSystem: mount.type))
      )
    }
    return refusals
  }

  /// Whether a file can be opened for reading, or is not there.
  static func mayOpen(_ path: FilePath) -> Bool {
    do throws(HostError) {
      _ = try OpenFile(reading: path)
    } catch .system(_, _, EACCES) {
      return false
    } catch {
      return true
    }
    return true
  }

  /// Why the states of these files cannot be verified; nil when they can.
  func unverified(_ files: [WatchedFile]) -> String? {
    let hidden = files.filter { $0.isOwn && !pageCache.canVerify($0.path) }
    guard let first = hidden.first else { return nil }
    let others = hidden.count > 1 ? " and \(hidden.count - 1) others" : ""
    return "residency of \(first.path.string)\(others) is visible only to root and the owner"
  }

  /// Whether what is read of the own files comes from block devices of this machine.
  func readsBlocks(of files: [WatchedFile]) -> Bool {
    files.allSatisfy { file in
      guard file.isOwn, let mount = mounts.mount(holding: file.path) else { return true }
      return !mount.isIndirect || mount.type == "overlay"
    }
  }

  /// What a reader must know of the file systems that hold the own files.
  func notes(on files: [WatchedFile]) -> [Diagnostic] {
    let types = Set(
      files.filter(\.isOwn).compactMap { mounts.mount(holding: $0.path) }
        .filter(\.isIndirect).map(\.type)
    )
    return types.sorted().map { type in
      Diagnostic(
        .note,
        id: "indirect-file-system",
        problem: "own files lie on \(type), where a lower layer or a server may keep them cached"
      )
    }
  }
}
