import CLabHost
import SystemPackage

/// A swap area that is switched off, and on again with its priority.
struct SwapChange {
  var path: String

  /// As in `/proc/swaps`; a negative one was given by the kernel, and is given by it again.
  var priority: Int

  func apply(in tree: HostTree) throws(ChangeFailure) {
    let file = try file(in: tree)
    let code = unsafe file.withPlatformString { unsafe lab_swap_off($0) }
    guard code == 0 else { throw ChangeFailure("\(Errno(rawValue: -code))") }
  }

  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    if isOn(in: tree) { return .alreadyRestored }
    let file = try file(in: tree)
    let code = unsafe file.withPlatformString { unsafe lab_swap_on($0, Int32(priority)) }
    switch Errno(rawValue: -code) {
    case _ where code == 0: return .restored
    case .noSuchFileOrDirectory: return .foreign(found: "no such file")
    case let error: throw ChangeFailure("\(error)")
    }
  }

  private func isOn(in tree: HostTree) -> Bool {
    SwapAreas(tree: tree).all.contains { $0.path == "/\(path)" }
  }

  private func file(in tree: HostTree) throws(ChangeFailure) -> FilePath {
    guard tree.isMachine else {
      throw ChangeFailure("the swap areas of a tree of files cannot be switched")
    }
    return tree.path(of: path)
  }
}
