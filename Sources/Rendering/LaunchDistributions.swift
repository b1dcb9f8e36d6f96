import Foundation
package import LaunchCore

/// The values of launches on a common axis: a histogram of one line per side, or a picture of their
/// cumulative shares.
package struct LaunchDistributions: Hashable, Sendable {
  /// The launches of one side.
  package struct Side: Hashable, Sendable {
    package let name: String

    /// Ascending, all of them finite.
    let values: [Double]

    /// How many launches never came to a value.
    let missing: Int

    /// - Parameters:
    ///   - name: What the side is called.
    ///   - values: In the unit of the metric, in any order; one that is not finite counts as missing.
    ///   - missing: How many launches have no value besides.
    package init(_ name: String, _ values: [Double], missing: Int = 0) {
      self.name = name
      self.values = values.filter(\.isFinite).sorted()
      self.missing = missing + values.count - self.values.count
    }

    /// Such as `50 launches, 3 never came`.
    var count: String {
      let all = Quantity.launches(values.count + missing)
      return all + (missing > 0 ? ", \(missing) never came" : "")
    }
  }

  /// What was launched, such as `warm`.
  package var title: String

  let sides: [Side]
  let unit: Metric.Unit

  /// Above which value a launch is slow; nil where none is marked.
  let threshold: Double?

  let axis: Axis

  /// Nil where no side has a value.
  ///
  /// - Parameters:
  ///   - title: What was launched; nothing stands above the lines where it is empty.
  ///   - sides: The baseline first.
  ///   - unit: That of the values.
  ///   - threshold: Above which value a launch is slow; nil means that none is marked.
  package init?(_ title: String, _ sides: [Side], unit: Metric.Unit, threshold: Double? = nil) {
    let threshold = threshold.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    guard let axis = Axis(of: sides.flatMap(\.values).sorted(), showing: threshold) else {
      return nil
    }
    self.title = title
    self.sides = sides
    self.unit = unit
    self.threshold = threshold
    self.axis = axis
  }

  /// Which values are shown, and where.
  struct Axis: Hashable, Sendable {
    let low: Double
    let high: Double

    /// Whether it is logarithmic, as where the largest value is more than four times the smallest.
    let isLogarithmic: Bool

    /// Of at least 20 values the largest hundredth, or the largest one, is beyond the axis where the
    /// others would have less than a quarter of it.
    fileprivate init?(of values: [Double], showing threshold: Double?) {
      guard let least = values.first, var most = values.last else { return nil }
      if values.count >= 20 {
        let inner = values[values.count - 1 - max(1, values.count / 100)]
        // Equal values need no width.
        if inner > least, most - least > 4 * (inner - least) { most = inner }
      }
      var (low, high) = (min(least, threshold ?? least), max(most, threshold ?? most))
      if low == high {
        let margin = abs(low) / 100
        (low, high) = margin > 0 ? (low - margin, high + margin) : (0, 1)
      }
      self.low = low
      self.high = high
      isLogarithmic = low > 0 && high > 4 * low
    }

    /// Where a value stands, from 0 to 1 on the axis.
    func place(of value: Double) -> Double {
      isLogarithmic
        ? log(value / low) / log(high / low) : (value - low) / (high - low)
    }
  }

  // MARK: - Text

  /// A line per side and the axis, below a title.
  package func lines(style: TextStyle) -> [String] {
    let names = sides.map { $0.name.printable.truncated(to: style.width < 80 ? 12 : 24) }
    let indent = 2 + (names.map(\.displayWidth).max() ?? 0)
    let beyond = sides.map { side in
      let count = side.values.count { $0 > axis.high }
      return count == 0 ? "" : "\(style.isASCII ? ">" : "▶")\(count)"
    }
    let tail = (beyond.map(\.count).max() ?? 0) + 2 + (sides.map(\.count.count).max() ?? 0)
    let mark = threshold == nil ? 0 : 1
    let room = style.width == .max ? 60 : style.width - indent - tail - mark
    let most = sides.map(\.values.count).max() ?? 0
    let columns = max(16, min(60, room, max(24, Int(6 * Double(most).squareRoot()))))
    let place = threshold.map { column(of: $0, in: columns) }
    let rows = sides.indices.map { index in
      let pad = (beyond.map(\.count).max() ?? 0)
      return names[index].padded(to: indent)
        + bars(sides[index], columns: columns, mark: place, isASCII: style.isASCII)
        + beyond[index].padded(to: pad) + "  " + style.paint(sides[index].count, .dim)
    }
    let (low, high) = (Quantity.text(axis.low, unit), Quantity.text(axis.high, unit))
    let width = max(0, columns + mark - low.displayWidth)
    let ends = low + high.padded(to: max(width, high.displayWidth + 1), onLeft: true)
    let head = title.isEmpty ? [] : [style.paint(title.printable, .dim)]
    let blank = String(repeating: " ", count: indent)
    return head + rows + label(at: place, indent: indent, style: style)
      + [style.paint(blank + ends + (axis.isLogarithmic ? "  (log axis)" : ""), .dim)]
  }

  /// Several in a code block of Markdown; nothing for none.
  package static func markdown(_ distributions: [Self]) -> [String] {
    guard !distributions.isEmpty else { return [] }
    let parts = distributions.map { $0.lines(style: TextStyle(width: 100)) }
    return ["```text"] + parts.joined(separator: [""]) + ["```"]
  }

  /// The threshold below its mark; left of it where there is no room to the right.
  private func label(at place: Int?, indent: Int, style: TextStyle) -> [String] {
    guard let place, let text = thresholdText else { return [] }
    let sign = style.isASCII ? "|" : "┆"
    let start = indent + place
    let isLeft = start + 2 + text.displayWidth > style.width && start > text.displayWidth
    let line =
      isLeft
      ? "\(text) \(sign)".padded(to: start + 1, onLeft: true)
      : String(repeating: " ", count: start) + "\(sign) \(text)"
    return [style.paint(line, .dim)]
  }

  /// Such as `slow above 3.900 ms`.
  var thresholdText: String? { threshold.map { "slow above \(Quantity.text($0, unit))" } }

  /// The column that the mark stands before; values up to the threshold are always left of it.
  private func column(of threshold: Double, in columns: Int) -> Int {
    let column = Int((axis.place(of: threshold) * Double(columns)).rounded())
    return max(1, min(column, axis.high > threshold ? columns - 1 : columns))
  }

  private func bars(_ side: Side, columns: Int, mark: Int?, isASCII: Bool) -> String {
    var counts = [Int](repeating: 0, count: columns)
    for value in side.values where value <= axis.high {
      var column = min(columns - 1, max(0, Int(axis.place(of: value) * Double(columns))))
      if let mark, let threshold {
        column = value > threshold ? max(column, mark) : min(column, mark - 1)
      }
      counts[column] += 1
    }
    let signs = Array(isASCII ? " .:-=+*#@" : " ▁▂▃▄▅▆▇█")
    let peak = Double(max(1, counts.max() ?? 0))
    var text = counts.map { count in
      signs[count == 0 ? 0 : max(1, Int((8 * Double(count) / peak).rounded()))]
    }
    if let mark { text.insert(isASCII ? "|" : "┆", at: mark) }
    return String(text)
  }
}
