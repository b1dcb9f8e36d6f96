import Foundation
package import LabModel
import SystemPackage

/// Which copy of a program stands for a command from its first night on.
package struct PinnedPrograms: Sendable {
  private let directory: String

  /// - Parameter directory: An absolute path; it is made when something is pinned.
  package init(directory: String) { self.directory = directory }

  /// Finds the program that was pinned.
  ///
  /// - Parameters:
  ///   - command: The program, absolute, and its arguments.
  ///   - scenario: The name of the scenario.
  /// - Returns: The program; nil when there is none, or it cannot be read.
  package func program(of command: [String], in scenario: String) -> Artifact? {
    guard OwnPlace.isOwn(FilePath(directory)),
      let data = try? Data(contentsOf: URL(filePath: path(command, scenario)))
    else { return nil }
    return try? JSONDecoder().decode(Artifact.self, from: data)
  }

  /// Pins a program.
  ///
  /// - Parameters:
  ///   - artifact: The program.
  ///   - command: The program, absolute, and its arguments.
  ///   - scenario: The name of the scenario.
  /// - Throws: ``HostError/placeRefused(path:_:)`` when others have the say of the directory, and a
  ///   Foundation error when it cannot be written.
  package func pin(_ artifact: Artifact, of command: [String], in scenario: String) throws {
    try OwnPlace.make(directory, permissions: 0o700)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try encoder.encode(artifact).write(to: URL(filePath: path(command, scenario)), options: .atomic)
  }

  /// The digests of all programs that are pinned.
  package var digests: Set<String> {
    guard OwnPlace.isOwn(FilePath(directory)) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.reduce(into: []) { digests, name in
      guard let data = try? Data(contentsOf: URL(filePath: "\(directory)/\(name)")),
        let artifact = try? JSONDecoder().decode(Artifact.self, from: data)
      else { return }
      digests.insert(artifact.digest)
    }
  }

  private func path(_ command: [String], _ scenario: String) -> String {
    let text = ([scenario] + command).joined(separator: "\0")
    return "\(directory)/\(SHA256(Array(text.utf8)).hexadecimal.prefix(32)).json"
  }
}
