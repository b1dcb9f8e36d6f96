import Foundation

/// A line of comma-separated values.
///
/// Source of the format: RFC 4180, with its CR LF line ends. A text that a spreadsheet would take for
/// a formula begins with an apostrophe, and control characters but line feeds and tabs are made
/// visible.
struct CSVLine {
  private let fields: [String]

  init(_ fields: [String]) { self.fields = fields }

  /// With its line end.
  var text: String { fields.map(Self.quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ field: String) -> String {
    let shown = field.visible(keepingStyles: false)
    let isFormula =
      shown.unicodeScalars.first.map("=+-@\t".unicodeScalars.contains) == true && !isNumber(shown)
    let field = isFormula ? "'" + shown : shown
    // Spreadsheets of many countries divide lines at semicolons.
    let needsQuotes = field.unicodeScalars.contains { "\",;\t\r\n".unicodeScalars.contains($0) }
    guard needsQuotes else { return field }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func isNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|inf)/) != nil
  }
}
