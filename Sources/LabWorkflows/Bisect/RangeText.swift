/// Both ends of a range as they are written, such as `v1.0..HEAD`.
struct RangeText: Hashable {
  /// The name before the dots; nil where nothing stands there.
  let good: String?

  /// The name behind the dots; nil where nothing stands there.
  let bad: String?

  /// - Throws: ``BisectRangeError/notARange(_:remedy:)``.
  init(_ text: String) throws(BisectRangeError) {
    guard let dots = text.firstRange(of: "..") else {
      throw .notARange(text, remedy: "write `\(text.isEmpty ? "v1.0" : text)..HEAD`")
    }
    let (left, right) = (text[..<dots.lowerBound], text[dots.upperBound...])
    guard !right.hasPrefix(".") else {
      let other = right.drop { $0 == "." }
      throw .notARange(text, remedy: "write `\(left)..\(other)`, with two dots")
    }
    good = left.isEmpty ? nil : String(left)
    bad = right.isEmpty ? nil : String(right)
  }
}
