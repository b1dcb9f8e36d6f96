/// A small seeded generator that gives the same numbers on every platform and in every version.
///
/// It decides orders; it is not for cryptography. Source: Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014, with the mixing constants of their variant 13.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// The odd increment that the paper calls gamma: 2^64 divided by the golden ratio.
  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init(seed: UInt64) { state = seed }

  /// A generator of its own for one numbered part of what a seed decides.
  ///
  /// Any part can be had without the ones before it, and the streams of neighbouring seeds and
  /// parts are unrelated.
  package init(seed: UInt64, part: Int) {
    let number = UInt64(truncatingIfNeeded: part) &+ 1
    state = Self.mixed(Self.mixed(seed) &+ number &* Self.increment)
  }

  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
  }

  /// Draws a whole number below a bound, each equally likely.
  ///
  /// Written here because the standard library does not promise how it draws one.
  ///
  /// - Parameter bound: At least 1.
  /// - Returns: From 0 to below `bound`.
  package mutating func next(below bound: Int) -> Int {
    precondition(bound > 0, "a bound must be at least 1")
    let bound = UInt64(bound)
    // The lowest 2^64 mod bound numbers are refused, so that every remainder is equally frequent.
    let refused = (0 &- bound) % bound
    var number = next()
    while number < refused { number = next() }
    return Int(number % bound)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
