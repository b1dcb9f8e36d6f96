import Foundation
import Testing

/// A text of the fixtures with the values that it must give.
struct TextSample: CustomTestStringConvertible, Sendable {
  var file: String
  var expected: Expected

  var testDescription: String { file }

  /// Whether no loader printed it; the index says so of glibc's only in the name.
  var isImitation: Bool { expected.imitation == true || file.contains("imitation") }

  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: Self.folder.appending(path: file))) }
  }

  private static let folder = Bundle.module.bundleURL.appending(components: "Fixtures", "stages")

  /// Every line of `index.tsv`.
  static let all: [TextSample] = {
    guard
      let index = try? String(contentsOf: folder.appending(path: "index.tsv"), encoding: .utf8)
    else { return [] }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return index.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count >= 3,
        let expected = try? decoder.decode(Expected.self, from: Data(fields[2].utf8))
      else { return nil }
      return TextSample(file: String(fields[0]), expected: expected)
    }
  }()

  /// What `expected_json` holds; each kind of text has some of it.
  struct Expected: Codable, Hashable, Sendable {
    var kind: String
    var imitation: Bool?
    var blocks: [Block]?
    var events: [[String]]?
    var inits: [Package]?
    var imports: [Module]?
    var marksMs: [String: String]?
    var phases: [Phase]?
    var calls: Int?
    var times: [[String]]?
    var counts: [String: Int64]?
    var first: [[String]]?
    var last: [[String]]?
    var lines: Int?
    var totalS: String?
    var stages: [[String]]?
  }

  struct Block: Codable, Hashable, Sendable {
    var format: String
    var flags: [String]
    var counters: [String: Int64]
    var total: Total?
    var stages: [Value]?
    var images: [Value]?
    var pid: String?
    var unit: String?
    var relocation: Int64?
    var relocationPct: String?
    var load: Int64?
    var loadPct: String?
    var lastDigitDropped: Bool?
    var totalCyclesCorrected: Int64?
  }

  /// The total of dyld is a value, that of glibc a number.
  enum Total: Codable, Hashable, Sendable {
    case value(Value)
    case number(Int64)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else {
        self = .value(try container.decode(Value.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .value(let value): try container.encode(value)
      case .number(let number): try container.encode(number)
      }
    }
  }

  struct Value: Codable, Hashable, Sendable {
    var name: String
    var s: String?
    var printedS: String?
    var resS: String?
    var pct: String?
    var flags: [String]
  }

  struct Package: Codable, Hashable, Sendable {
    var name: String
    var startS: String?
    var s: String?
    var bytes: Int64?
    var allocs: Int64?
  }

  struct Module: Codable, Hashable, Sendable {
    var name: String
    var depth: Int?
    var selfS: String?
    var cumulativeS: String?
  }

  struct Phase: Codable, Hashable, Sendable {
    var name: String
    var s: String?
    var at: String?
  }
}
