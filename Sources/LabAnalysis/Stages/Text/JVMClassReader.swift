/// Reads what the JVM writes for `-Xlog:class+load`: where each class came from.
///
/// A line has an instant and no time, so the classes are counted by their source. Source:
/// `print_class_load_logging` in src/hotspot/share/oops/instanceKlass.cpp of OpenJDK 9 to 21.
struct JVMClassReader: StageTextReader {
  private var blocks = BlockList(StageTextFormat.jvmClassLoad)
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
    var instant: StageTextAmount?
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

  private mutating func count(_ source: String, at instant: StageTextAmount?, _ line: Int) {
    let place = places[source] ?? blocks.count
    places[source] = place
    blocks.change { block in
      if place == block.stages.count {
        var value = StageTextValue(name: source, amount: nil, line: line, instant: instant)
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
