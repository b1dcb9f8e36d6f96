import Foundation
import SystemPackage

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
