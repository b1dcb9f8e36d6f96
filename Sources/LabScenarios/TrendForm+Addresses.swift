import Foundation
import LabModel

/// Forms of nights and of those who are told of them.
extension TrendForm {
  func checkAnchor(_ text: String) throws(FormProblem) {
    let isRun = text.wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}/) != nil
    let isCommit = text.wholeMatch(of: /[0-9a-f]{4,64}/) != nil
    guard !isRun, !isCommit else { return }
    guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else {
      throw FormProblem(
        problem: "\(quoted(text)) is neither a date nor the id of a run nor a commit",
        remedy: "write a date such as 2026-10-01, or copy an id from `launchlab history`"
      )
    }
    guard Self.isDay(text) else {
      throw FormProblem(
        problem: "there is no day \(quoted(text))",
        remedy: "write year, month and day, such as 2026-10-01"
      )
    }
  }

  /// Whether the calendar has a day; the text consists of digits with two dashes.
  private static func isDay(_ text: String) -> Bool {
    let parts = text.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return false }
    let days = [31, isLeap(parts[0]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(parts[1]) else { return false }
    return (1...days[parts[1] - 1]).contains(parts[2])
  }

  private static func isLeap(_ year: Int) -> Bool {
    (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400)
  }

  func checkWebhook(_ text: String) throws(FormProblem) {
    let isClean = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && text.utf8.count <= 2_048
    let dollars = text.count { $0 == "$" }
    let variables = text.matches(of: /\$[A-Za-z_][A-Za-z0-9_]*/).count
    let isVariable = text.wholeMatch(of: /\$[A-Za-z_][A-Za-z0-9_]*/) != nil
    let isURL = text.wholeMatch(of: /(?i)https?:\/\/[^\/?#]+.*/) != nil
    guard isClean, dollars == variables, isVariable || isURL else {
      throw FormProblem(
        problem: "\(quoted(text)) is neither a URL nor a variable",
        remedy: "write a URL that begins with https://, or a variable such as $WEBHOOK"
      )
    }
  }

  func checkEmail(_ text: String) throws(FormProblem) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isClean = text.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && !",;:<>()[]\\\"".utf8.contains(byte)
    }
    guard isClean, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.hasPrefix("-"),
      text.utf8.count <= 254
    else {
      throw FormProblem(
        problem: "\(quoted(text)) is not an address",
        remedy: "write one address such as dev@example.org"
      )
    }
  }
}
