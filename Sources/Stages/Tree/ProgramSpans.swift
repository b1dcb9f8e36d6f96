import LaunchCore

/// What took place in a program after it was loaded: initializers, libraries that it loads itself,
/// and what it says with the marks API.
struct ProgramSpans {
  /// By their beginning.
  private(set) var all: [Span] = []

  private let end: Nanoseconds

  /// Collects the spans; O(n log n).
  ///
  /// What the loader added until `consistent` is part of the stages themselves; what had not ended
  /// at `end` is cut there.
  init(
    _ trace: ProgramTrace,
    objects: LoadedObjects,
    after consistent: Nanoseconds?,
    until end: Nanoseconds
  ) {
    self.end = end
    var initializers: [LaunchEvent] = []
    var loading: [LaunchEvent] = []
    for event in trace.events {
      switch event.kind {
      case .initializer: initializers.append(event)
      case .adding, .objectOpened, .consistent:
        if let consistent, event.time > consistent { loading.append(event) }
      case .mark, .interval, .task, .phase: add(mark: event)
      default: break
      }
    }
    add(initializers, objects)
    addLoaded(loading)
    all = all.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  private mutating func add(_ initializers: [LaunchEvent], _ objects: LoadedObjects) {
    for (index, event) in initializers.enumerated() {
      // One that does not return ends when the next one begins, or when nothing more was seen.
      let next = index + 1 < initializers.count ? initializers[index + 1].time : end
      let place = objects.place(of: event.address, in: event.object)
      let stage = Stage(
        name: place?.name ?? "initializer of an unknown library",
        duration: nil,
        source: .probe,
        place: place
      )
      add(stage, .code, event, cutAt: next, initializerOf: event.object)
    }
  }

  private mutating func add(mark event: LaunchEvent) {
    let stage = Stage(name: event.text, kind: .detail, duration: nil, source: .marks)
    var event = event
    if event.kind == .mark { event.end = event.time }
    let isTask = event.kind == .task || event.kind == .phase
    add(stage, isTask ? .tasks : .marks, event, cutAt: end)
  }

  private mutating func add(
    _ stage: Stage,
    _ layer: Span.Layer,
    _ event: LaunchEvent,
    cutAt limit: Nanoseconds,
    initializerOf object: UInt32? = nil
  ) {
    var stage = stage
    let seen = event.end.flatMap { $0 >= event.time && $0 <= end ? $0 : nil }
    let last = seen ?? max(event.time, event.end == nil ? limit : end)
    stage.start = event.time
    stage.duration = last - event.time
    if seen == nil { stage.flags.append(.unfinished) }
    all.append(
      Span(start: event.time, end: last, stage: stage, layer: layer, initializerOf: object)
    )
  }

  /// Libraries that were loaded by `dlopen`, from when the loader begins to add until they are
  /// mapped, or nothing is added any more.
  private mutating func addLoaded(_ events: [LaunchEvent]) {
    var begin: Nanoseconds?
    var libraries: [Stage] = []
    var previous = Nanoseconds.zero
    for event in events {
      switch event.kind {
      case .adding:
        begin = begin ?? event.time
        if libraries.isEmpty { previous = event.time }
      case .objectOpened:
        let start = begin == nil ? event.time : previous
        begin = begin ?? event.time
        libraries.append(
          Stage(
            name: event.text,
            kind: .detail,
            start: start,
            duration: event.time - start,
            source: .probe,
            place: CodePlace(file: event.text)
          )
        )
        previous = event.time
      default:
        if let start = begin, !libraries.isEmpty {
          addLoaded(libraries, from: start, to: event.time)
        }
        (begin, libraries) = (nil, [])
      }
    }
    if let start = begin, !libraries.isEmpty { addLoaded(libraries, from: start, to: nil) }
  }

  /// Names the group after the library that was opened first, which is the one that was asked for.
  private mutating func addLoaded(
    _ libraries: [Stage],
    from start: Nanoseconds,
    to last: Nanoseconds?
  ) {
    let stage = Stage(
      name: "loading \(libraries[0].name)",
      kind: .detail,
      start: start,
      duration: (last ?? end) - start,
      source: .probe,
      flags: last == nil ? [.unfinished] : [],
      place: libraries[0].place,
      children: libraries.count > 1 ? libraries : []
    )
    all.append(Span(start: start, end: last ?? end, stage: stage))
  }
}
