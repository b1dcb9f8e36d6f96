import LaunchCore

/// What the initializers of a program consist of: those of its libraries, and its own.
///
/// Its own begin when the last initializer of a library has ended, provided that one of its own
/// follows: the loader then hands over to the program, whose entry point may first have to be read
/// from disk. Those in its `DT_PREINIT_ARRAY` run before the libraries', and are listed among them.
struct InitializerStages {
  private let start: Nanoseconds
  private let end: Nanoseconds
  private let isMerged: Bool
  private let isEachTimed: Bool
  private let objects: LoadedObjects

  /// In no other span, by their beginning.
  private let roots: [Span]

  /// Creates the stages of the spans that begin between two instants.
  ///
  /// - Parameters:
  ///   - spans: What took place, by its beginning.
  ///   - start: When the initializers began.
  ///   - end: When they had run.
  ///   - isMerged: Whether `end` is that of the next stage, because their own was not seen.
  ///   - isEachTimed: Whether no library has an initializer without a time.
  ///   - objects: What the program loaded.
  init(
    _ spans: [Span],
    from start: Nanoseconds,
    until end: Nanoseconds,
    isMerged: Bool,
    isEachTimed: Bool = true,
    _ objects: LoadedObjects
  ) {
    self.start = start
    self.end = end
    self.isMerged = isMerged
    self.isEachTimed = isEachTimed
    self.objects = objects
    roots = SpanNest.roots(of: spans.map { $0.cut(at: end) })
  }

  /// The parts of `init`; only details where no initializer was timed.
  var stages: [Stage] {
    let timed = roots.indices.filter { roots[$0].isTimedInitializer }
    guard !timed.isEmpty else { return roots.map { $0.stage.asDetail } }
    let library = timed.last { roots[$0].initializerOf != 0 }
    let program = timed.first { index in
      roots[index].initializerOf == 0 && (library.map { index > $0 } ?? true)
    }
    var sequence = StageSequence(from: start, source: .probe)
    sequence.add(
      StageName.libraryInitializers,
      until: program.map { .seen(handover(to: $0)) } ?? .missing
    )
    sequence.add(StageName.programInitializers, until: .seen(end))
    var stages = sequence.finished()
    let split = program ?? roots.count
    fill(&stages[0], with: roots[..<split])
    fill(&stages[1], with: roots[split...])
    return stages
  }

  /// When the libraries were done, before the program's first initializer.
  ///
  /// An initializer without a time may have run until then.
  private func handover(to program: Int) -> Nanoseconds {
    let first = roots[program].start
    guard isEachTimed else { return first }
    let ends = roots[..<program].filter { $0.initializerOf != nil }.map(\.end)
    return ends.max().map { min($0, first) } ?? first
  }

  private func fill(_ stage: inout Stage, with spans: ArraySlice<Span>) {
    guard let duration = stage.duration else { return }
    var groups: [Stage] = []
    var numbers: [UInt32: Int] = [:]
    var details: [Stage] = []
    for span in spans {
      guard let object = span.initializerOf, span.isTimedInitializer else {
        details.append(span.stage.asDetail)
        continue
      }
      let number = numbers[object] ?? groups.count
      if number == groups.count {
        numbers[object] = number
        groups.append(group(of: object, since: span.start))
      }
      groups[number].children.append(span.stage)
      groups[number].duration = (groups[number].duration ?? .zero) + (span.end - span.start)
    }
    let timed = groups.reduce(Nanoseconds.zero) { $0 + ($1.duration ?? .zero) }
    // What contains the next stage as well is not the loader's alone.
    let other = Stage(
      name: StageName.loaderOther,
      duration: duration - timed,
      source: .probe,
      flags: isMerged || stage.flags.contains(.merged) ? [.merged] : []
    )
    stage.children += groups + [other] + details
  }

  private func group(of object: UInt32, since start: Nanoseconds) -> Stage {
    let path = objects.path(of: object)
    return Stage(
      name: path ?? "unknown library",
      start: start,
      duration: .zero,
      source: .probe,
      place: path.map { CodePlace(file: $0) }
    )
  }
}

extension Span {
  /// Whether its time is its library's alone.
  var isTimedInitializer: Bool { initializerOf != nil && !overlaps }

  /// The span without what comes after an instant, and then flagged `unfinished`.
  func cut(at limit: Nanoseconds) -> Self {
    guard end > limit else { return self }
    var span = self
    span.end = max(limit, start)
    span.stage.duration = span.end - start
    if !span.stage.flags.contains(.unfinished) { span.stage.flags.append(.unfinished) }
    return span
  }
}

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

/// The objects that a program loaded, by their number.
struct LoadedObjects {
  private var objects: [UInt32: (path: String, address: UInt64)] = [:]

  init(_ events: [LaunchEvent]) {
    for event in events where event.kind == .objectOpened {
      objects[event.object] = (event.text, event.address)
    }
  }

  var count: Int { objects.count }

  /// The path of an object; nil for one whose opening was not seen.
  func path(of object: UInt32) -> String? { objects[object]?.path }

  /// The place of a function, which does not change with where its object was loaded.
  func place(of function: UInt64, in object: UInt32) -> CodePlace? {
    objects[object].map { CodePlace(file: $0.path, offset: function &- $0.address) }
  }
}
