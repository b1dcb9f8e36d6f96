import SystemPackage

/// A small file of the kernel that is read again and again, by one descriptor that stays open.
final class KeptFile: Sendable {
  private let descriptor: FileDescriptor

  /// The most bytes that are read.
  private let limit: Int

  /// Opens a file; nil when it cannot be read.
  ///
  /// - Parameters:
  ///   - path: Relative to the root of the tree.
  ///   - tree: The machine.
  ///   - limit: The most bytes that are read, for a long file whose beginning is all that counts.
  init?(_ path: String, in tree: HostTree, limit: Int = 64 << 10) {
    let place = tree.root.appending(FilePath(path).removingRoot().components)
    guard let descriptor = try? FileDescriptor.open(place, .readOnly, options: .closeOnExec)
    else { return nil }
    self.descriptor = descriptor
    self.limit = limit
    guard bytes != nil else { return nil }
  }

  deinit { try? descriptor.close() }

  /// What the file holds now; nil when it cannot be read any more.
  var bytes: [UInt8]? {
    var failed = false
    let content = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit {
        let rest = UnsafeMutableRawBufferPointer(buffer.extracting(count...))
        guard
          let more = unsafe try? descriptor.read(fromAbsoluteOffset: Int64(count), into: rest)
        else {
          failed = true
          return
        }
        if more == 0 { return }
        count += more
      }
    }
    return failed ? nil : content
  }

  /// The numbers of a line that begins with a word, in order; nil without such a line.
  func numbers(after word: String) -> [Int64]? {
    bytes?.lines.first { $0.starts(with: word.utf8 + [UInt8(ascii: " ")]) }?.numbers
  }

  /// Every number of the file in order.
  var numbers: [Int64]? { bytes?[...].numbers }
}

extension [UInt8] {
  var lines: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: "\n")) }
}

extension ArraySlice<UInt8> {
  /// The words that are whole numbers, in order.
  var numbers: [Int64] { words.compactMap { Int64(String(decoding: $0, as: UTF8.self)) } }

  var words: [ArraySlice<UInt8>] {
    split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
  }
}
