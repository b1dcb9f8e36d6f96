import Foundation
import LabModel

/// What a scalar of the keys for many nights must look like.
enum TrendForm: Equatable, Sendable {
  /// A percentage between two others.
  case share(ClosedRange<Double>)

  /// A number of bytes with its unit.
  case size

  /// A limit of a metric, whose unit follows from the metric.
  case limit

  /// A revision that git understands.
  case revision

  /// A date, the id of a run, or the first digits of a commit.
  case anchor

  /// A URL, in which `$NAME` stands for a variable of the environment.
  case webhook

  /// An address of e-mail.
  case email
}

extension TrendForm {
  /// What is asked for, as a phrase with an article.
  var phrase: String {
    switch self {
    case .share(let range):
      "a percentage from \(Self.text(range.lowerBound)) to "
        + Self.text(range.upperBound)
    case .size: "a size such as 2GiB"
    case .limit: "a limit such as 60ms, 40MiB or 5"
    case .revision: "a git revision such as v1.0"
    case .anchor: "a date such as 2026-10-01, the id of a run, or the first digits of a commit"
    case .webhook: "a URL such as https://example.org/hook, or a variable such as $WEBHOOK"
    case .email: "an address such as dev@example.org"
    }
  }

  var schema: SchemaValue {
    switch self {
    case .share: ScalarForm.string("^\(ScalarForm.number)%$")
    case .size: ScalarForm.string("^\(ScalarForm.number)(B|kB|MB|GB|KiB|MiB|GiB)$")
    case .limit:
      [
        "anyOf": [
          ["type": "number", "minimum": 0],
          ScalarForm.string(
            "^\(ScalarForm.number)(ns|us|µs|ms|s|min|m|h|B|kB|MB|GB|KiB|MiB|GiB)?$"
          ),
        ]
      ]
    case .revision: ["type": ["string", "number"], "pattern": "^[^-\\s]\\S*$"]
    case .anchor:
      [
        "type": ["string", "number"],
        "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}|[0-9a-f]{4,64})$",
      ]
    case .webhook: ScalarForm.string("^([hH][tT][tT][pP][sS]?://|\\$)[!-~]+$")
    case .email: ScalarForm.string("^[!-?A-~]+@[!-?A-~]+$")
    }
  }

  /// Checks one scalar.
  ///
  /// - Throws: A problem that quotes the text.
  func check(_ text: String) throws(FormProblem) {
    switch self {
    case .share(let range): try checkShare(text, in: range)
    case .size: _ = try Self.bytes(text)
    case .limit: break
    case .revision: try checkRevision(text)
    case .anchor: try checkAnchor(text)
    case .webhook: try checkWebhook(text)
    case .email: try checkEmail(text)
    }
  }

  // MARK: - Reading

  /// The number before a percent sign; nil for anything else.
  static func percent(_ text: String) -> Double? {
    guard text.last == "%" else { return nil }
    return ExactDecimal(written: text.dropLast())?.value
  }

  private static let sizes: [(suffix: String, bytes: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1),
  ]

  /// Reads a size such as `40MiB`, rounded down to bytes.
  static func bytes(_ text: String) throws(FormProblem) -> Int64 {
    guard let unit = sizes.first(where: { text.hasSuffix($0.suffix) }),
      let number = ExactDecimal(written: text.dropLast(unit.suffix.count))
    else {
      let isBare = ExactDecimal(written: text) != nil
      throw FormProblem(
        problem: "\(quoted(text)) is \(isBare ? "a size without a unit" : "not a size")",
        remedy: isBare
          ? "write the unit, such as \(text)MiB"
          : "write a number and one of the units B, kB, MB, GB, KiB, MiB, GiB, such as 40MiB"
      )
    }
    guard number.whole < 1 << 50 / unit.bytes else {
      throw FormProblem(
        problem: "the size \(quoted(text)) is larger than a pebibyte",
        remedy: "use fewer bytes"
      )
    }
    return number.whole * unit.bytes + Int64(Double(number.billionths) / 1e9 * Double(unit.bytes))
  }

  /// Reads a limit in the unit of its metric.
  static func limit(_ text: String, of metric: Metric) throws(FormProblem) -> Double {
    switch metric.unit {
    case .nanoseconds:
      let span = try Nanoseconds(written: text)
      guard span > .zero else {
        throw FormProblem(
          problem: "the limit \(quoted(text)) leaves no time",
          remedy: "allow more time, such as 60ms"
        )
      }
      return Double(span.count)
    case .bytes: return Double(try bytes(text))
    case .count:
      guard let number = ExactDecimal(written: text), number.whole < 1 << 50 else {
        throw FormProblem(
          problem: "\(quoted(text)) is not a count, which \(metric.rawValue) is measured in",
          remedy: "write a number without a unit, such as 5"
        )
      }
      return number.value
    }
  }

  // MARK: - Checks

  private static func text(_ percent: Double) -> String {
    percent == percent.rounded() ? "\(Int(percent))%" : "\(percent)%"
  }

  private func checkShare(_ text: String, in range: ClosedRange<Double>) throws(FormProblem) {
    guard let percent = Self.percent(text) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a percentage",
        remedy: "write a number and the sign, such as \(Self.text(max(1, range.lowerBound)))"
      )
    }
    guard range.contains(percent) else {
      throw FormProblem(
        problem: "\(quoted(text)) is not \(phrase)",
        remedy: "choose \(phrase)"
      )
    }
  }

  private func checkRevision(_ text: String) throws(FormProblem) {
    let isClean = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard isClean, !text.isEmpty, !text.hasPrefix("-") else {
      throw FormProblem(
        problem: "\(quoted(text)) is not a git revision",
        remedy: "write a tag, a branch or a commit, such as v1.0"
      )
    }
  }
}

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
