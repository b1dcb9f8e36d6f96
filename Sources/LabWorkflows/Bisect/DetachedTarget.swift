import Foundation
import LabHost
import LabModel

/// A launch that has nothing to do with the build that it is for.
enum DetachedTarget {
  /// Warns when neither the program nor a file among its arguments lies in the build.
  ///
  /// A name without a slash is looked up in PATH, where an installed program may be found instead of
  /// the one that was built.
  ///
  /// - Returns: Nil for a launch of the build, and where nothing is built.
  static func warning(on built: BisectBuilt) -> Diagnostic? {
    guard let target = built.target, let log = built.log,
      let program = try? ExecutableLookup.program(of: target)
    else { return nil }
    let room = (log as NSString).deletingLastPathComponent + "/"
    let files = target.command.dropFirst()
      .map { $0.hasPrefix("/") ? $0 : "\(target.directory)/\($0)" }
      .filter(FileManager.default.fileExists(atPath:))
    let isOfBuild = ([program] + files).contains {
      URL(filePath: $0).standardized.path.hasPrefix(room)
    }
    guard !isOfBuild else { return nil }
    return Diagnostic(
      .warning,
      id: "program-outside",
      problem: "\(program) is no part of what is built, so every commit may launch the same",
      remedy: "name the program by its path in the repository, such as `./app`"
    )
  }
}
