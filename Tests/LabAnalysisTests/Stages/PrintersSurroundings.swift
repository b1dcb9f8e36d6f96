@testable import LaunchCore

/// What logs, web pages and people do to a text on its way, without changing what it says.
struct Surroundings {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private static let logs = [
    "2020-03-01 10:00:00.123456+0800 Demo[512:9001] viewDidLoad",
    "+[AppDelegate load]", "objc[77]: Class X is implemented in both a and b.", "hello", "",
    "2018-02-02 11:11:11 Demo[12:34] -- time: 5 ms", "start: 12.5", "duration : 1.23 ms",
    "Took 3.2 seconds.", "{\"level\":\"info\",\"msg\":\"ready\"}", "100%", "(null)", "...done",
    "total time was 12.3 milliseconds", "finished : 12.50 milliseconds", "50.0%) (",
    "启动耗时: 12.3", "=====", "-----------", "```", "</pre>", "$ ./a.out", "// note",
  ]

  /// Text around the lines, and marks on each of them.
  mutating func wrap(_ lines: [String]) -> String {
    var lines = lines
    if generator.chance(1, of: 4) { lines = lines.map { $0.isEmpty ? $0 : "\t    " + $0 } }
    if generator.chance(1, of: 8) { lines = lines.map { String($0.drop { $0 == " " }) } }
    lines = marked(lines)
    let before = (0..<generator.next(below: 4)).map { _ in generator.pick(Self.logs) }
    let after = (0..<generator.next(below: 4)).map { _ in generator.pick(Self.logs) }
    let end = generator.chance(1, of: 4) ? "\r\n" : "\n"
    let last = generator.chance(1, of: 4) ? "" : end
    return (before + lines + [""] + after).joined(separator: end) + last
  }

  private mutating func marked(_ lines: [String]) -> [String] {
    let mark = generator.pick(["", "", "> ", "// ", " * ", "# ", ">", "> > ", "///"])
    guard mark.isEmpty else { return lines.map { mark + $0 } }
    switch generator.next(below: 6) {
    case 0: return lines.map { $0.replacing("  ", with: "\u{A0}\u{A0}") }
    case 1: return lines.map { $0.replacing("  ", with: "&nbsp; ") + "<br />" }
    case 2:
      let pid = 1 + generator.next(below: 99_999)
      return lines.enumerated().map { index, line in
        "Mar  1 10:00:\(10 + index % 50) iPhone Demo[\(pid)] <Notice>: " + line
      }
    case 3: return lines.map { $0 + generator.pick(["", " ", "  ", "\t"]) }
    default: return lines
    }
  }

  /// The lines with lines of others between them.
  mutating func interleave(_ lines: [String]) -> [String] {
    lines.flatMap { generator.chance(1, of: 5) ? [generator.pick(Self.logs), $0] : [$0] }
  }
}
