import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

/// A copy of a tree in `Fixtures/Machines` that a test may write to, in its temporary directory.
struct MachineCopy {
  let tree: HostTree

  init(_ name: String) throws {
    let fixtures = try #require(Bundle.module.resourceURL)
    let source = fixtures.appending(path: "Fixtures/Machines/\(name)")
    let copy = URL(filePath: TemporaryDirectory.path).appending(component: name)
    try FileManager.default.copyItem(at: source, to: copy)
    tree = HostTree(root: FilePath(copy.path))
  }

  /// Writes a file as the kernel shows it, with its directory.
  func write(_ text: String, to path: String) throws {
    let file = url(of: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data("\(text)\n".utf8).write(to: file)
  }

  func remove(_ path: String) throws { try FileManager.default.removeItem(at: url(of: path)) }

  func text(_ path: String) -> String? { tree.text(at: path) }

  private func url(of path: String) -> URL { URL(filePath: tree.root.string).appending(path: path) }
}

extension Control {
  /// Makes all changes in a tree, and undoes them when asked to.
  @discardableResult func apply(in machine: MachineCopy) throws -> [Change] {
    let changes = changes(in: machine.tree)
    for change in changes { try change.apply(in: machine.tree) }
    return changes
  }
}

extension [Change] {
  func undo(in machine: MachineCopy) -> [Undoing] {
    reversed().map { $0.undo(in: machine.tree) }
  }
}
