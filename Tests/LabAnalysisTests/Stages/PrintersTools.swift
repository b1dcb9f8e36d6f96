@testable import LaunchCore

extension RuntimePrinter {
  private static let calls = [
    "openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3", "brk(NULL) = 0x55b8b9ff2880",
    "read(3, \"\\177ELF <0.5>\", 832) = 832", "access(\"/x\", R_OK) = -1 ENOENT (No such file)",
    "write(1, \"a = b\", 5) = 5", "clock_nanosleep(0, 0, {tv_sec=1}, NULL) = 0",
    "write(2, \"init a @1 ms, 2 ms clock\", 3) = 3", "arch_prctl(ARCH_SET_FS, 0x7f) = 0",
  ]

  /// `strace` with `-r`, `-tt` or `-ttt`, with and without `-T` and `-f`.
  ///
  /// Source: `printleader` in src/strace.c and `syscall_exiting_trace` in src/syscall.c, 6.1.
  static func strace(_ generator: inout SplitMix64) -> PrintedText {
    var text = PrintedText()
    var calls: [PrintedCall] = []
    let style = generator.next(below: 3)
    let hasDuration = generator.chance(1, of: 2)
    let pid = generator.chance(1, of: 2) ? generator.spread(digits: 6) + 1 : nil
    var now: UInt64 = 0
    for index in 0...generator.next(below: 30) {
      let first = "execve(\"/bin/a\", [\"a\"], 0x7f /* 3 vars */) = 0"
      let call = index == 0 ? first : generator.pick(Self.calls)
      let micros = generator.spread(digits: 6)
      let (stamp, instant) = stamp(style, micros, &generator)
      now = style == 0 ? now + micros : instant
      let leader =
        pid.map { generator.chance(1, of: 2) ? "[pid \("\($0)".right(5))] " : "\($0) " } ?? ""
      let took = generator.spread(digits: 6)
      text.lines.append(leader + stamp + " " + call + (hasDuration ? " <\(sixPlaces(took))>" : ""))
      if let last = calls.indices.last { calls[last].end(at: now) }
      let name = String(call.prefix { $0 != "(" })
      calls.append(PrintedCall(name: name, began: now, took: hasDuration ? took : nil))
      if generator.chance(1, of: 9) {
        text.lines.append(leader + stamp + " --- SIGCHLD {si_pid=3} ---")
        if style == 0 { now += micros }
        calls[index].end(at: now)
      }
    }
    let end = pid.map { "|pid \($0)" } ?? ""
    text.facts = [["format strace true"] + calls.map { $0.fact(pid: end) }]
    return text
  }

  /// A call of a trace, which without `-T` takes up to the next line.
  private struct PrintedCall {
    var name: String
    var began: UInt64
    var took: UInt64?
    var isGuessed = false
    var isOver = false

    mutating func end(at now: UInt64) {
      guard !isOver, took == nil else { return }
      isOver = true
      guard now >= began else { return }
      (took, isGuessed) = (now - began, true)
    }

    func fact(pid: String) -> String {
      let amount = took.map { "\(decimal($0, places: 6))|\(sixPlaces($0))|seconds" } ?? "-|-|-"
      return "stage \(name)|\(amount)|-|@\(decimal(began, places: 6))\(pid)"
        + (isGuessed ? "|until_next" : "")
    }
  }

  private static func sixPlaces(_ micros: UInt64) -> String {
    "\(micros / 1_000_000)." + String("00000\(micros % 1_000_000)".suffix(6))
  }

  private static func stamp(
    _ style: Int,
    _ micros: UInt64,
    _ generator: inout SplitMix64
  ) -> (String, UInt64) {
    switch style {
    case 0: return (sixPlaces(micros).right(13), micros)
    case 1:
      let second = UInt64(generator.next(below: 86_400))
      let parts = [second / 3_600, second / 60 % 60, second % 60].map { String("0\($0)".suffix(2)) }
      let day = second * 1_000_000 + micros
      return (parts.joined(separator: ":") + sixPlaces(micros).dropFirst(), day)
    default:
      let epoch = 1_795_219_254_000_000 + micros
      return (sixPlaces(epoch), epoch)
    }
  }

  /// `perf trace`.
  ///
  /// Source: `trace__fprintf_entry_head` in tools/perf/builtin-trace.c of Linux 6.1.
  static func perf(_ generator: inout SplitMix64) -> PrintedText {
    var text = PrintedText()
    var facts = ["format perf.trace true"]
    let comm = generator.pick(["true", "Web Content", "kworker/0:1", "a.out", "(sd-pam)"])
    for index in 0...generator.next(below: 20) {
      let (at, took) = (generator.spread(digits: 8), generator.spread(digits: 6))
      let isContinued = index == 0 && generator.chance(1, of: 2)
      let hasTook = !isContinued && generator.chance(9, of: 10)
      let start = isContinued ? "?".right(10) : threePlaces(at).right(10)
      let duration = hasTook ? "(\(threePlaces(took).right(6)) ms)" : "(         )"
      let name = generator.pick(["openat", "mmap", "exit_group", "pread64"])
      let call = isContinued ? " ... [continued]: execve())" : "\(name)(fd: 3, buf: 0x7f)"
      text.lines.append("\(start) \(duration): \(comm)/77 \(call) = 0")
      let amount =
        hasTook ? "\(decimal(took, places: 6))|\(threePlaces(took))|milliseconds" : "-|-|-"
      facts.append(
        "stage \(isContinued ? "execve" : name)|\(amount)|-"
          + (isContinued ? "" : "|@\(decimal(at, places: 6))") + "|pid 77"
      )
    }
    text.facts = [facts]
    return text
  }

  private static func threePlaces(_ thousandths: UInt64) -> String {
    "\(thousandths / 1_000)." + String("00\(thousandths % 1_000)".suffix(3))
  }

  /// `systemd-analyze time`.
  ///
  /// Source: `pretty_boot_time` in src/analyze and `format_timespan` in src/basic of systemd 252.
  static func systemd(_ generator: inout SplitMix64) -> PrintedText {
    var terms: [(String, UInt64)] = []
    for name in ["firmware", "loader", "kernel", "initrd"] where generator.chance(1, of: 2) {
      terms.append((name, generator.spread(digits: 8) + 1))
    }
    if terms.contains(where: { $0.0 == "firmware" }), !terms.contains(where: { $0.0 == "kernel" }) {
      terms.append(("kernel", 1))
    }
    let hasTotal = terms.contains { $0.0 == "kernel" }
    if !hasTotal { terms = [] }
    terms.append(("userspace", generator.spread(digits: 8) + 1))
    let sum = terms.reduce(0) { $0 + $1.1 }
    var line = "Startup finished in "
    line += terms.map { "\(span($0.1).text) (\($0.0))" }.joined(separator: " + ")
    if hasTotal { line += " = \(span(sum).text)" }
    let facts =
      ["format systemd.analyze true"] + (hasTotal ? ["total " + fact("total", sum)] : [])
      + terms.map { "stage " + fact($0.0, $0.1) }
    let target = "graphical.target reached after \(span(sum).text) in userspace"
    return PrintedText(
      lines: [line + " ", target + generator.pick(["", "."])],
      facts: [facts]
    )
  }

  private static func fact(_ name: String, _ milliseconds: UInt64) -> String {
    let seconds = decimal(milliseconds, places: 3)
    return "\(name)|\(seconds)|\(seconds)|seconds|-"
  }

  /// A span of milliseconds: minutes and more whole, seconds with their fraction, or milliseconds.
  private static func span(_ milliseconds: UInt64) -> (text: String, seconds: String) {
    var rest = milliseconds
    var parts: [String] = []
    for (name, size) in [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)] as [(String, UInt64)]
    where rest >= size {
      parts.append("\(rest / size)\(name)")
      rest %= size
    }
    if rest >= 1_000 {
      parts.append(rest % 1_000 == 0 ? "\(rest / 1_000)s" : "\(threePlaces(rest))s")
    } else if rest > 0 {
      parts.append("\(rest)ms")
    }
    return (parts.joined(separator: " "), decimal(milliseconds, places: 3))
  }
}
