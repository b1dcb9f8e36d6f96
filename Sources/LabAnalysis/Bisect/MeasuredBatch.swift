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
