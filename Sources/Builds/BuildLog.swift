import CLabHost
import Foundation
import Glibc
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

  /// An eventfd that is readable once everything that writes has ended.
  private let over: Int32

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
    over = lab_make_event()
    guard over >= 0 else {
      for end in ends { close(end) }
      try? file.close()
      throw Errno(rawValue: -over)
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
    var one: UInt64 = 1
    _ = unsafe Glibc.write(over, &one, MemoryLayout<UInt64>.size)
    isDone.wait()
    Glibc.close(over)
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
      var end = pollfd(fd: over, events: Int16(POLLIN), revents: 0)
      let isLast = unsafe poll(&end, 1, 0) > 0
      let count = unsafe read(output.rawValue, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 {
        if count == 0 || isLast { break }
        var wait = [output.rawValue, over].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&wait, 2, -1)
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
