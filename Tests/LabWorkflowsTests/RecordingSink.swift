@testable import LaunchCore
@testable import Measuring

/// A sink that keeps whole blocks, as the store does.
struct RecordingSink: LaunchLoop.Sink {
  private(set) var blocks: [[LaunchRecord]] = []
  private var pending: [LaunchRecord] = []

  var all: [LaunchRecord] { blocks.flatMap { $0 } }

  mutating func take(_ record: LaunchRecord, at now: Nanoseconds) { pending.append(record) }

  mutating func endBlock(at now: Nanoseconds) {
    blocks.append(pending)
    pending = []
  }
}
