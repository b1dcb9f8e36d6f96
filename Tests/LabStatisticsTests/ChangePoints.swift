import Foundation

/// A real series with the changes that somebody else found in it.
struct RealSeries: Sendable, CustomStringConvertible {
  let description: String
  let values: [Double]

  /// The first indices of new levels.
  let changes: [Int]

  /// The runs of a graph of Mozilla's Perfherder, with the changes that its own test pins.
  static func perfherder(_ name: String) throws -> Self {
    struct Expected: Decodable {
      var changes: [String: [Int]]

      enum CodingKeys: String, CodingKey {
        case changes = "expected_change_push_timestamps"
      }
    }
    let folder = changepoints.appending(component: "perfherder")
    let rows = try String(contentsOf: folder.appending(component: "\(name).csv"), encoding: .utf8)
      .split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
    let pinned = try JSONDecoder().decode(
      Expected.self,
      from: Data(contentsOf: folder.appending(component: "expected.json"))
    )
    let times = rows.compactMap { Int($0[0]) }
    return Self(
      description: name,
      values: rows.compactMap { Double($0[1]) },
      changes: (pinned.changes[name] ?? []).compactMap {
        times.firstIndex(of: $0)
      }
    )
  }

  /// The nightly times of TigerBeetle, with the steps that a person saw in them.
  static func tigerBeetle() throws -> Self {
    struct File: Decodable {
      var series: [Double]
    }
    let file = changepoints.appending(components: "otava", "tigerbeetle.json")
    let values = try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).series
    return Self(description: "tigerbeetle", values: values, changes: [15, 71, 95, 150])
  }
}

/// A series with what each of several people marked in it.
struct AnnotatedSeries: Decodable, Sendable, CustomStringConvertible {
  let name: String
  let values: [Double]

  /// The first indices of new levels, by annotator.
  let annotations: [String: [Int]]

  var description: String { name }

  static func all() throws -> [Self] {
    let file = changepoints.appending(components: "tcpd", "series.json")
    return try JSONDecoder().decode([Self].self, from: Data(contentsOf: file))
  }

  /// The F1 score of found changes, start of the series included, with a margin in values.
  ///
  /// Precision against what any annotator marked, recall as the mean over annotators.
  ///
  /// Source: van den Burg and Williams, arXiv 2003.06222, section 4.1.
  func score(of changes: [Int], margin: Int = 5) -> Double {
    let found = Set(changes).union([0])
    let people = annotations.values.map { Set($0).union([0]) }
    let everybody = people.reduce(into: Set<Int>()) { $0.formUnion($1) }
    let precision = Double(hits(everybody, found, margin)) / Double(found.count)
    let recall = people.map { Double(hits($0, found, margin)) / Double($0.count) }
    let meanRecall = recall.reduce(0, +) / Double(people.count)
    return 2 * precision * meanRecall / (precision + meanRecall)
  }

  /// How well the found pieces cover those of each annotator, as the mean of the Jaccard indices.
  func covering(of changes: [Int]) -> Double {
    let found = pieces(changes)
    let each = annotations.values.map { marks in
      pieces(marks).reduce(0) { sum, piece in
        let best = found.map { other in
          let common = piece.clamped(to: other).count
          return Double(common) / Double(piece.count + other.count - common)
        }
        return sum + Double(piece.count) * (best.max() ?? 0)
      }
    }
    return each.reduce(0, +) / Double(each.count * values.count)
  }

  private func pieces(_ changes: [Int]) -> [Range<Int>] {
    let starts = Set(changes).union([0]).sorted()
    return zip(starts, starts.dropFirst() + [values.count]).map { $0..<$1 }
  }

  /// How many true changes have a found one within the margin, each found one counted once.
  private func hits(_ truths: Set<Int>, _ found: Set<Int>, _ margin: Int) -> Int {
    var left = found
    return truths.sorted().count { truth in
      let near = left.filter { abs($0 - truth) <= margin }.min { abs($0 - truth) < abs($1 - truth) }
      return near.map { left.remove($0) != nil } ?? false
    }
  }
}

private let changepoints = Bundle.module.bundleURL.appending(components: "Fixtures", "changepoint")
