import LabModel

/// A piece of time on a track of a trace.
struct TraceSlice {
  var start: Nanoseconds
  var end: Nanoseconds
  var stage: Stage

  /// Whether its place on the track is made up, because only its duration is known.
  var isSynthetic = false
}

/// Slices that nest on every track, as formats of traces ask for.
enum TraceSlices {
  /// Puts slices on as few tracks as needed for slices that overlap to nest; O(n log n) for few
  /// tracks.
  ///
  /// - Returns: The slices of each track by their beginning, outer ones before inner ones.
  static func tracks(of slices: [TraceSlice]) -> [[TraceSlice]] {
    let sorted = slices.enumerated()
      .sorted { left, right in
        (left.element.start, right.element.end, left.offset)
          < (right.element.start, left.element.end, right.offset)
      }
      .map(\.element)
    var tracks: [[TraceSlice]] = []
    var open: [[Nanoseconds]] = []
    for slice in sorted {
      let track = open.indices.first { fits(slice, &open[$0]) }
      if let track {
        tracks[track].append(slice)
        open[track].append(slice.end)
      } else {
        tracks.append([slice])
        open.append([slice.end])
      }
    }
    return tracks
  }

  /// Whether a slice lies within the innermost of the open ones that have not ended before it.
  private static func fits(_ slice: TraceSlice, _ open: inout [Nanoseconds]) -> Bool {
    while let end = open.last, end <= slice.start { open.removeLast() }
    return open.last.map { slice.end <= $0 } ?? true
  }

  /// The time that a stage spans: its own, or from its beginning to the end of its last child.
  ///
  /// The initializers of a library may lie apart, so that their sum is shorter than that.
  static func slice(_ stage: Stage) -> TraceSlice? {
    guard let start = stage.start, let duration = stage.duration else { return nil }
    let ends = stage.children.compactMap { child in
      child.start.flatMap { start in child.duration.map { start + $0 } }
    }
    let end = max(start + duration, stage.place == nil ? start + duration : ends.max() ?? start)
    return TraceSlice(start: start, end: end, stage: stage)
  }

  /// Stages that have no start, laid end to end in their order.
  static func synthetic(_ stages: [Stage]) -> [TraceSlice] {
    var cursor = Nanoseconds.zero
    return stages.compactMap { stage in
      guard stage.start == nil, let duration = stage.duration, duration > .zero else { return nil }
      defer { cursor = cursor + duration }
      return TraceSlice(start: cursor, end: cursor + duration, stage: stage, isSynthetic: true)
    }
  }
}
