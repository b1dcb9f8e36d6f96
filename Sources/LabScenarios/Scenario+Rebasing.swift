package import LabModel

extension Scenario {
  /// Leads everything that belongs to the program into another tree, such as that of a build.
  ///
  /// Programs, working directories, `files:` and `install:` directories below `top` are found
  /// at the same relative path below `directory`. What the scenario itself brings, such as
  /// `stdin:`, `home:` and `state:`, stays where it is.
  ///
  /// - Parameters:
  ///   - top: The absolute path of the top of the repository, with symbolic links followed.
  ///   - directory: The absolute path of the top of the tree that takes its place.
  /// - Returns: The scenario with the paths rewritten.
  package func rebased(from top: String, to directory: String) -> Scenario {
    func moved(_ path: String) -> String {
      guard PathSafety.contains(top, path) else { return path }
      return PathSafety.absolute(directory + path.dropFirst(top == "/" ? 0 : top.count), from: "/")
    }
    var scenario = self
    scenario.targets = targets.map { original in
      var target = original
      if let program = original.command.first {
        target.command[0] = moved(program)
      }
      target.program = original.program.map(moved)
      for path in [\Target.prepare, \Target.cleanup] {
        for moment in [\LaunchCommands.launch, \.block, \.run] {
          if let program = original[keyPath: path]?[keyPath: moment]?.first {
            target[keyPath: path]?[keyPath: moment]?[0] = moved(program)
          }
        }
      }
      target.directory = moved(original.directory)
      target.files = original.files.map { entry in
        entry.hasPrefix("!") ? "!" + moved(String(entry.dropFirst())) : moved(entry)
      }
      target.install = original.install.map(moved)
      return target
    }
    return scenario
  }
}
