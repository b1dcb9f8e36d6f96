/// A steady change of the values over the order of collection.
package struct Drift: Hashable, Sendable {
  /// The fitted change from the first value to the last, in the unit of the values.
  package var change: Double

  /// The same as a share of the median; its sign is that of `change`.
  package var share: Double

  package init(change: Double, share: Double) {
    self.change = change
    self.share = share
  }
}

extension Sample {
  /// The smallest change, as a share of the median, that is worth telling of.
  package static let smallestDrift = 0.02

  /// The drift of the values, if it is both significant and at least 2 % of the median.
  ///
  /// The Mann-Kendall test with its correction for ties decides at 0.5 %, so that on independent
  /// values the two sides together stay below 1 % false alarms; the Theil-Sen slope gives the size.
  /// Both rest on ranks, so a spike does not make a drift. Nil for fewer than 8 values, and for a
  /// median of 0. O(n log n).
  ///
  /// Sources: Mann, Econometrica 13 (1945), 245-259; Kendall, *Rank Correlation Methods* (1975);
  /// Sen, Journal of the American Statistical Association 63 (1968), 1379-1389.
  package var drift: Drift? {
    guard count >= 8, median != 0, abs(trendScore) > 2.807 else { return nil }
    let change = slope * Double(count - 1)
    let share = change / abs(median)
    guard abs(share) >= Self.smallestDrift else { return nil }
    return Drift(change: change, share: share)
  }

  /// The score of the Mann-Kendall test, standard normal on independent values; 0 if all are equal.
  var trendScore: Double {
    let n = Double(count)
    var variance = n * (n - 1) * (2 * n + 5)
    var tiedPairs = 0.0
    for size in tieSizes {
      let t = Double(size)
      variance -= t * (t - 1) * (2 * t + 5)
      tiedPairs += t * (t - 1) / 2
    }
    guard variance > 0 else { return 0 }
    let descents = Double(descendingPairs(of: values))
    let score = n * (n - 1) / 2 - tiedPairs - 2 * descents
    guard score != 0 else { return 0 }
    return (score - (score > 0 ? 1 : -1)) / (variance / 18).squareRoot()
  }

  /// The Theil-Sen slope per value: the median of the slopes of all pairs.
  ///
  /// Above 500 values, the medians of at most 500 equal windows stand for them, since the pairs grow
  /// with the square; the values that fill no window are left out at the end.
  var slope: Double {
    let width = (count + 499) / 500
    let points = stride(from: 0, through: count - width, by: width).map { start in
      medianOfSorted(values[start..<start + width].sorted()[...])
    }
    var slopes: [Double] = []
    slopes.reserveCapacity(points.count * (points.count - 1) / 2)
    for later in points.indices {
      for earlier in 0..<later {
        slopes.append((points[later] - points[earlier]) / Double(later - earlier))
      }
    }
    guard !slopes.isEmpty else { return 0 }
    return medianOfSorted(slopes.sorted()[...]) / Double(width)
  }

  /// How often each distinct value occurs, ascending by value.
  var tieSizes: [Int] {
    var sizes: [Int] = []
    var start = 0
    for index in 1...count where index == count || sorted[index] != sorted[start] {
      sizes.append(index - start)
      start = index
    }
    return sizes
  }
}

/// How many pairs stand in descending order, counted while merging; O(n log n).
private func descendingPairs(of values: [Double]) -> Int {
  var current = values
  var merged = values
  var descents = 0
  var width = 1
  while width < values.count {
    for start in stride(from: 0, to: values.count, by: 2 * width) {
      let middle = min(start + width, values.count)
      let end = min(start + 2 * width, values.count)
      var left = start
      var right = middle
      for place in start..<end {
        if left < middle, right == end || current[left] <= current[right] {
          merged[place] = current[left]
          left += 1
        } else {
          merged[place] = current[right]
          right += 1
          descents += middle - left
        }
      }
    }
    swap(&current, &merged)
    width *= 2
  }
  return descents
}
