import Foundation
import LaunchCore

/// Text and numbers as XML wants them.
package enum SVGText {
  /// A text for an element or a quoted attribute.
  ///
  /// What XML cannot hold, and what would turn the writing direction, is made visible.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The same text with entities in place of what XML reads otherwise.
  package static func escaped(_ text: String) -> String {
    text.printable.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// A coordinate with one decimal at most.
  package static func number(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded()
      ? String(Int(clamping: rounded)) : String(format: "%.1f", rounded)
  }
}
