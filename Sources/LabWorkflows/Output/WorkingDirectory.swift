import Foundation

/// The working directory of launchlab itself.
package enum WorkingDirectory {
  /// Its absolute path.
  package static var path: String { FileManager.default.currentDirectoryPath }
}
