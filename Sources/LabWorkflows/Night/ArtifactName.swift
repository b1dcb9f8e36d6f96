import LabModel

/// What the files of a target are called where they are stored with a run.
enum ArtifactName {
  /// The name of the file at an index of the command of a target.
  ///
  /// - Returns: The name of the target for its program, and such as `server[1]` for its arguments,
  ///   which no target can be called.
  static func name(_ target: String, at index: Int) -> String {
    index == 0 ? target : "\(target)[\(index)]"
  }

  /// The files of a target that are stored with a night, by their index in its command.
  static func artifacts(of target: String, in night: Night) -> [Int: Artifact] {
    night.artifacts.reduce(into: [:]) { found, entry in
      if entry.key == target { found[0] = entry.value }
      guard entry.key.hasPrefix("\(target)["), entry.key.hasSuffix("]"),
        let index = Int(entry.key.dropFirst(target.count + 1).dropLast())
      else { return }
      found[index] = entry.value
    }
  }
}
