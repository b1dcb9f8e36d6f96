import Foundation

/// The lower triangle L of a symmetric positive definite matrix A = L·Lᵀ.
///
/// Source: Golub and Van Loan, *Matrix Computations* (2013), section 4.2.
package struct CholeskyFactor: Sendable {
  /// The number of rows.
  package let count: Int

  /// L by rows, with zeros above the diagonal.
  private let lower: [Double]

  /// Factors a matrix, or gives nil when it is not positive definite; O(n³).
  ///
  /// - Parameters:
  ///   - elements: The matrix by rows; only the lower triangle is read.
  ///   - count: The number of rows, at least 1.
  package init?(_ elements: [Double], count: Int) {
    precondition(elements.count == count * count, "a square matrix has as many rows as columns")
    var lower = [Double](repeating: 0, count: count * count)
    for row in 0..<count {
      for column in 0...row {
        var sum = elements[row * count + column]
        for k in 0..<column { sum -= lower[row * count + k] * lower[column * count + k] }
        if row == column {
          guard sum > 0, sum.isFinite else { return nil }
          lower[row * count + row] = sum.squareRoot()
        } else {
          lower[row * count + column] = sum / lower[column * count + column]
        }
      }
    }
    self.count = count
    self.lower = lower
  }

  /// The natural logarithm of the determinant of A.
  package var logDeterminant: Double {
    2 * (0..<count).reduce(0) { $0 + log(lower[$1 * count + $1]) }
  }

  /// The x of A·x = b; O(n²).
  package func solve(_ values: [Double]) -> [Double] {
    precondition(values.count == count, "one value per row")
    var result = values
    for row in 0..<count {
      for k in 0..<row { result[row] -= lower[row * count + k] * result[k] }
      result[row] /= lower[row * count + row]
    }
    for row in (0..<count).reversed() {
      for k in (row + 1)..<max(count, row + 1) { result[row] -= lower[k * count + row] * result[k] }
      result[row] /= lower[row * count + row]
    }
    return result
  }

  /// The inverse of A by rows; O(n³).
  package func inverse() -> [Double] {
    var result = [Double](repeating: 0, count: count * count)
    for column in 0..<count {
      var unit = [Double](repeating: 0, count: count)
      unit[column] = 1
      let solved = solve(unit)
      for row in 0..<count { result[row * count + column] = solved[row] }
    }
    return result
  }
}
