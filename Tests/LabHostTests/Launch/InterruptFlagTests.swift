import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct InterruptFlagTests {
  @Test func `is only heeded by who says so`() throws {
    let flag = try InterruptFlag()
    #expect(!flag.heedIfSet())
    flag.set()
    #expect(flag.isSet)
    #expect(!flag.wasSeen)
    #expect(flag.heedIfSet())
    #expect(flag.wasSeen)
    #expect(flag.isSet)
  }

  @Test func `wakes who waits for it without a thread`() async throws {
    let flag = try InterruptFlag()
    async let waiting: Void = flag.heeded()
    flag.set()
    try await waiting
    #expect(flag.wasSeen)
    #expect(try await flag.heed(waiting: .seconds(600)))
  }

  @Test func `is not waited for longer than asked`() async throws {
    let flag = try InterruptFlag()
    #expect(try await !flag.heed(waiting: .milliseconds(1)))
    #expect(!flag.wasSeen)
  }

  @Test func `lets go of who is cancelled`() async throws {
    let flag = try InterruptFlag()
    let waiting = Task { try await flag.heeded() }
    let resting = Task { try await flag.heed(waiting: .seconds(600)) }
    waiting.cancel()
    resting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await #expect(throws: CancellationError.self) { _ = try await resting.value }
    #expect(!flag.wasSeen)
  }
}
