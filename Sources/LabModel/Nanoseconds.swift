/// A span of time, or an instant of the monotonic clock, in whole nanoseconds.
package struct Nanoseconds: Hashable, Comparable, Sendable {
  package let count: Int64

  package init(_ count: Int64) { self.count = count }

  package static let zero = Self(0)

  package static func seconds(_ seconds: Int64) -> Self { Self(seconds * 1_000_000_000) }

  package static func milliseconds(_ milliseconds: Int64) -> Self { Self(milliseconds * 1_000_000) }

  package static func < (left: Self, right: Self) -> Bool { left.count < right.count }

  package static func + (left: Self, right: Self) -> Self { Self(left.count + right.count) }

  package static func - (left: Self, right: Self) -> Self { Self(left.count - right.count) }
}

/// Encoded as a bare integer, so that JSON fields ending in `_ns` are numbers.
extension Nanoseconds: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int64.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(count)
  }
}
