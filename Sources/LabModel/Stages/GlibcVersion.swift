/// A version of the GNU C library.
package struct GlibcVersion: Hashable, Comparable, CustomStringConvertible, Sendable {
  package var major: Int
  package var minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads a version such as `2.36`; nil for any other text.
  package init?(_ text: String) {
    self.init(beginning: text)
    guard text == description else { return nil }
  }

  /// Reads the two numbers that a text begins with, such as `2.36-9+deb12u7`.
  package init?(beginning text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let major = Int(parts[0]),
      let minor = Int(parts[1].prefix(while: \.isNumber)), major >= 0
    else { return nil }
    self.init(major, minor)
  }

  package var description: String { "\(major).\(minor)" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
