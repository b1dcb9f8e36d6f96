import Foundation

/// A line of comma-separated values.
///
/// Source of the format: RFC 4180, with its CR LF line ends.
struct CSVLine {
  private let fields: [String]

  init(_ fields: [String]) { self.fields = fields }

  /// With its line end.
  var text: String { fields.map(Self.quoted).joined(separator: ",") + "\r\n" }

  private static func quoted(_ field: String) -> String {
    let needsQuotes = field.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
    guard needsQuotes else { return field }
    return "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}
