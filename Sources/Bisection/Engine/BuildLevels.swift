import LaunchStatistics

/// The levels of builds, by one robust regression over all rows that hold two or more of them.
///
/// Only differences within a row count, so whatever drifts from row to row cancels. The contrasts of
/// a row have a Student t distribution; it is fitted by weights that are found again and again.
///
/// Source: Lange, Little and Taylor, Journal of the American Statistical Association 84 (1989),
/// 881-896.
struct BuildLevels: Sendable {
  /// The builds that were launched, and the ends of the segment; ascending.
  private(set) var revisions: [Int]

  /// The log ratio of each to the first one.
  private(set) var levels: [Double]

  /// The expected information of the levels, by rows, and its product with them; both leave an
  /// offset common to all levels open.
  private(set) var information: [Double] = []
  private(set) var weighted: [Double] = []

  /// The scale of one launch.
  private(set) var scale: Double

  /// Fits the levels of the builds of a segment.
  ///
  /// - Parameters:
  ///   - batches: Everything measured, in order.
  ///   - segment: The ends; arms outside are left out.
  ///   - startScale: The scale to begin with.
  ///   - rules: The constants of the distribution.
  init(
    _ batches: [MeasuredBatch],
    segment: ClosedRange<Int>,
    startScale: Double,
    rules: BisectRules
  ) {
    let anchor = Self.anchor(batches, at: segment.lowerBound)
    var kept: [(arms: [Int], columns: [Int], rows: [[Double]])] = []
    for batch in batches {
      if batch.arms.count == 1, let arm = batch.arms.first, let anchor {
        guard segment.contains(arm), arm != segment.lowerBound else { continue }
        kept.append(([segment.lowerBound, arm], [0, 1], batch.rows.map { [anchor, $0[0]] }))
        continue
      }
      let columns = batch.arms.indices.filter { segment.contains(batch.arms[$0]) }
      guard columns.count >= 2 else { continue }
      kept.append((columns.map { batch.arms[$0] }, columns, batch.rows))
    }
    let ends = [segment.lowerBound, segment.upperBound]
    let revisions = Set(kept.flatMap(\.arms) + ends).sorted()
    let places = Dictionary(uniqueKeysWithValues: revisions.enumerated().map { ($1, $0) })
    let blocks = kept.map { entry in
      CenteredRows(
        places: entry.arms.compactMap { places[$0] },
        rows: entry.rows,
        columns: entry.columns
      )
    }
    self.revisions = revisions
    scale = startScale
    levels = Self.start(blocks, count: revisions.count, isPooled: anchor != nil)
    var heavy = self
    fit(blocks, degrees: rules.degreesOfFreedom, rules)
    // Where many launches are outliers, the scale would be theirs.
    guard let degrees = rules.heavyDegreesOfFreedom else { return }
    heavy.fit(blocks, degrees: degrees, rules)
    if heavy.outlierShare(of: blocks) > rules.leastOutlierShare { self = heavy }
  }

  /// The value that single launches of an exact measure are held against: the median of a build.
  private static func anchor(_ batches: [MeasuredBatch], at revision: Int) -> Double? {
    guard batches.contains(where: { $0.arms.count == 1 }) else { return nil }
    let values = batches.flatMap { batch in
      batch.arms.firstIndex(of: revision).map { column in batch.rows.map { $0[column] } } ?? []
    }
    return median(values)
  }

  /// The levels to begin with: walks from known builds to new ones by medians of differences.
  private static func start(_ blocks: [CenteredRows], count: Int, isPooled: Bool) -> [Double] {
    var levels = [Double?](repeating: nil, count: count)
    levels[0] = 0
    let pairsFirst = blocks.filter { $0.places.count == 2 } + blocks.filter { $0.places.count > 2 }
    for _ in 0..<count where levels.contains(where: { $0 == nil }) {
      for block in pairsFirst {
        guard let known = block.places.firstIndex(where: { levels[$0] != nil }) else { continue }
        let level = levels[block.places[known]] ?? 0
        for column in block.places.indices where levels[block.places[column]] == nil {
          // Single launches are few, so all rows of the same builds count together.
          let alike = isPooled ? blocks.filter { $0.places == block.places } : [block]
          let differences = alike.flatMap { $0.differences(of: column, to: known) }
          levels[block.places[column]] = level + (median(differences) ?? 0)
        }
      }
    }
    return levels.map { $0 ?? 0 }
  }

  private static func median(_ values: [Double]) -> Double? { (try? Sample(values))?.median }
}

// MARK: - Fit

extension BuildLevels {
  /// The sums that one step over all rows gives.
  private struct Sums {
    var information: [Double]
    var weighted: [Double]
    var squares = 0.0

    /// Adds the rows of one batch, each with its weight.
    mutating func add(_ block: CenteredRows, levels: [Double], square: Double, degrees: Double) {
      let arms = block.places.count
      let count = levels.count
      let expected = block.expected(by: levels)
      var total = 0.0
      var products = [Double](repeating: 0, count: arms)
      let values = block.values
      for start in stride(from: 0, to: values.count, by: arms) {
        let distance = block.distance(at: start, from: expected)
        let weight = (degrees + Double(arms - 1)) / (degrees + distance / square)
        total += weight
        squares += weight * distance
        for arm in 0..<arms { products[arm] += weight * values[start + arm] }
      }
      for row in 0..<arms {
        weighted[block.places[row]] += products[row]
        for column in 0..<arms {
          let share = (row == column ? 1 : 0) - 1 / Double(arms)
          information[block.places[row] * count + block.places[column]] += total * share
        }
      }
    }
  }

  /// Finds levels, scale and information by at most 60 steps.
  private mutating func fit(_ blocks: [CenteredRows], degrees: Double, _ rules: BisectRules) {
    let count = revisions.count
    let contrasts = blocks.reduce(0) { $0 + $1.count * ($1.places.count - 1) }
    let freedom = Double(max(1, contrasts - (count - 1)))
    var square = scale * scale
    var sums = Sums(information: [], weighted: [])
    for _ in 0..<60 {
      sums = Sums(
        information: [Double](repeating: 0, count: count * count),
        weighted: [Double](repeating: 0, count: count)
      )
      for block in blocks {
        sums.add(block, levels: levels, square: square, degrees: degrees)
      }
      let next = max(rules.scaleFloor * rules.scaleFloor, sums.squares / freedom)
      let solved = Self.solve(sums.information, sums.weighted)
      let step = zip(solved, levels).reduce(0) { max($0, abs($1.0 - $1.1)) }
      let isDone = step < 1e-7 && abs(next / square - 1) < 1e-4
      levels = solved
      square = next
      if isDone { break }
    }
    scale = square.squareRoot()
    let factor = Self.expectedShare(blocks, degrees: degrees) / square
    information = sums.information.map { $0 * factor }
    weighted = sums.weighted.map { $0 * factor }
  }

  /// The share of the rows that lie further from the levels than five times the scale.
  private func outlierShare(of blocks: [CenteredRows]) -> Double {
    let rows = blocks.reduce(0) { $0 + $1.count }
    let outliers = blocks.reduce(0) { sum, block in
      let limit = 25 * scale * scale * Double(block.places.count - 1)
      let expected = block.expected(by: levels)
      return sum
        + stride(from: 0, to: block.values.count, by: block.places.count)
        .count { block.distance(at: $0, from: expected) > limit }
    }
    return Double(outliers) / Double(max(1, rows))
  }

  /// The levels, of which the first is 0.
  private static func solve(_ information: [Double], _ weighted: [Double]) -> [Double] {
    let count = weighted.count
    var matrix = information
    matrix[0] += 1
    for row in 0..<count { matrix[row * count + row] += 1e-9 }
    guard let factor = CholeskyFactor(matrix, count: count) else { return weighted.map { _ in 0 } }
    let solved = factor.solve(weighted)
    return solved.map { $0 - solved[0] }
  }

  /// The expected information of a location, as a share of that of the weights.
  private static func expectedShare(_ blocks: [CenteredRows], degrees: Double) -> Double {
    var sum = 0.0
    var rows = 0
    for block in blocks {
      let arms = Double(block.places.count)
      sum += (degrees + arms - 1) / (degrees + arms + 1) * Double(block.count)
      rows += block.count
    }
    return sum / Double(max(1, rows))
  }
}

/// Rows of launches of the same builds.
struct MeasuredBatch: Sendable {
  /// The revisions, in the order of the columns; a single one is a candidate of an exact measure.
  let arms: [Int]

  /// Natural logarithms of values, one per arm in each row.
  let rows: [[Double]]
}

/// The rows of a batch that touch a segment, less the mean of each row.
struct CenteredRows {
  /// The places of the arms among the builds of the regression.
  let places: [Int]

  /// The values row by row.
  private(set) var values: [Double] = []

  var count: Int { values.count / places.count }

  /// Takes at least two columns of rows.
  init(places: [Int], rows: [[Double]], columns: [Int]) {
    self.places = places
    values.reserveCapacity(rows.count * columns.count)
    for row in rows {
      let mean = columns.reduce(0) { $0 + row[$1] } / Double(columns.count)
      for column in columns { values.append(row[column] - mean) }
    }
  }

  /// The values of a row that levels of all builds lead to expect.
  func expected(by levels: [Double]) -> [Double] {
    let mean = places.reduce(0) { $0 + levels[$1] } / Double(places.count)
    return places.map { levels[$0] - mean }
  }

  /// The squared distance of the row that begins at a value from what is expected.
  func distance(at start: Int, from expected: [Double]) -> Double {
    var distance = 0.0
    for arm in expected.indices {
      let residual = values[start + arm] - expected[arm]
      distance += residual * residual
    }
    return distance
  }

  /// The differences of a column to another.
  func differences(of column: Int, to other: Int) -> [Double] {
    stride(from: 0, to: values.count, by: places.count)
      .map { values[$0 + column] - values[$0 + other] }
  }
}
