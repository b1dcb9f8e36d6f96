import LabModel

/// Something that took place between two instants, and may hold others.
struct Span {
  var start: Nanoseconds

  /// Not before `start`.
  var end: Nanoseconds

  var stage: Stage

  var layer = Layer.code

  /// Whether it is an initializer, and of which object.
  var initializerOf: UInt32?

  /// Whether it begins within another one of its layer and ends after it.
  var overlaps = false

  /// Spans of one layer hold each other; those of different ones are shown side by side.
  enum Layer: CaseIterable {
    /// Initializers, and libraries that are loaded.
    case code

    /// Phases and their tasks.
    case tasks

    /// Marks and intervals, which may begin in one initializer or task and end in another.
    case marks
  }
}

/// Spans put into each other.
enum SpanNest {
  /// Makes each span a child of the shortest one of its layer that contains it; O(n log n).
  ///
  /// Children are details, since a span may take time of its own too.
  ///
  /// - Returns: Those that lie in no other, by their beginning.
  static func roots(of spans: [Span]) -> [Span] {
    let layers = Span.Layer.allCases.map { layer in spans.filter { $0.layer == layer } }
    let roots = layers.flatMap { layer in nested(layer.sorted(by: isOutside)) }
    return roots.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  /// Whether a span can hold another; the sort is stable, so of two equal ones the first can.
  private static func isOutside(_ left: Span, _ right: Span) -> Bool {
    (left.start, right.end) < (right.start, left.end)
  }

  private static func nested(_ sorted: [Span]) -> [Span] {
    var spans = sorted
    var children = [[Int]](repeating: [], count: spans.count)
    var roots: [Int] = []
    var stack: [Int] = []
    for index in spans.indices {
      while let top = stack.last, spans[top].end <= spans[index].start { stack.removeLast() }
      while let top = stack.last, spans[top].end < spans[index].end {
        spans[index].overlaps = true
        stack.removeLast()
      }
      if let top = stack.last { children[top].append(index) } else { roots.append(index) }
      stack.append(index)
    }
    // A child comes after its parent, so that backwards every child is complete before its parent.
    for index in spans.indices.reversed() where !children[index].isEmpty {
      spans[index].stage.children += children[index].map { spans[$0].stage.asDetail }
    }
    return roots.map { spans[$0] }
  }
}

extension Stage {
  /// The same stage as one that is not summed.
  var asDetail: Stage {
    var stage = self
    stage.kind = .detail
    return stage
  }
}
