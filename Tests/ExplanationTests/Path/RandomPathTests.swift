import LaunchCore
import Testing

@testable import Stages

@Suite("Partition of a launch")
struct RandomPathTests {
  /// Says what is wrong with the segments of a launch; nil when they are a partition.
  private func fault(_ path: LaunchPath, _ begin: Int64, _ ready: Int64) -> String? {
    guard path.eventCounts.count == path.segments.count else { return "event counts" }
    guard begin < ready else { return path.segments.isEmpty ? nil : "segments of nothing" }
    var end = Nanoseconds(begin)
    var sum: Int64 = 0
    for segment in path.segments {
      if segment.start != end { return "gap or overlap at \(end.count)" }
      if segment.end <= segment.start { return "empty segment at \(end.count)" }
      end = segment.end
      sum += segment.duration.count
    }
    if end != Nanoseconds(ready) { return "ends at \(end.count), not \(ready)" }
    let classes = LaunchClasses(path)
    let parts = [classes.queue, classes.harness, classes.unknown, classes.attributable]
    let total = parts.reduce(.zero, +).count
    return sum == ready - begin && total == sum ? nil : "sums \(sum) and \(total)"
  }

  /// Says what is wrong with the tracks of a launch; nil when everything lies in what is around it.
  private func fault(_ tracks: LaunchTracks) -> String? {
    for thread in tracks.threads {
      var end = Nanoseconds.zero
      for stretch in thread.stretches {
        if stretch.start < end || stretch.end <= stretch.start { return "stretch at \(end.count)" }
        end = stretch.end
        var pauseEnd = stretch.start
        for pause in stretch.pauses {
          if pause.start < pauseEnd || pause.end > end { return "pause at \(pause.start.count)" }
          pauseEnd = pause.end
          if let waker = pause.waker, !tracks.threads.indices.contains(waker) { return "waker" }
        }
      }
      if end > tracks.duration { return "ends at \(end.count)" }
    }
    return nil
  }

  private static let readinesses: [Readiness] = [
    .exit, .output(stream: .stdout, pattern: "x"), .notify, .tcp(host: "x", port: 80),
    .unix(path: "/x"), .http(host: "x", port: 80, path: "/"), .file(path: "/x"), .mark(name: "x"),
  ]

  private static let calls = [
    "openat", "read", "write", "close", "dup2", "mmap", "munmap", "mremap", "brk", "execve",
    "clone3", "futex", "pipe2", "socket", "connect", "listen", "sendto", "rename", "exit_group",
    "fcntl", "close_range", "no_such_call",
  ]

  private func randomEvents(_ random: inout SplitMix64) -> [TimelineEvent] {
    let threads = 1 + random.next(below: 6)
    let span = 1 + random.next(below: 200)
    func thread(_ random: inout SplitMix64) -> Int32 {
      EventList.main + Int32(random.next(below: threads)) - (random.next(below: 20) == 0 ? 1 : 0)
    }
    var events: [TimelineEvent] = []
    for _ in 0..<random.next(below: 120) {
      let other = thread(&random)
      let number = Int64(bitPattern: random.next()) >> Int64(random.next(below: 64))
      let kind: TimelineEvent.Kind =
        switch random.next(below: 12) {
        case 0, 1:
          .enteredCall(
            TimelineEvent.SystemCall(
              name: Self.calls[random.next(below: Self.calls.count)],
              arguments: (0..<random.next(below: 5)).map { Int64($0) &* number },
              text: random.next(below: 2) == 0 ? "/x" : nil
            )
          )
        case 2, 3: .leftCall(result: number)
        case 4: .switchedIn
        case 5: .preempted
        case 6: .blocked(isForDisk: random.next(below: 3) == 0)
        case 7, 8:
          .woken(
            by: TimelineEvent.Waker(
              thread: other,
              process: other,
              name: "x",
              isInterrupt: random.next(below: 4) == 0
            )
          )
        case 9: .faulted(address: UInt64(bitPattern: number))
        case 10:
          .started(thread: other, process: random.next(below: 2) == 0 ? other : EventList.main)
        default: random.next(below: 2) == 0 ? .ended : .executed(path: "/bin/x")
        }
      let time = Int64(random.next(below: span)) - 20
      events.append(TimelineEvent(time: Nanoseconds(time), thread: thread(&random), kind: kind))
    }
    if random.next(below: 4) > 0 { events.sort { $0.time < $1.time } }
    return events
  }

  @Test("any list of events gives a partition", arguments: UInt64(0)..<16)
  func anything(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<1_000 {
      let ready = Int64(random.next(below: 200)) - 10
      let readiness = Self.readinesses[random.next(below: Self.readinesses.count)]
      let timeline = LaunchTimeline(
        begin: Nanoseconds(0),
        ready: Nanoseconds(ready),
        process: EventList.main,
        events: randomEvents(&random)
      )
      let path = LaunchPath(timeline, readiness: readiness)
      #expect(fault(path, 0, ready) == nil, "\(readiness): \(timeline.events)")
      let tracks = LaunchTracks(RecordedLaunch(timeline: timeline, readiness: readiness))
      #expect(fault(tracks) == nil, "\(readiness): \(timeline.events)")
    }
  }

  @Test("the walk goes where a slow one goes, step by step", arguments: UInt64(0)..<8)
  func slowWalk(_ seed: UInt64) {
    var random = SplitMix64(seed: seed, part: 1)
    var compared = 0
    for _ in 0..<400 {
      let timeline = LaunchTimeline(
        begin: .zero,
        ready: Nanoseconds(150),
        process: EventList.main,
        events: randomEvents(&random)
      )
      let readiness = Readiness.mark(name: "x")
      let replay = LaunchReplay(timeline, readiness: readiness, naming: ProgramNaming())
      guard replay.readyCalls.likeliest == nil else { continue }
      var slow = SlowWalk(replay)
      guard slow.walk(0, from: 150, to: 0, depth: 0) else { continue }
      var fast = CriticalWalk(replay, from: 0, to: 150)
      fast.run(readiness)
      let places = fast.parts.flatMap { part in
        (part.start..<part.end).reversed().map { SlowWalk.Place(at: $0, part, in: replay) }
      }
      #expect(places == slow.places, "\(timeline.events)")
      compared += 1
    }
    #expect(compared > 100)
  }

  @Test("a launch without events is unknown")
  func nothing() {
    #expect(EventList().path(until: 10).lines == ["0-10 main: unknown"])
    #expect(EventList().path(from: 10, until: 10).lines.isEmpty)
    #expect(EventList().path(from: 11, until: 10).lines.isEmpty)
  }

  @Test("instants at the ends of the clock do no harm")
  func extremes() {
    var events = EventList()
    for time in [Int64.min, -1, 0, 1, .max] {
      events.call("read", .min, .max, at: min(time, .max - 1))
      events.block(at: time)
      events.run(at: time)
    }
    #expect(events.path(from: .min, until: -1).segments.last?.end == Nanoseconds(-1))
    #expect(events.path(from: 0, until: .max).segments.last?.end == Nanoseconds(.max))
  }

  @Test("threads that woke each other at the same instant leave it unknown who did")
  func cycle() {
    var events = EventList.demo
    for thread: Int32 in 101...103 {
      events.start(thread, at: 15)
      events.run(at: 15, thread)
    }
    for thread: Int32 in 100...103 { events.block(at: 20, thread) }
    for thread: Int32 in 100...103 {
      events.wake(by: thread == 103 ? 100 : thread + 1, at: 50, thread)
    }
    events.run(at: 50)
    events.end(at: 60)
    let path = events.path(until: 60)
    #expect(fault(path, 0, 60) == nil)
    #expect(path.segments.contains { $0.activity == .unknown && $0.end == Nanoseconds(50) })
  }

  @Test("a chain of 20,000 waits, each within another, is followed to its end")
  func deepChain() {
    var events = EventList.demo
    let depth: Int32 = 20_000
    for number in 1...depth {
      events.start(EventList.main + number, at: 20)
      events.run(at: 20, EventList.main + number)
    }
    // Every thread waits a little later than the one that waits for it.
    for number in 0..<depth { events.block(at: 100 + Int64(number), EventList.main + number) }
    let last = 100 + Int64(depth)
    for number in (0..<depth).reversed() {
      let time = last + 2 * Int64(depth - number)
      events.wake(by: EventList.main + number + 1, at: time, EventList.main + number)
      events.run(at: time, EventList.main + number)
    }
    let end = last + 2 * Int64(depth) + 5
    events.end(at: end)
    let path = events.path(until: end)
    #expect(fault(path, 0, end) == nil)
    #expect(path.segments.contains { $0.actor == .thread(number: Int(depth)) })
    #expect(path.segments.allSatisfy { $0.activity != .unknown })
  }

  @Test("2,000 processes, each started by the one before, are followed back")
  func processes() {
    var events = EventList.demo
    var time: Int64 = 20
    for number: Int32 in 0..<2_000 {
      let parent = EventList.main + number
      events.start(parent + 1, process: parent + 1, at: time, parent)
      events.run(at: time + 1, parent + 1)
      events.enter("wait4", at: time + 1, parent)
      events.block(at: time + 2, parent)
      time += 3
    }
    for number: Int32 in (0..<2_000).reversed() {
      let parent = EventList.main + number
      events.end(at: time, parent + 1)
      events.wake(by: parent + 1, at: time + 1, parent)
      events.block(at: time + 2, parent + 1)
      events.run(at: time + 2, parent)
      events.leave(at: time + 3, parent)
      time += 4
    }
    events.end(at: time)
    let path = events.path(until: time)
    #expect(fault(path, 0, time) == nil)
    #expect(path.segments.allSatisfy { $0.activity != .unknown })
    #expect(path.counts[.processes(program: nil)] == 2_000)
  }

  /// 500 threads that pass a token around, reading a file whenever they have it.
  private func ring(rounds: Int) -> (events: [TimelineEvent], end: Int64) {
    var events = EventList.demo
    let threads: Int32 = 500
    events.call("openat", -100, text: "/etc/x", result: 3, at: 14)
    for number in 1..<threads {
      events.start(EventList.main + number, at: 20)
      events.run(at: 20, EventList.main + number)
      events.enter("futex", at: 21, EventList.main + number)
      events.block(at: 22, EventList.main + number)
    }
    var time: Int64 = 30
    for turn in 0..<rounds {
      let thread = EventList.main + Int32(turn % Int(threads))
      let next = EventList.main + Int32((turn + 1) % Int(threads))
      events.call("read", 3, at: time, thread)
      events.call("newfstatat", -100, text: "/usr/lib/x\(turn % 50).so", at: time + 2, thread)
      events.wake(by: thread, at: time + 5, next)
      events.enter("futex", at: time + 6, thread)
      events.block(at: time + 7, thread)
      events.run(at: time + 8, next)
      events.leave(at: time + 9, next)
      time += 10
    }
    return (events.events, time)
  }

  @Test("a launch of 500 threads and 500,000 events is followed to its beginning")
  func manyEvents() {
    let (events, end) = ring(rounds: 55_000)
    #expect(events.count > 490_000)
    let timeline = LaunchTimeline(
      begin: .zero,
      ready: Nanoseconds(end),
      process: EventList.main,
      events: events
    )
    let path = LaunchPath(timeline, readiness: .tcp(host: "x", port: 1))
    #expect(fault(path, 0, end) == nil)
    #expect(path.segments.allSatisfy { $0.activity != .unknown })
    #expect(path.count("read", "/etc/x") == 55_000)
  }

  @Test("events that come in another order than that of time are put in order")
  func order() {
    let (events, end) = ring(rounds: 600)
    var random = SplitMix64(seed: 3)
    func path(_ events: [TimelineEvent]) -> LaunchPath {
      let timeline = LaunchTimeline(
        begin: .zero,
        ready: Nanoseconds(end),
        process: EventList.main,
        events: events
      )
      return LaunchPath(timeline, readiness: .exit)
    }
    let groups = Dictionary(grouping: events, by: \.time).values.shuffled(using: &random)
    #expect(path(groups.flatMap(\.self)) == path(events))
  }
}

/// Walks a launch back nanosecond by nanosecond, by the rules as they are written down.
private struct SlowWalk {
  private let replay: LaunchReplay

  /// The last first.
  private(set) var places: [Place] = []

  /// Where a launch was at an instant.
  struct Place: Hashable {
    var time: Int64
    var life: Int
    var start: Int64?

    init(time: Int64, life: Int, start: Int64?) {
      self.time = time
      self.life = life
      self.start = start
    }

    init(at time: Int64, _ part: CriticalWalk.Part, in replay: LaunchReplay) {
      self.init(time: time, life: part.life, start: nil)
      if case .span(let place) = part.content { start = replay.lives[life].spans[place].start }
    }
  }

  init(_ replay: LaunchReplay) { self.replay = replay }

  /// - Returns: Whether it arrived; false for threads that all wait for each other.
  mutating func walk(_ life: Int, from time: Int64, to stop: Int64, depth: Int) -> Bool {
    guard depth < 50 else { return false }
    var time = time
    while time > stop {
      guard let span = replay.lives[life].spans.last(where: { $0.start < time }) else {
        if let parent = replay.lives[life].parent {
          return walk(parent, from: time, to: stop, depth: depth + 1)
        }
        places.append(Place(time: time - 1, life: life, start: nil))
        time -= 1
        continue
      }
      if span.state.isBlocked, case .life(let waker) = span.waker {
        let start = max(span.start, stop)
        guard walk(waker, from: time, to: start, depth: depth + 1) else { return false }
        time = start
      } else {
        places.append(Place(time: time - 1, life: life, start: span.start))
        time -= 1
      }
    }
    return true
  }
}
