import Foundation

/// Draws new series from a series, so that values that were neighbours mostly stay so.
///
/// Single values drawn at random would lose that a slow minute slows many launches down. So runs
/// of consecutive values are drawn, each beginning anywhere; after the last value comes the first.
/// A run has the cube root of the number of values, which is the rate at which its bias and its
/// scatter shrink together.
///
/// Source: Politis and Romano, "A circular block-resampling procedure for stationary data",
/// *Exploring the Limits of Bootstrap* (1992), 263-270.
struct PairedResampling {
  private let values: [Double]
  private let length: Int
  private var generator: SeededGenerator

  /// - Parameters:
  ///   - values: At least one, in the order of collection.
  ///   - seed: The same seed gives the same draws.
  init(_ values: [Double], seed: UInt64) {
    self.values = values
    length = Self.length(for: values.count)
    generator = SeededGenerator(seed: seed)
  }

  /// How many consecutive values are drawn together: 3 of 20, 4 of 60, 5 of 100.
  static func length(for count: Int) -> Int { Int(cbrt(Double(count)).rounded(.up)) }

  /// Draws a series of `count` values; the last run is cut off where it is too long.
  mutating func draw(_ count: Int) -> [Double] {
    var drawn: [Double] = []
    drawn.reserveCapacity(count)
    while drawn.count < count {
      let start = Int(generator.nextUniform() * Double(values.count))
      for offset in 0..<min(length, count - drawn.count) {
        drawn.append(values[(start + offset) % values.count])
      }
    }
    return drawn
  }
}
