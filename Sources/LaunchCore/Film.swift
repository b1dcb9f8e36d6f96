/// What the user saw of a launch: how its window looked, whenever more than 1 % had changed.
package struct Film: Hashable, Sendable {
  /// In the order of time, at least one.
  package var frames: [Frame]

  /// How the window looked from a time on.
  package struct Frame: Hashable, Sendable {
    /// Since the launch began.
    package var time: Nanoseconds

    /// How much it looks like the last frame, from 0 to 1.
    package var progress: Double

    /// The picture, made smaller, as a PNG file.
    package var png: [UInt8]

    package init(time: Nanoseconds, progress: Double, png: [UInt8]) {
      self.time = time
      self.progress = progress
      self.png = png
    }
  }

  /// A picture whose progress is not known yet, with its histogram.
  package typealias Picture = (time: Nanoseconds, histogram: ColorHistogram, png: [UInt8])

  /// Creates a film of frames whose progress is known.
  package init(frames: [Frame]) { self.frames = frames }

  /// Creates a film, the last picture of which shows all that was to be seen.
  ///
  /// The progress of a picture is 1 − d(h, h_last) / d(h_plain, h_last), at least 0, where d is the
  /// distance of histograms and h_plain is that of a window which is all of the first picture's
  /// commonest color. Source: Visual Progress and Speed Index of WebPageTest.
  ///
  /// - Parameter pictures: In the order of time, at least one.
  package init(developing pictures: [Picture]) {
    let plain = pictures[0].histogram.plain
    let last = pictures[pictures.count - 1].histogram
    let whole = plain.distance(to: last)
    frames = pictures.map { picture in
      let rest = whole > 0 ? picture.histogram.distance(to: last) / whole : 0
      return Frame(time: picture.time, progress: max(0, 1 - rest), png: picture.png)
    }
  }

  /// The Speed Index: ∫ (1 − progress(t)) dt from the beginning of the launch to the last frame, in
  /// time; the mean time until what is to be seen was seen.
  package var speedIndex: Nanoseconds {
    var (time, progress) = (Nanoseconds.zero, 0.0)
    var sum = 0.0
    for frame in frames {
      sum += Double((frame.time - time).count) * (1 - progress)
      (time, progress) = (frame.time, frame.progress)
    }
    return Nanoseconds(Int64(clamping: sum.rounded()))
  }
}

/// How many pixels of a picture have each level of red, of green and of blue.
package struct ColorHistogram: Hashable, Sendable {
  /// The levels of red, then those of green and of blue, as many of each.
  private var counts: [UInt32]

  /// - Parameter counts: Those of red, of green and of blue, as many of each, which add up to the same
  ///   number of pixels.
  package init(counts: [UInt32]) { self.counts = counts }

  private var levels: Int { counts.count / 3 }

  private var pixels: Double { counts.prefix(levels).reduce(0) { $0 + Double($1) } }

  /// That of a picture of the same size, all of the commonest level of each color.
  fileprivate var plain: Self {
    var plain = [UInt32](repeating: 0, count: counts.count)
    for color in stride(from: 0, to: counts.count, by: max(levels, 1)) {
      let range = color..<(color + levels)
      guard let commonest = range.max(by: { counts[$0] < counts[$1] }) else { continue }
      plain[commonest] = UInt32(pixels)
    }
    return Self(counts: plain)
  }

  /// The sum over colors and levels of how much the shares of the pixels differ, from 0 to 6.
  fileprivate func distance(to other: Self) -> Double {
    let (pixels, others) = (max(pixels, 1), max(other.pixels, 1))
    return zip(counts, other.counts).reduce(0) { sum, pair in
      sum + abs(Double(pair.0) / pixels - Double(pair.1) / others)
    }
  }
}
