import Testing

@testable import LaunchCore

@Suite struct LimitedReadingTests {
  private func read(_ parts: [[UInt8]], upTo limit: Int) async throws -> [UInt8] {
    let (parts, continuation) = {
      let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
      for part in parts { continuation.yield(part) }
      return (stream, continuation)
    }()
    continuation.finish()
    return try await parts.bytes(upTo: limit) { part, bytes in bytes += part }
  }

  @Test func `reads all that is no more than the limit`() async throws {
    #expect(try await read([[1, 2], [], [3]], upTo: 3) == [1, 2, 3])
    #expect(try await read([], upTo: 0) == [])
  }

  @Test func `refuses more than the limit`() async {
    await #expect(throws: TooManyBytes(limit: 2)) { try await read([[1, 2], [3]], upTo: 2) }
    #expect(TooManyBytes(limit: 2).description == "it printed more than 2 bytes")
  }
}
