/// Text that stands in HTML.
enum Markup {
  /// The text with everything escaped that HTML could take for a part of itself, also inside quotes.
  static func text(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\u{2028}", "\u{2029}": escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A JSON text that cannot end the script element that it stands in.
  ///
  /// These characters stand in JSON strings only, where an escape means the same.
  static func scriptSafe(json: String) -> String {
    var safe = ""
    safe.reserveCapacity(json.utf8.count)
    for scalar in json.unicodeScalars {
      switch scalar.value {
      case 0x3C: safe += "\\u003c"
      case 0x3E: safe += "\\u003e"
      case 0x26: safe += "\\u0026"
      case 0x2028: safe += "\\u2028"
      case 0x2029: safe += "\\u2029"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
