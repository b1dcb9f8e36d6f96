import Foundation
import LabModel
import SystemPackage

/// Where the files of targets are kept for later runs: `learnt` beside the store.
///
/// Each target has a file named by a digest of what decides which files it opens.
struct LearntStore {
  private let directory: FilePath

  /// - Parameter directory: That of the store.
  init(beside directory: String) {
    self.directory = FilePath(directory).appending("learnt")
  }

  /// The name of a target's file.
  static func key(of target: Target) -> String {
    var digest = SHA256()
    func add(_ texts: [String]) {
      for text in texts { digest.append((Array(text.utf8) + [0])[...]) }
      digest.append([1][...])
    }
    add(target.command)
    add([target.directory, target.standardInput ?? "", target.home ?? "", "\(target.tty)"])
    add(target.environment.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
    add((target.secrets ?? [:]).keys.sorted())
    return digest.hexadecimal
  }

  /// What was learnt of a target; nil when nothing was, or others can have written it.
  func files(of key: String) -> LearntFiles? {
    let path = place(of: key)
    guard (try? OwnPlace.check(directory.string)) == true, OwnPlace.isOwn(file: path),
      let bytes = HostTree().bytes(at: path)
    else { return nil }
    return try? JSONDecoder().decode(LearntFiles.self, from: Data(bytes))
  }

  /// Keeps what was learnt.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` and ``HostError/system(operation:path:errno:)``.
  func keep(_ files: LearntFiles, of key: String) throws {
    try OwnPlace.make(directory.string)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(files), as: UTF8.self)
    try WholeFile(place(of: key)).write { sink in try sink(text + "\n") }
  }

  private func place(of key: String) -> String { directory.appending("\(key).json").string }
}
