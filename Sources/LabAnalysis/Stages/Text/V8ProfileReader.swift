import Foundation

/// Reads the `.cpuprofile` that V8 writes for `node --cpu-prof`, and that DevTools save.
///
/// A text is such a profile as a whole or not at all, and has any number of lines. The time of a sample
/// is up to the next one. Source: `CpuProfileJSONSerializer` in src/profiler/cpu-profiler.cc of V8.
enum V8ProfileReader {
  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - lines: How many lines it has, at least 1.
  /// - Returns: The functions, callees before callers; nil when the text is no profile.
  static func block(_ bytes: [UInt8], lines: Int) -> StageTextBlock? {
    guard bytes.first(where: { !LineScanner.isAsciiBlank($0) }) == UInt8(ascii: "{"),
      bytes.firstRange(of: Array("\"timeDeltas\"".utf8)) != nil,
      let profile = try? JSONDecoder().decode(Profile.self, from: Data(bytes)),
      let start = micros(profile.startTime), let end = micros(profile.endTime), end >= start
    else { return nil }
    var tree = ProfileTree(profile, start: start, end: end)
    var block = StageTextBlock(format: StageTextFormat.v8Profile, lines: 1...lines)
    block.total = StageTextValue(name: "profile", amount: amount(end - start), line: 1)
    block.stages = tree.values()
    block.counters = ["samples": Int64(profile.samples.count)]
    return block
  }

  static func amount(_ micros: Int64) -> StageTextAmount {
    StageTextAmount("\(micros)", .microseconds)
  }

  /// A time of the profile; nil when it is beyond what a clock tells.
  static func micros(_ number: Double) -> Int64? {
    abs(number) < 1e15 ? Int64(number.rounded()) : nil
  }

  struct Profile: Decodable {
    var nodes: [Node]
    var startTime: Double
    var endTime: Double
    var samples: [Int]
    var timeDeltas: [Double]
  }

  struct Node: Decodable {
    var id: Int
    var callFrame: CallFrame
    var children: [Int]?
  }

  struct CallFrame: Decodable {
    var functionName: String
    var url: String?

    /// From 0; -1 where there is none.
    var lineNumber: Int?

    /// The function and where it is, such as `load app.js:12`.
    var name: String {
      let function = functionName.isEmpty ? "(anonymous)" : functionName
      guard let url, !url.isEmpty else { return function }
      let isFile = url.hasPrefix("file:") || url.hasPrefix("/") || url.hasPrefix("http")
      let place = isFile ? url.split(separator: "/").last.map(String.init) ?? url : url
      let line = lineNumber.map { $0 >= 0 && $0 < .max ? ":\($0 + 1)" : "" } ?? ""
      return "\(function) \(place)\(line)"
    }
  }
}

/// The functions of a profile with the times of their samples.
private struct ProfileTree {
  private let nodes: [V8ProfileReader.Node]

  /// The places of the nodes by their number.
  private let places: [Int: Int]

  /// In microseconds, by place.
  private var own: [Int64]
  private var whole: [Int64]

  init(_ profile: V8ProfileReader.Profile, start: Int64, end: Int64) {
    nodes = profile.nodes
    places = Dictionary(nodes.enumerated().map { ($1.id, $0) }) { first, _ in first }
    own = Array(repeating: 0, count: nodes.count)
    whole = own
    var instant = start
    var last: Int?
    for (sample, delta) in zip(profile.samples, profile.timeDeltas) {
      let next = min(end, max(instant, instant + (V8ProfileReader.micros(delta) ?? 0)))
      if let last { own[last] += next - instant }
      instant = next
      last = places[sample]
    }
    if let last { own[last] += end - instant }
  }

  /// Every function that took time, callees before callers.
  mutating func values() -> [StageTextValue] {
    let visits = visits()
    for visit in visits.reversed() {
      whole[visit.place] += own[visit.place]
      if let caller = visit.caller { whole[caller] += whole[visit.place] }
    }
    return visits.reversed().filter { whole[$0.place] > 0 }
      .map { visit in
        var value = StageTextValue(
          name: nodes[visit.place].callFrame.name,
          amount: V8ProfileReader.amount(whole[visit.place]),
          line: 1
        )
        value.own = V8ProfileReader.amount(own[visit.place])
        value.depth = visit.depth
        return value
      }
  }

  private struct Visit {
    var place: Int
    var caller: Int?
    var depth: Int
  }

  /// Callers before callees, the last callee first; a node that was damaged to be its own caller is
  /// visited once.
  private func visits() -> [Visit] {
    let callees = Set(nodes.flatMap { $0.children ?? [] })
    var isSeen = Array(repeating: false, count: nodes.count)
    var waiting = nodes.indices.filter { !callees.contains(nodes[$0].id) }
      .map { Visit(place: $0, caller: nil, depth: 0) }
    var visits: [Visit] = []
    while let visit = waiting.popLast() {
      guard !isSeen[visit.place] else { continue }
      isSeen[visit.place] = true
      visits.append(visit)
      for callee in (nodes[visit.place].children ?? []).compactMap({ places[$0] }) {
        waiting.append(Visit(place: callee, caller: visit.place, depth: visit.depth + 1))
      }
    }
    return visits
  }
}
