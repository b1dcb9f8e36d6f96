@testable import LaunchCore

/// Models of what runtimes and tools print of a launch.
enum RuntimePrinter {
  /// Go's `GODEBUG=inittrace=1`.
  ///
  /// Source: `doInit1` and `fmtNSAsMS` in src/runtime of Go 1.16 to 1.24.
  static func go(_ generator: inout SplitMix64) -> PrintedText {
    var text = PrintedText()
    var facts = ["format go.inittrace true"]
    var start: UInt64 = generator.spread(digits: 4)
    for _ in 0...generator.next(below: 30) {
      let clock = generator.spread(digits: 8)
      let (bytes, count) = (generator.spread(digits: 7), generator.spread(digits: 5))
      let name = generator.pick([
        "runtime", "internal/cpu", "github.com/a-b/c.d/v2", "main", "x/init",
      ])
      let (at, took) = (milliseconds(start), milliseconds(clock))
      text.lines.append(
        "init \(name) @\(at.text) ms, \(took.text) ms clock, \(bytes) bytes, \(count) allocs"
      )
      facts.append(
        "stage \(name)|\(took.seconds)|\(took.text)|milliseconds|-|@\(at.seconds)"
          + "|allocs=\(count)|bytes=\(bytes)"
      )
      start += clock
    }
    text.facts = [facts]
    return text
  }

  /// Milliseconds with two digits below 10, whole ones above.
  private static func milliseconds(_ nanoseconds: UInt64) -> (text: String, seconds: String) {
    if nanoseconds >= 10_000_000 {
      let whole = nanoseconds / 1_000_000
      return ("\(whole)", decimal(whole, places: 3))
    }
    var microseconds = nanoseconds / 1_000
    if microseconds == 0 { return ("0", "0") }
    var places = 3
    while microseconds >= 100 { (microseconds, places) = (microseconds / 10, places - 1) }
    let digits = String(repeating: "0", count: max(0, places + 1 - "\(microseconds)".count))
    let text = digits + "\(microseconds)"
    let point = places == 0 ? "" : "." + text.suffix(places)
    return (text.dropLast(places) + point, decimal(microseconds, places: 3 + places))
  }

  /// Python's `-X importtime`.
  ///
  /// Source: `import_find_and_load` in Python/import.c of CPython 3.7 to 3.14.
  static func python(_ generator: inout SplitMix64) -> PrintedText {
    var text = PrintedText(lines: ["import time: self [us] | cumulative | imported package"])
    var facts = ["format python.importtime true"]
    for _ in 0...generator.next(below: 6) { _ = module(&generator, 0, &text.lines, &facts) }
    text.facts = [facts]
    return text
  }

  private static func module(
    _ generator: inout SplitMix64,
    _ depth: Int,
    _ lines: inout [String],
    _ facts: inout [String]
  ) -> UInt64 {
    let name = generator.pick(["os", "a.b_c", "encodings.utf_8", "имя", "x y"])
    let indent = String(repeating: "  ", count: depth)
    if depth > 0, generator.chance(1, of: 9) {
      lines.append("import time: cached    | cached     | \(indent)\(name)")
      facts.append("stage \(name)|-|-|-|-|depth \(depth)|cached")
      return 0
    }
    let children = depth > 4 ? 0 : generator.next(below: 3)
    let own = generator.spread(digits: 7)
    let sum = (0..<children).reduce(own) { sum, _ in
      sum + module(&generator, depth + 1, &lines, &facts)
    }
    lines.append("import time: \("\(own)".right(9)) | \("\(sum)".right(10)) | \(indent)\(name)")
    facts.append(
      "stage \(name)|\(decimal(sum, places: 6))|\(sum)|microseconds|-"
        + "|self \(decimal(own, places: 6))|depth \(depth)"
    )
    return sum
  }

  /// The JVM's `-Xlog:startuptime`, with any decorations.
  ///
  /// Source: `TraceTime` in src/hotspot/share/runtime/timerTrace.cpp of OpenJDK 17.
  static func jvm(_ generator: inout SplitMix64) -> PrintedText {
    var text = PrintedText()
    var facts = ["format jvm.startuptime true"]
    let pid = generator.spread(digits: 5) + 1
    let style = generator.next(below: 5)
    var uptime: UInt64 = 0
    for _ in 0...generator.next(below: 12) {
      let took = generator.spread(digits: 8)
      uptime += generator.spread(digits: 3)
      let name = generator.pick([
        "Genesis", "StubRoutines generation 1", "Initialize java.lang classes",
      ])
      let fraction = "\(took % 10_000_000)"
      let printed =
        "\(took / 10_000_000)." + String(repeating: "0", count: 7 - fraction.count) + fraction
      let stamp = "\(uptime / 1_000)." + String("00\(uptime % 1_000)".suffix(3)) + "s"
      let decorations = [
        "[\(stamp)][info][startuptime] ", "[\(stamp)][\(pid)] ",
        "[\(uptime)ms][info ][startuptime   ] ",
        "[2024-03-01T10:00:00.123+0000][\(stamp)] ", "",
      ][style]
      text.lines.append("\(decorations)\(name), \(printed) secs")
      facts.append(
        "stage \(name)|\(decimal(took, places: 7))|\(printed)|seconds|-"
          + (style == 4 ? "" : "|@\(decimal(uptime, places: 3))")
          + (style == 1 ? "|pid \(pid)" : "")
      )
    }
    text.facts = [facts]
    return text
  }
}
