/// Cuts a long series in overlapping windows, so that time grows with its length only.
///
/// Of each window the cuts are taken that have a quarter of the window to their right: what follows
/// decides whether a change lasts. The next window begins at the last cut, or in the middle of the
/// window if that is later. Each window chooses its own penalty, so that noise that changes over
/// the years is judged by the noise around it, and a large step does not hide a small one elsewhere;
/// the logarithm of the whole length keeps the number of false cuts that of one exact solution.
struct SegmentationWindows {
  /// How many values are looked at together.
  static let width = 480

  private let values: [Double]
  private let width: Int

  init(_ values: [Double], width: Int = Self.width) {
    self.values = values
    self.width = width
  }

  func partition() -> Partition {
    var starts = [0]
    var penalties: [Double] = []
    var first = 0
    var end = 0
    while end < values.count {
      end = min(first + width, values.count)
      let fit = PenaltySearch(values[first..<end], total: values.count).fit()
      let limit = end == values.count ? end : end - width / 4
      for start in fit.starts.dropFirst() where first + start <= limit {
        starts.append(first + start)
        penalties.append(fit.gamma)
      }
      first = max(starts[starts.count - 1], first + width / 2)
    }
    var partition = Partition(values, starts: starts, penalties: penalties, reach: width)
    partition.joinUnpaid()
    return partition
  }
}
