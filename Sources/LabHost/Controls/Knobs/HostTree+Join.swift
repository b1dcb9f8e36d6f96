import Glibc
import SystemPackage

extension HostTree {
  /// Moves a process with all its threads into a cgroup.
  ///
  /// - Parameters:
  ///   - path: The cgroup's file `cgroup.procs`, relative to the root.
  ///   - pid: The process.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func join(_ path: String, pid: Int) throws(HostError) {
    let file = root.appending(FilePath(path).removingRoot().components)
    do {
      let descriptor = try FileDescriptor.open(file, .writeOnly, options: .closeOnExec)
      _ = try descriptor.closeAfter { try descriptor.writeAll("\(pid)\n".utf8) }
    } catch {
      let code = (error as? Errno)?.rawValue ?? EIO
      throw .system(operation: "move process \(pid) into a cgroup", path: file.string, errno: code)
    }
  }
}
