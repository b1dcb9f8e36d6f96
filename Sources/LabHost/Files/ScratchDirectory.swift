import Foundation

/// The private directory of this user for launches that are not stored.
package enum ScratchDirectory {
  /// Makes it unless it is there.
  ///
  /// - Returns: Its absolute path.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package static func path() throws(HostError) -> String {
    try HelperCache(environment: ProcessInfo.processInfo.environment).scratch()
  }
}
