import CLabHost
import SystemPackage

/// A file without a name that holds the input of a program.
///
/// A pipe would end launchlab by SIGPIPE where the program ends without having read it all.
enum MemoryFile {
  /// Makes a file with these bytes, to be read from its start.
  ///
  /// - Returns: Its descriptor, which the caller closes.
  /// - Throws: `Errno` when there is no memory or descriptor for it.
  static func make(_ bytes: [UInt8]) throws -> FileDescriptor {
    let descriptor = lab_make_memory_file()
    guard descriptor >= 0 else { throw Errno(rawValue: -descriptor) }
    let file = FileDescriptor(rawValue: descriptor)
    do {
      try file.writeAll(toAbsoluteOffset: 0, bytes)
    } catch {
      try? file.close()
      throw error
    }
    return file
  }
}
