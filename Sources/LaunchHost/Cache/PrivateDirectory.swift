import Foundation
import Glibc
import SystemPackage

/// A directory of the target whose whole content is replaced before a first run.
///
/// It is a `state` directory, or the private HOME. Symbolic links in it are removed, and those of
/// the template copied, as links; neither links nor mounts are ever followed.
struct PrivateDirectory: Sendable {
  let directory: DeclaredDirectory

  /// What it is filled from, with links resolved; nil means it becomes empty.
  let template: FilePath?

  private let declaredTemplate: FilePath?

  init(_ directory: DeclaredDirectory, template: FilePath?) {
    self.directory = directory
    declaredTemplate = template
    self.template = template.map { DeclaredDirectory.realPath(of: $0) ?? $0 }
  }

  /// Names what keeps the directory from being reset; empty when nothing does.
  ///
  /// Nothing is changed.
  func check(amid surroundings: Surroundings) -> [HostError] {
    let refusal = directory.refusal(amid: surroundings) ?? templateRefusal
    if let refusal { return [directory.refused(refusal)] }
    if let template {
      let isNested = template.starts(with: directory.path) || directory.path.starts(with: template)
      if isNested { return [directory.refused(.overlapsTemplate(template.string))] }
    }
    do throws(HostError) {
      if let template {
        let opened = try ConfinedDirectory(followingMountsTo: template)
        try Self.check(opened, depth: 1, of: directory, isTemplate: true)
      }
      if DeclaredDirectory.realPath(of: directory.path) == nil { return [] }
      let opened = try directory.open()
      if !opened.isWritable { return [directory.refused(.notWritable(directory.path.string))] }
      try Self.check(opened, depth: 1, of: directory, isTemplate: false)
      return []
    } catch {
      return [error]
    }
  }

  /// Refuses to remove what a launch needs.
  ///
  /// - Parameter needed: With links resolved.
  /// - Returns: Nil when none of it lies in the directory.
  func refusal(holding needed: [FilePath]) -> HostError? {
    needed.first { $0.starts(with: directory.path) }.map {
      directory.refused(.holds(what: "what the target is launched with,", path: $0.string))
    }
  }

  /// Removes the whole content, and fills the directory from its template.
  ///
  /// The file that allows a state directory to be emptied stays, and a template's is not copied.
  ///
  /// The directory itself is made when it is not there, but never its parents.
  ///
  /// - Parameter interrupt: Ends it between two files of the template.
  /// - Throws: When something stays or cannot be copied, and ``HostError/interrupted``.
  func reset(interrupt: InterruptFlag? = nil) throws(HostError) {
    if let templateRefusal { throw directory.refused(templateRefusal) }
    try directory.makeIfMissing()
    let opened = try directory.open()
    let permit = try FilePath.Component(EmptyingPermit.name).flatMap { name throws(HostError) in
      try opened.status(of: name)?.isRegular == true ? name : nil
    }
    try opened.removeContent(keeping: permit)
    if let template {
      let source = try ConfinedDirectory(followingMountsTo: template)
      try Self.fill(opened, from: source, depth: 1, interrupt)
    }
  }

  /// Why root must not copy the template: another user may lead to what only root may read.
  private var templateRefusal: DirectoryRefusal? {
    guard geteuid() == 0, let declaredTemplate else { return nil }
    guard DiskUse.status(of: declaredTemplate)?.isSymbolicLink == true else {
      return DeclaredDirectory(declaredTemplate, role: .state).ownerRefusal
    }
    do throws(HostError) {
      _ = try TrustedWay.open(to: declaredTemplate)
      return nil
    } catch {
      return DirectoryRefusal(error)
    }
  }

  // MARK: - Below one directory

  private static func check(
    _ opened: borrowing ConfinedDirectory,
    depth: Int,
    of declared: DeclaredDirectory,
    isTemplate: Bool
  ) throws(HostError) {
    for name in try opened.names() {
      guard let status = try opened.status(of: name) else { continue }
      let place = opened.path.appending(name).string
      do throws(HostError) {
        if status.isDirectory {
          guard depth < Reinstaller.depthLimit else {
            throw declared.refused(.tooDeep(place, limit: Reinstaller.depthLimit))
          }
          try check(
            opened.directory(name),
            depth: depth + 1,
            of: declared,
            isTemplate: isTemplate
          )
        } else if isTemplate, status.isRegular {
          _ = try opened.open(name, O_RDONLY)
        } else if isTemplate, !status.isSymbolicLink {
          throw declared.refused(.specialFile(place))
        }
      } catch .system(_, _, EXDEV) {
        throw declared.refused(.mountBelow(place))
      }
    }
  }

  private static func isPermit(_ name: FilePath.Component, _ status: stat, _ depth: Int) -> Bool {
    depth == 1 && name.string == EmptyingPermit.name && status.isRegular
  }

  private static func fill(
    _ opened: borrowing ConfinedDirectory,
    from template: borrowing ConfinedDirectory,
    depth: Int,
    _ interrupt: InterruptFlag?
  ) throws(HostError) {
    for name in try template.names() {
      guard let status = try template.status(of: name), !isPermit(name, status, depth) else {
        continue
      }
      if status.isSymbolicLink {
        try opened.copyLink(name, from: template)
      } else if status.isRegular {
        if interrupt?.heedIfSet() == true { throw .interrupted }
        let source = try template.open(name, O_RDONLY)
        let copy = try opened.makeFile(name)
        _ = try copy.append(contentOf: source)
        try copy.takeMetadata(of: source, owner: .ifPermitted)
        // What is written back, or read warm, during the launch would tell on its time.
        try copy.synchronize()
        try copy.letGoOfPages()
      } else if status.isDirectory {
        guard depth < Reinstaller.depthLimit else {
          throw template.failure("copy so deep a directory", name, ELOOP)
        }
        try opened.makeDirectory(name)
        let inner = try opened.directory(name)
        try fill(inner, from: template.directory(name), depth: depth + 1, interrupt)
      } else {
        throw template.failure("copy the special file", name, EINVAL)
      }
    }
    try opened.takeMetadata(of: template, owner: .ifPermitted)
  }
}

extension PrivateDirectory {
  /// Evicts every regular file below the directory.
  func evict() throws(HostError) {
    let cache = PageCache()
    let root = directory.path
    guard let names = FileManager.default.enumerator(atPath: root.string) else { return }
    while let name = names.nextObject() as? String {
      guard names.fileAttributes?[.type] as? FileAttributeType == .typeRegular else { continue }
      try cache.evict(root.pushing(FilePath(name)))
    }
  }
}
