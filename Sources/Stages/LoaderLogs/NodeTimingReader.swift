import Foundation

/// Reads `performance.nodeTiming` of Node as JSON, on one line.
///
/// Its marks are milliseconds since the process began, and -1 for what was not reached; what lies
/// between two of them is how long the launch took for it. `duration` is when it was printed.
struct NodeTimingReader: LoaderLogReader {
  private(set) var found: [FoundBlock] = []

  /// The instants; what else is a number is a time that passed.
  private static let marks: Set = [
    "nodeStart", "v8Start", "environment", "bootstrapComplete", "loopStart", "loopExit",
  ]

  mutating func take(_ line: inout LineScanner) -> Bool {
    guard let brace = line.first(UInt8(ascii: "{")), line.containsNodeStart() else { return false }
    line.position = brace + 1
    var values: [LoaderLogValue] = []
    repeat {
      guard let name = line.quoted(), line.takeAfterBlanks(Ascii.colon) else { break }
      line.blanks()
      if let value = Self.value(name, &line) {
        values.append(value)
      } else if !line.skipValue() {
        break
      }
    } while line.takeAfterBlanks(Ascii.comma)
    guard values.contains(where: { $0.name == "nodeStart" }) else { return false }
    var block = LoaderLogBlock(format: LoaderLogFormat.nodeTiming, lines: line.number...line.number)
    block.total = values.first { $0.name == "duration" }
    block.stages = Self.stages(values)
    if !line.takeAfterBlanks(UInt8(ascii: "}")) { block.flags = [LoaderLogFlag.truncated] }
    found.append(FoundBlock(block: block, usedLines: [line.number]))
    return true
  }

  /// The marks by their instants, each with the time since the one before, and what else passed.
  private static func stages(_ values: [LoaderLogValue]) -> [LoaderLogValue] {
    var marks = values.filter { Self.marks.contains($0.name) }
    for index in marks.indices {
      marks[index].instant = marks[index].amount
      marks[index].amount = nil
    }
    var reached = marks.filter { $0.instant?.nanoseconds != nil }
    reached.sort { ($0.instant?.nanoseconds ?? 0) < ($1.instant?.nanoseconds ?? 0) }
    var last: Int64 = 0
    for index in reached.indices {
      let instant = reached[index].instant?.nanoseconds ?? last
      reached[index].amount = .milliseconds(nanoseconds: instant - last)
      last = instant
    }
    let others = values.filter {
      !Self.marks.contains($0.name) && !["startTime", "duration"].contains($0.name)
    }
    return reached + marks.filter { $0.instant?.nanoseconds == nil } + others
  }

  /// A number; nil for anything else.
  private static func value(_ name: String, _ line: inout LineScanner) -> LoaderLogValue? {
    let start = line.position
    let isNegative = line.take(UInt8(ascii: "-"))
    guard let digits = line.decimal() else {
      line.position = start
      return nil
    }
    let exponent = line.skip { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "-") }
    guard !line.isAtEnd || line.isTerminated else { return nil }
    var amount = LoaderLogAmount((isNegative ? "-" : "") + digits, .milliseconds)
    if !exponent.isEmpty {
      let printed = line.text(start..<line.position)
      amount = LoaderLogAmount("0", .milliseconds)
      amount.printed = printed
      amount.places = nil
      amount.nanoseconds = Double(printed).flatMap { Int64(exactly: ($0 * 1e6).rounded()) }
    }
    if isNegative { amount.nanoseconds = nil }
    return LoaderLogValue(
      name: name,
      amount: amount,
      flags: isNegative ? [LoaderLogFlag.notReached] : [],
      line: line.number
    )
  }
}

extension LoaderLogAmount {
  /// A time of whole nanoseconds, as printed in milliseconds.
  static func milliseconds(nanoseconds: Int64) -> Self {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Self("\(whole)." + "\(1_000_000 + rest)".dropFirst(), .milliseconds)
  }
}

extension LineScanner {
  fileprivate mutating func containsNodeStart() -> Bool {
    let start = position
    defer { position = start }
    return find("\"nodeStart\"")
  }

  fileprivate mutating func takeAfterBlanks(_ byte: UInt8) -> Bool {
    blanks()
    return take(byte)
  }

  /// Passes a string of JSON, and gives what is between its quotation marks.
  fileprivate mutating func quoted() -> String? {
    blanks()
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = position
    while let byte = next {
      advance(byte == UInt8(ascii: "\\") && peek(1) != nil ? 2 : 1)
      if byte == UInt8(ascii: "\"") { return text(start..<position - 1) }
    }
    return nil
  }

  /// Passes a value of JSON that is not a number.
  fileprivate mutating func skipValue() -> Bool {
    var depth = 0
    repeat {
      switch next {
      case nil: return false
      case UInt8(ascii: "\""):
        guard quoted() != nil else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        advance()
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { return true }
        advance()
        depth -= 1
      case Ascii.comma where depth == 0: return true
      default: advance()
      }
    } while depth > 0 || next != nil && next != Ascii.comma && next != UInt8(ascii: "}")
    return true
  }
}

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
  static func block(_ bytes: [UInt8], lines: Int) -> LoaderLogBlock? {
    guard bytes.first(where: { !LineScanner.isAsciiBlank($0) }) == UInt8(ascii: "{"),
      bytes.firstRange(of: Array("\"timeDeltas\"".utf8)) != nil,
      let profile = try? JSONDecoder().decode(Profile.self, from: Data(bytes)),
      let start = micros(profile.startTime), let end = micros(profile.endTime), end >= start
    else { return nil }
    var tree = ProfileTree(profile, start: start, end: end)
    var block = LoaderLogBlock(format: LoaderLogFormat.v8Profile, lines: 1...lines)
    block.total = LoaderLogValue(name: "profile", amount: amount(end - start), line: 1)
    block.stages = tree.values()
    block.counters = ["samples": Int64(profile.samples.count)]
    return block
  }

  static func amount(_ micros: Int64) -> LoaderLogAmount {
    LoaderLogAmount("\(micros)", .microseconds)
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
  mutating func values() -> [LoaderLogValue] {
    let visits = visits()
    for visit in visits.reversed() {
      whole[visit.place] += own[visit.place]
      if let caller = visit.caller { whole[caller] += whole[visit.place] }
    }
    return visits.reversed().filter { whole[$0.place] > 0 }
      .map { visit in
        var value = LoaderLogValue(
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
