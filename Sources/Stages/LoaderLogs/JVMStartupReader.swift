/// Reads what the JVM writes for `-Xlog:startuptime`.
///
/// Which decorations a line has is configurable; `Create VM` contains the other phases. Source:
/// `TraceTime` in src/hotspot of OpenJDK 9 to 21.
struct JVMStartupReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.jvmStartupTime)
  private var latest: Int64 = 0
  private var pid: Int64?

  var found: [FoundBlock] { blocks.found }

  mutating func take(_ line: inout LineScanner) -> Bool {
    line.blanks()
    if takeBare(&line) { return true }
    guard line.next == UInt8(ascii: "[") else { return false }
    var instant: LoaderLogAmount?
    var pid: Int64?
    while let decoration = line.decoration() {
      if let amount = Self.uptime(decoration) { instant = instant ?? amount }
      if let number = Int64(decoration) { pid = pid ?? number }
    }
    line.trimEnd()
    guard let comma = line.last(Ascii.comma), comma > line.position,
      line.next != UInt8(ascii: "[")
    else { return false }
    let name = line.position..<comma
    line.position = comma + 1
    line.blanks()
    guard let printed = line.decimal(), line.take(" secs"), line.isAtEnd else { return false }
    let time = instant?.nanoseconds ?? latest
    if time < latest || pid != self.pid { blocks.close() }
    (latest, self.pid) = (time, pid)
    var value = LoaderLogValue(
      name: line.text(name),
      amount: LoaderLogAmount(printed, .seconds),
      line: line.number,
      instant: instant
    )
    value.pid = pid
    blocks.add(value)
    blocks.change { $0.pid = pid }
    return true
  }

  /// Uses a line without decorations; that of a JVM before 9 is in brackets.
  ///
  /// Other programs print seconds, too, but not of words alone and with seven decimals.
  private mutating func takeBare(_ line: inout LineScanner) -> Bool {
    let start = line.position
    let isBracketed = line.take("[")
    let name = line.skip { byte in
      Ascii.isLetter(byte) || Ascii.isDigit(byte) || byte == Ascii.space || byte == Ascii.dot
    }
    guard let first = name.first, Ascii.isLetter(line.bytes[first]), line.take(", "),
      let printed = line.decimal(), ExactDecimal.fractionDigits(of: printed) == 7,
      line.take(" secs"), !isBracketed || line.take("]"), line.isBlank()
    else {
      line.position = start
      return false
    }
    let amount = LoaderLogAmount(printed, .seconds)
    blocks.add(LoaderLogValue(name: line.text(name), amount: amount, line: line.number))
    return true
  }

  /// The time since the start of a decoration such as `0.012s` or `12ms`; nil for another one.
  static func uptime(_ decoration: String) -> LoaderLogAmount? {
    let isShort = decoration.hasSuffix("ms")
    guard isShort || decoration.hasSuffix("s") else { return nil }
    let digits = decoration.dropLast(isShort ? 2 : 1)
    guard digits.first?.isNumber == true, Double(digits) != nil else { return nil }
    return LoaderLogAmount(String(digits), isShort ? .milliseconds : .seconds)
  }
}

extension LineScanner {
  /// Passes a text in square brackets of at most 64 bytes, and blanks after it.
  mutating func decoration() -> String? {
    guard next == UInt8(ascii: "[") else { return nil }
    let start = position + 1
    var index = start
    while index < end, index - start <= 64 {
      charge(1)
      if bytes[index] == UInt8(ascii: "]") {
        position = index + 1
        defer { blanks() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
          .trimmingBlanks
      }
      index += 1
    }
    return nil
  }
}

extension String {
  /// Without spaces at its ends.
  fileprivate var trimmingBlanks: String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}

/// Reads what the JVM writes for `-Xlog:class+load`: where each class came from.
///
/// A line has an instant and no time, so the classes are counted by their source. Source:
/// `print_class_load_logging` in src/hotspot/share/oops/instanceKlass.cpp of OpenJDK 9 to 21.
struct JVMClassReader: LoaderLogReader {
  private var blocks = BlockList(LoaderLogFormat.jvmClassLoad)
  private var latest: Int64 = 0

  /// The places of the sources in the block that is open.
  private var places: [String: Int] = [:]

  var found: [FoundBlock] {
    blocks.found.map { found in
      var found = found
      let classes = found.block?.counters["classes"] ?? 0
      for index in found.block?.stages.indices ?? 0..<0 {
        let share = (found.block?.stages[index].counters["classes"] ?? 0) * 1_000 / max(1, classes)
        found.block?.stages[index].percent = "\(share / 10).\(share % 10)"
      }
      return found
    }
  }

  mutating func take(_ line: inout LineScanner) -> Bool {
    line.blanks()
    guard line.next == UInt8(ascii: "[") else { return false }
    var instant: LoaderLogAmount?
    while let decoration = line.decoration() {
      instant = instant ?? JVMStartupReader.uptime(decoration)
    }
    let name = line.skip { !LineScanner.isAsciiBlank($0) }
    guard !name.isEmpty, line.take(" source: ") else { return false }
    line.trimEnd()
    guard !line.isAtEnd else { return false }
    let source = Self.source(line.text(line.position..<line.end))
    let time = instant?.nanoseconds ?? latest
    if time < latest { blocks.close() }
    if !blocks.hasOpenBlock { places = [:] }
    latest = time
    blocks.use(line: line.number)
    count(source, at: instant, line.number)
    return true
  }

  private mutating func count(_ source: String, at instant: LoaderLogAmount?, _ line: Int) {
    let place = places[source] ?? blocks.count
    places[source] = place
    blocks.change { block in
      if place == block.stages.count {
        var value = LoaderLogValue(name: source, amount: nil, line: line, instant: instant)
        value.counters = ["classes": 0]
        block.stages.append(value)
      }
      block.stages[place].counters["classes", default: 0] += 1
      block.stages[place].counters["last_at_ns"] = instant?.nanoseconds
      block.counters["classes", default: 0] += 1
      block.counters["shared_classes", default: 0] += source.hasPrefix(Self.archive) ? 1 : 0
    }
  }

  /// Where a class came from: an archive, a module, a file, or the JVM itself, which makes classes
  /// such as those of lambdas and names what it made them from.
  private static func source(_ text: String) -> String {
    text.hasPrefix(archive) || text.contains(":") ? text : "made at run time"
  }

  /// How the source of a class from an archive of class data (CDS) begins.
  private static let archive = "shared objects file"
}
