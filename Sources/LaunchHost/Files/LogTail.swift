import Foundation
import Glibc
import Synchronization
import SystemPackage

/// The end of a text file that may be long.
package enum LogTail {
  private static let mostBytes = 1 << 16

  /// The last lines that are not empty, of the last 64 KiB.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: How many lines are given at most.
  /// - Returns: The lines; none for a file that cannot be read.
  package static func lines(of path: String, most: Int = 15) -> [String] {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else {
      return []
    }
    try? file.seek(toOffset: end > mostBytes ? end - UInt64(mostBytes) : 0)
    let data = (try? file.readToEnd()) ?? Data()
    return String(decoding: data, as: UTF8.self)
      .split(whereSeparator: \.isNewline).suffix(most).map(String.init)
  }
}
