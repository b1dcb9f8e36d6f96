import LaunchCore
import Stages

/// The events of a launch, written down by hand; those that name no thread are of the main one.
struct EventList {
  static let main: Int32 = 100

  private(set) var events: [TimelineEvent] = []

  /// A list without events.
  init() {}

  /// A launch that executes `/bin/demo` from 0 to 10, and runs its own code from 12 on.
  init(executing path: String) {
    enter("execve", text: path, at: 0)
    execute(path, at: 10)
    leave(at: 12)
  }

  static var demo: Self { Self(executing: "/bin/demo") }

  // MARK: - Events

  mutating func add(_ kind: TimelineEvent.Kind, at time: Int64, _ thread: Int32 = main) {
    events.append(TimelineEvent(time: Nanoseconds(time), thread: thread, kind: kind))
  }

  mutating func enter(
    _ name: String,
    _ arguments: Int64...,
    text: String? = nil,
    at time: Int64,
    _ thread: Int32 = main
  ) {
    let call = TimelineEvent.SystemCall(name: name, arguments: arguments, text: text)
    add(.enteredCall(call), at: time, thread)
  }

  mutating func leave(_ result: Int64 = 0, at time: Int64, _ thread: Int32 = main) {
    add(.leftCall(result: result), at: time, thread)
  }

  /// Enters and leaves a call, which takes 1 ns.
  mutating func call(
    _ name: String,
    _ arguments: Int64...,
    text: String? = nil,
    result: Int64 = 0,
    at time: Int64,
    _ thread: Int32 = main
  ) {
    let call = TimelineEvent.SystemCall(name: name, arguments: arguments, text: text)
    add(.enteredCall(call), at: time, thread)
    leave(result, at: time + 1, thread)
  }

  mutating func execute(_ path: String, at time: Int64, _ thread: Int32 = main) {
    add(.executed(path: path), at: time, thread)
  }

  mutating func block(forDisk: Bool = false, at time: Int64, _ thread: Int32 = main) {
    add(.blocked(isForDisk: forDisk), at: time, thread)
  }

  mutating func wake(
    by waker: Int32,
    name: String = "somebody",
    interrupt: Bool = false,
    at time: Int64,
    _ thread: Int32 = main
  ) {
    let waker = TimelineEvent.Waker(
      thread: waker,
      process: waker,
      name: name,
      isInterrupt: interrupt
    )
    add(.woken(by: waker), at: time, thread)
  }

  mutating func run(at time: Int64, _ thread: Int32 = main) { add(.switchedIn, at: time, thread) }

  mutating func preempt(at time: Int64, _ thread: Int32 = main) {
    add(.preempted, at: time, thread)
  }

  mutating func fault(_ address: UInt64, at time: Int64, _ thread: Int32 = main) {
    add(.faulted(address: address), at: time, thread)
  }

  mutating func start(
    _ thread: Int32,
    process: Int32 = main,
    at time: Int64,
    _ starter: Int32 = main
  ) {
    add(.started(thread: thread, process: process), at: time, starter)
  }

  mutating func end(at time: Int64, _ thread: Int32 = main) { add(.ended, at: time, thread) }

  // MARK: - Results

  func timeline(
    from begin: Int64 = 0,
    until ready: Int64,
    readyProcess: Int32? = nil
  ) -> LaunchTimeline {
    LaunchTimeline(
      begin: Nanoseconds(begin),
      ready: Nanoseconds(ready),
      process: Self.main,
      readyProcess: readyProcess,
      events: events
    )
  }

  func path(
    from begin: Int64 = 0,
    until ready: Int64,
    _ readiness: Readiness = .exit,
    readyProcess: Int32? = nil
  ) -> LaunchPath {
    let timeline = timeline(from: begin, until: ready, readyProcess: readyProcess)
    return LaunchPath(timeline, readiness: readiness)
  }
}

extension LaunchPath {
  /// The segments as lines, such as `0-12 main: execve /bin/demo`.
  var lines: [String] { segments.map(\.line) }

  func lines(from start: Int64) -> [String] {
    segments.filter { $0.start >= Nanoseconds(start) }.map(\.line)
  }

  func count(_ name: String, _ object: String?) -> Int {
    counts[.call(name: name, object: object)] ?? 0
  }
}

extension PathSegment {
  fileprivate var line: String {
    "\(start.count)-\(end.count) \(actor.line): \(activity.line)"
  }
}

extension LaunchActor {
  fileprivate var line: String {
    switch self {
    case .main: "main"
    case .thread(let number): "thread \(number)"
    case .threadOf(let function): "thread \(function)"
    case .process(let program, 0): program
    case .process(let program, let thread): "\(program)#\(thread)"
    }
  }
}

extension Activity {
  fileprivate var line: String {
    switch self {
    case .ownCode: "own code"
    case .systemCall(let name, let object): Self.words([name, object])
    case .wait(let name, let object, let waker):
      Self.words(["wait", name, object, waker.map { "for \($0)" }])
    case .diskWait(let name, let object): Self.words(["disk", name, object])
    case .faultWait: "page fault"
    case .queue: "queue"
    case .harness: "harness"
    case .unknown: "unknown"
    }
  }

  private static func words(_ words: [String?]) -> String {
    words.compactMap(\.self).joined(separator: " ")
  }
}
