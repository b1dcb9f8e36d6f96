import Foundation
package import LabModel
import SystemPackage

/// The files that the command of a target names: the program, and arguments that are files.
package struct LaunchedFiles: Hashable, Sendable {
  /// The absolute path of the program, as it is called: links are not followed.
  package let program: String

  /// The absolute paths of arguments that are regular files, by the index in the command, from 1.
  package let arguments: [Int: String]

  /// Larger files are data rather than something that a launch consists of.
  private static let argumentLimit = 64 << 20

  /// Looks for the files as a launch of the target would.
  ///
  /// - Parameters:
  ///   - target: A target of the scenario.
  ///   - scenario: It says in which environment the target is launched.
  /// - Throws: ``HostError/launchRefused(_:)`` when there is no such program.
  package init(of target: Target, in scenario: Scenario) throws(HostError) {
    let policy = scenario.controls?.environment ?? .inherited
    let variables = TargetVariables(policy: policy, mark: nil).variables(of: target, home: nil)
    program = try ExecutableLookup.resolve(
      command: target.command[0],
      path: variables["PATH"],
      directory: target.directory
    )
    let directory = FilePath(target.directory)
    arguments = target.command.enumerated().dropFirst().reduce(into: [:]) { found, argument in
      guard !argument.element.isEmpty, !argument.element.contains("\0") else { return }
      let path = directory.pushing(FilePath(argument.element)).lexicallyNormalized()
      guard let real = DeclaredDirectory.realPath(of: path), let status = DiskUse.status(of: real),
        status.isRegular, status.st_size <= Self.argumentLimit
      else { return }
      found[argument.offset] = path.string
    }
  }
}
