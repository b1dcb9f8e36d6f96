import LaunchCore

/// What valgrind's tool `callgrind` writes of one process.
///
/// Format: "Callgrind Format Specification" of valgrind's manual. Names are written once, as `(3) name`,
/// and `(3)` from then on; the line after `calls=` has the inclusive cost of these calls.
struct CallgrindFile {
  private(set) var counts = InstructionCounts()

  private var objects = Names()
  private var functions = Names()

  /// Reads a whole file.
  ///
  /// - Returns: Nil for one that is cut off or counts something else than instructions alone.
  init?(_ bytes: [UInt8]) {
    var caller = CodeFrame(file: "", function: "")
    var callee = caller
    var calledTimes: Int64?
    var countsInstructions = false
    var isComplete = false
    for line in bytes.split(separator: 0x0A) {
      guard let first = line.first else { continue }
      switch first {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x2A, 0x2B, 0x2D:
        let words = line.split(separator: 0x20)
        guard let cost = words.count > 1 ? Self.number(words[1]) : 0 else { return nil }
        if let times = calledTimes {
          let call = InstructionCounts.Call(caller: caller, callee: callee)
          let count = InstructionCounts.CallCount(times: times, instructions: cost)
          counts.calls[call] = (counts.calls[call]).map { $0 + count } ?? count
          calledTimes = nil
          callee.file = caller.file
        } else {
          counts.own[caller, default: 0] += cost
        }
      default:
        guard let (key, value) = Self.field(of: line) else { continue }
        switch key {
        case "ob":
          caller.file = objects.name(value)
          callee.file = caller.file
        case "fn": caller.function = Self.withoutDepth(functions.name(value))
        case "cob": callee.file = objects.name(value)
        case "cfn": callee.function = Self.withoutDepth(functions.name(value))
        case "calls":
          guard
            let times = value.split(separator: " ").first.map({ Self.number(Array($0.utf8)[...]) })
          else { return nil }
          calledTimes = times
        case "events": countsInstructions = value == "Ir"
        case "totals": isComplete = true
        default: break
        }
      }
    }
    guard countsInstructions, isComplete else { return nil }
  }

  /// The key and the value of a line such as `fn=(1) main` or `events: Ir`.
  private static func field(of line: ArraySlice<UInt8>) -> (key: String, value: String)? {
    guard let end = line.prefix(10).firstIndex(where: { $0 == 0x3D || $0 == 0x3A }) else {
      return nil
    }
    let value = line[(end + 1)...].drop { $0 == 0x20 }
    return (String(decoding: line[..<end], as: UTF8.self), String(decoding: value, as: UTF8.self))
  }

  /// A number that no launch exceeds; sums of such numbers are numbers, too.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    Int64(String(decoding: digits, as: UTF8.self)).flatMap { (0..<1 << 40).contains($0) ? $0 : nil }
  }

  /// A name without the depth of a recursion, as in `walk'2`.
  private static func withoutDepth(_ name: String) -> String {
    guard let mark = name.lastIndex(of: "'"), mark > name.startIndex,
      name[mark...].dropFirst().allSatisfy(\.isNumber)
    else { return name }
    return String(name[..<mark])
  }

  /// The names of one kind by their numbers.
  private struct Names {
    private var known: [Substring: String] = [:]

    mutating func name(_ text: String) -> String {
      guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
      let number = text[text.index(after: text.startIndex)..<end]
      let name = text[text.index(after: end)...].drop { $0 == " " }
      if name.isEmpty { return known[number] ?? "" }
      known[number] = String(name)
      return String(name)
    }
  }
}
