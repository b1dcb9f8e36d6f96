/// What a program prints, as long as it is no more than somebody wants to read.
extension AsyncSequence {
  /// Reads all of it into no more memory than it takes.
  ///
  /// `Subprocess` reserves the whole limit before it reads, which `ulimit -v` may not allow.
  ///
  /// - Parameters:
  ///   - limit: The most bytes.
  ///   - append: Adds the bytes of an element to those before.
  /// - Returns: The bytes.
  /// - Throws: ``TooManyBytes`` as soon as there are more, and what the sequence throws.
  package func bytes(
    upTo limit: Int,
    append: (Element, inout [UInt8]) -> Void
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await element in self {
      append(element, &bytes)
      guard bytes.count <= limit else { throw TooManyBytes(limit: limit) }
    }
    return bytes
  }
}

/// A program printed more than somebody wants to read.
package struct TooManyBytes: Error, Hashable, CustomStringConvertible {
  /// The most bytes that would have been read.
  package let limit: Int

  package var description: String { "it printed more than \(limit) bytes" }
}
