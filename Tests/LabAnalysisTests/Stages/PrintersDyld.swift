/// A model of the statistics printers of dyld.
///
/// Source: `printTime`, `commatize` and `printStatistics` in src/ImageLoader.cpp and
/// src/ImageLoaderMachO.cpp of apple-oss-distributions/dyld, tags 46.16 to 852.2.
struct DyldPrinter {
  /// The counter's ticks in a second.
  var hertz: UInt64
  var family: Family

  /// The printers that differ in what they write.
  enum Family: CaseIterable {
    /// 46.16: one decimal in milliseconds.
    case prebinding
    /// 95.3 to 97.1.
    case sharedCache
    /// 132.13: two decimals.
    case weakBinding
    /// 195.5 to 360.22.
    case imageList
    /// iOS 9, which is not in the open source.
    case objcSetup
    /// 421.1 to 655.1.
    case preMain
    /// 732.8 to 852.2.
    case withoutPrefetching

    var isPreMain: Bool { self == .preMain || self == .withoutPrefetching }
    var milliDecimals: Int { self == .prebinding || self == .sharedCache ? 1 : 2 }
  }

  struct Times {
    var load: UInt64, rebase: UInt64, bind: UInt64, weakBind: UInt64, dof: UInt64,
      initializers: UInt64
    var pause: UInt64, objc: UInt64, redo: UInt64, notify: UInt64
    var images: [(name: String, time: UInt64)]
  }

  /// What a time prints, with what follows it, and the facts of it.
  struct Item {
    var text: String
    var fact: String
    var isWrapped: Bool
  }

  /// `printTime`: differences wrap in 64 bits, and quotients are cut to 32.
  func item(_ name: String, _ part: UInt64, of total: UInt64) -> Item {
    let share = UInt32(truncatingIfNeeded: (part &* 1_000) / total)
    let percent = "\(share / 10).\(share % 10)"
    guard part < hertz else {
      let tenths = UInt32(truncatingIfNeeded: (part &* 10) / hertz)
      let printed = "\(tenths / 10).\(tenths % 10)"
      let isWrapped = tenths / 10 >= 100_000_000
      let seconds = isWrapped ? "-" : decimal(UInt64(tenths), places: 1)
      return Item(
        text: ": \(printed) seconds (\(percent)%)",
        fact: "\(name)|\(seconds)|\(printed)|seconds|\(percent)" + (isWrapped ? "|wrapped" : ""),
        isWrapped: isWrapped
      )
    }
    let scale: UInt64 = family.milliDecimals == 1 ? 10 : 100
    let count = (part * scale * 1_000) / hertz
    let fraction = "\(count % scale)"
    let padding = String(repeating: "0", count: family.milliDecimals - fraction.count)
    let whole = count / scale
    let printed = "\(whole).\(padding)\(fraction)"
    let blanks = family.isPreMain ? (whole >= 100 ? 1 : whole >= 10 ? 2 : 3) : 1
    return Item(
      text: ":" + String(repeating: " ", count: blanks) + "\(printed) milliseconds (\(percent)%)",
      fact: "\(name)|\(decimal(count, places: 3 + family.milliDecimals))|\(printed)"
        + "|milliseconds|\(percent)",
      isWrapped: false
    )
  }

  func grouped(_ number: UInt64) -> String {
    var digits = "\(number)"
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits = String(digits.dropLast(3))
    }
    return ([digits] + groups).joined(separator: ",")
  }
}

/// A block while it is printed.
struct DyldBlockPrinter {
  let printer: DyldPrinter
  let whole: UInt64
  var lines: [String] = []
  var total = ""
  var stages: [String] = []
  var images: [String] = []
  var counts: [String] = []
  var isWrapped = false

  init(_ printer: DyldPrinter, whole: UInt64) { (self.printer, self.whole) = (printer, whole) }

  mutating func total(_ indent: String, _ name: String) {
    let item = printer.item(name, whole, of: whole)
    lines.append(indent + name + item.text)
    total = "total " + item.fact
  }

  mutating func stage(_ indent: String, _ name: String, _ part: UInt64) {
    let item = printer.item(name, part, of: whole)
    lines.append(indent + name + item.text)
    stages.append("stage " + item.fact)
    isWrapped = isWrapped || item.isWrapped
  }

  mutating func image(_ width: Int, _ name: String, _ part: UInt64) {
    let item = printer.item(name, part, of: whole)
    lines.append(name.right(width) + " " + item.text)
    images.append("image " + item.fact)
    isWrapped = isWrapped || item.isWrapped
  }

  mutating func count(_ line: String, _ values: (String, UInt64)...) {
    lines.append(line)
    counts += values.map { "count \($0)=\($1)" }
  }

  func printed(_ format: String) -> PrintedText {
    let facts =
      ["format \(format) true", total] + stages + images + counts.sorted()
      + (isWrapped ? ["flag wrapped"] : [])
    return PrintedText(lines: lines, facts: [facts])
  }
}
