/// A bar that shows a share.
struct StageBar {
  /// In columns, of the share 1.
  var width: Int

  var isASCII = false

  private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  /// The bar of a share, which is never empty for one above 0.
  func text(_ share: Double) -> String {
    guard share > 0, share.isFinite else { return "" }
    let columns = min(share, 1) * Double(width)
    if isASCII {
      let full = Int(columns.rounded())
      return full == 0 ? "." : String(repeating: "#", count: full)
    }
    let steps = max(1, Int((columns * 8).rounded()))
    return String(repeating: "█", count: steps / 8) + Self.eighths[steps % 8]
  }
}
