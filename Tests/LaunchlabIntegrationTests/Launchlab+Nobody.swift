import Foundation

extension Launchlab {
  /// Launchlab run by the user `nobody`, who may write to the directory of the test.
  ///
  /// The executable is copied, because a build directory may be closed to other users.
  static func asNobody() throws -> Self {
    var lab = Self()
    lab.executable = try lab.copyProgram(builtExecutable, to: "launchlab")
    for path in [lab.directory, lab.executable] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    try FileManager.default.setAttributes(
      [.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534],
      ofItemAtPath: lab.directory
    )
    lab.wrapper = [
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env",
      "HOME=\(lab.directory)",
    ]
    return lab
  }
}
