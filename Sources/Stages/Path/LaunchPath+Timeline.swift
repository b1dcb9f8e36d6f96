package import LaunchCore

/// The critical path of a launch, found from its events.
///
/// It is walked backwards from the ready instant along wake-ups, by these rules. While a thread
/// runs, the time is that of its code or of the system call that it is in; while it could run, it is
/// that of the queue. While it waits for another thread of the launch, the time is what that thread
/// did meanwhile; while it waits for anything else, it is that of the wait. Before its first instant
/// the time is that of the thread that started it.
extension LaunchPath {
  /// Finds the critical path of a launch, in O(n log n) for n events.
  ///
  /// - Parameters:
  ///   - timeline: Its events, which need not be complete, or make sense: what they do not say is
  ///     unknown.
  ///   - readiness: What made the launch ready.
  ///   - naming: What its program is called.
  package init(
    _ timeline: LaunchTimeline,
    readiness: Readiness,
    naming: ProgramNaming = ProgramNaming()
  ) {
    let replay = LaunchReplay(timeline, readiness: readiness, naming: naming)
    var walk = CriticalWalk(replay, from: timeline.begin.count, to: timeline.ready.count)
    walk.run(readiness)
    self.init(replay, walk.parts)
  }

  /// Names the parts of a walk, the last first.
  private init(_ replay: LaunchReplay, _ parts: [CriticalWalk.Part]) {
    self.init(segments: [], counts: replay.counts.named(by: replay.names), eventCounts: [])
    segments.reserveCapacity(parts.count)
    eventCounts.reserveCapacity(parts.count)
    for part in parts.reversed() {
      let segment = replay.segment(part)
      let events =
        part.hasEvents ? replay.lives[part.life].eventCount(from: part.start, to: part.end) : 0
      if let last = segments.last, last.actor == segment.actor, last.activity == segment.activity {
        segments[segments.count - 1].end = segment.end
        eventCounts[eventCounts.count - 1] += events
      } else {
        segments.append(segment)
        eventCounts.append(events)
      }
    }
  }
}

/// A walk backwards from the ready instant of a launch.
struct CriticalWalk {
  /// The last first.
  private(set) var parts: [Part] = []

  private let replay: LaunchReplay

  /// Those of each life.
  private let spans: [[ThreadSpan]]

  private let begin: Int64
  private let ready: Int64

  /// Those who wait for the thread that is walked, each until the walk has come to the beginning of
  /// its wait, the innermost last.
  private var waiting: [Position] = []

  private var life = 0
  private var time: Int64
  private var stop: Int64

  /// How often the walk went from thread to thread since it last moved in time.
  private var jumps = 0

  /// A chain of threads that all wait at the same instant is no chain when it is longer.
  private static let jumpLimit = 64

  /// A part of a launch.
  struct Part {
    var start: Int64
    var end: Int64
    var life: Int
    var content: Content

    enum Content {
      /// A span of the life.
      case span(Int)
      case harness
      case unknown
    }

    var hasEvents: Bool {
      if case .harness = content { false } else { true }
    }
  }

  private struct Position {
    let life: Int
    let stop: Int64
  }

  init(_ replay: LaunchReplay, from begin: Int64, to ready: Int64) {
    self.replay = replay
    spans = replay.lives.map(\.spans)
    self.begin = begin
    self.ready = ready
    time = ready
    stop = begin
  }

  mutating func run(_ readiness: Readiness) {
    guard begin < ready else { return }
    start(readiness)
    while true {
      if time > stop {
        step()
      } else if let position = waiting.popLast() {
        life = position.life
        stop = position.stop
      } else {
        return
      }
    }
  }

  /// Goes to the thread that made the launch ready, and to the instant when it had.
  private mutating func start(_ readiness: Readiness) {
    let start: (life: Int, time: Int64?)
    if case .exit = readiness {
      start = end()
    } else if let said = replay.readyCalls.likeliest {
      start = (said.life, said.left)
    } else {
      start = (0, nil)
    }
    life = start.life
    if let end = start.time, end < ready { add(from: end, .harness) }
  }

  /// Finds the last thread of the launched process to end, since a process has ended then.
  private func end() -> (life: Int, time: Int64?) {
    var last: (life: Int, time: Int64?) = (0, replay.lives[0].end)
    for (life, thread) in replay.lives.enumerated() where thread.process == 0 {
      if let end = thread.end, end > last.time ?? .min { last = (life, end) }
    }
    return last
  }

  private mutating func step() {
    guard let place = spans[life].lastPlace(before: time) else {
      if let parent = replay.lives[life].parent, jumps < Self.jumpLimit {
        jumps += 1
        life = parent
      } else {
        add(from: stop, .unknown)
      }
      return
    }
    let span = spans[life][place]
    guard span.state.isBlocked, case .life(let waker) = span.waker else {
      return add(from: span.start, .span(place))
    }
    guard jumps < Self.jumpLimit else { return add(from: span.start, .unknown) }
    jumps += 1
    if span.start > stop {
      waiting.append(Position(life: life, stop: stop))
      stop = span.start
    }
    life = waker
  }

  private mutating func add(from start: Int64, _ content: Part.Content) {
    let start = max(start, stop)
    parts.append(Part(start: start, end: time, life: life, content: content))
    time = start
    jumps = 0
  }
}

/// What the parts of a walk are.
extension LaunchReplay {
  func segment(_ part: CriticalWalk.Part) -> PathSegment {
    let (activity, program): (Activity, Int32?) =
      switch part.content {
      case .harness: (.harness, program(of: part))
      case .unknown: (.unknown, program(of: part))
      case .span(let place):
        (
          activity(of: lives[part.life].spans[place], isLaunched: part.life == 0),
          lives[part.life].spans[place].program
        )
      }
    return PathSegment(
      start: Nanoseconds(part.start),
      end: Nanoseconds(part.end),
      actor: actor(lives[part.life].role, program),
      activity: activity
    )
  }

  private func program(of part: CriticalWalk.Part) -> Int32? {
    let spans = lives[part.life].spans
    return spans[spans.lastPlace(before: part.end) ?? 0].program
  }

  func actor(_ role: ThreadLife.Role, _ program: Int32?) -> LaunchActor {
    switch role {
    case .main: .main
    case .thread(let number): .thread(number: number)
    case .process(let thread):
      .process(program: program.map { names.words[Int($0)] } ?? "unknown program", thread: thread)
    }
  }

  func activity(of span: ThreadSpan, isLaunched: Bool) -> Activity {
    let doing = doing(in: span, isLaunched: isLaunched)
    let (name, text) = (doing.call, doing.object)
    switch doing.state {
    case .unknown, .ended: return .unknown
    case .runnable: return .queue
    case .running: return name.map { .systemCall(name: $0, object: text) } ?? .ownCode
    case .blocked(isForDisk: true): return .diskWait(name: name, object: text)
    case .blocked(isForDisk: false):
      return name.map { .wait(name: $0, object: text, waker: waker(span)) } ?? .faultWait
    }
  }

  /// What a thread is in; until its program is executed, the launched one is in the call that does it.
  func doing(
    in span: ThreadSpan,
    isLaunched: Bool
  ) -> (state: ThreadSpan.State, call: String?, object: String?) {
    var (call, object) = (span.call, span.object)
    var state = span.state
    if isLaunched, let execution, span.start < execution.time {
      (call, object) = (execution.call, execution.program)
      if state == .unknown { state = .running }
    }
    return (
      state, call.map { names.calls[Int($0)] }, object.map { names.objects[Int($0)].text }
    )
  }

  private func waker(_ span: ThreadSpan) -> String? {
    if case .outside(let name) = span.waker { names.words[Int(name)] } else { nil }
  }
}
