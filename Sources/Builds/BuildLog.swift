import Foundation
import Glibc
import Synchronization
import SystemPackage

/// Keeps the beginning and the end of what a build prints, which may be without bounds.
final class BuildLog: Sendable {
  /// In bytes.
  static let headLimit = 4 << 20
  static let tailLimit = 1 << 20

  /// Where the build writes to.
  let input: FileDescriptor

  private let output: FileDescriptor
  private let file: FileDescriptor
  private let isOver = Atomic(false)
  private let isDone = DispatchSemaphore(value: 0)

  /// Opens a log, over what is there, and takes what is written to it from another thread.
  ///
  /// - Throws: `Errno`.
  init(at path: FilePath) throws {
    file = try FileDescriptor.open(
      path,
      .writeOnly,
      options: [.create, .truncate, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead]
    )
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      let error = Errno(rawValue: errno)
      try? file.close()
      throw error
    }
    output = FileDescriptor(rawValue: ends[0])
    input = FileDescriptor(rawValue: ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    Thread.detachNewThread { [self] in
      copy()
      isDone.signal()
    }
  }

  /// Takes what is left, once everything that writes has ended, and closes the log.
  func end() {
    isOver.store(true, ordering: .releasing)
    isDone.wait()
    try? output.close()
    try? file.close()
  }

  private func copy() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var head = 0
    var tail: [UInt8] = []
    var dropped = 0
    while true {
      // What has been written before the end is read without waiting.
      let isLast = isOver.load(ordering: .acquiring)
      let count = unsafe read(output.rawValue, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        if count == 0 || isLast { break }
        var wait = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&wait, 1, 50)
        continue
      }
      let room = min(count, Self.headLimit - head)
      write(bytes[..<room])
      head += room
      tail += bytes[room..<count]
      if tail.count > 2 * Self.tailLimit {
        dropped += tail.count - Self.tailLimit
        tail.removeFirst(tail.count - Self.tailLimit)
      }
    }
    if dropped > 0 { write(Array("\n[\(dropped) bytes were left out]\n".utf8)[...]) }
    write(tail[...])
  }

  /// A log that cannot be written ends no build.
  private func write(_ bytes: ArraySlice<UInt8>) { _ = try? file.writeAll(bytes) }
}
