package import LaunchCore

/// A traced launch with its events, to be shown as it was.
package struct RecordedLaunch: Hashable, Sendable {
  package var timeline: LaunchTimeline

  /// What made the launch ready.
  package var readiness: Readiness

  /// What its program is called.
  package var naming: ProgramNaming

  package init(
    timeline: LaunchTimeline,
    readiness: Readiness,
    naming: ProgramNaming = ProgramNaming()
  ) {
    self.timeline = timeline
    self.readiness = readiness
    self.naming = naming
  }
}

/// What the threads of a launch did side by side, and its critical path.
///
/// Every instant is one since the beginning of the launch, and none is after it was ready.
package struct LaunchTracks {
  package let duration: Nanoseconds

  /// Those that lived before the launch was ready, in the order in which they were started.
  package private(set) var threads: [Thread] = []

  /// Without gaps: the durations add up to the launch.
  package let criticalPath: [PathSegment]

  package struct Thread {
    package let actor: LaunchActor

    /// The number of its process; 0 is the one that was launched.
    package let process: Int

    /// Ascending; a gap is where the events say nothing.
    package var stretches: [Stretch]
  }

  /// The time that a thread was in own code, or in one system call.
  package struct Stretch {
    package let start: Nanoseconds
    package var end: Nanoseconds

    /// Nil in own code.
    package let call: String?
    package let object: String?

    /// When it did not run, ascending.
    package var pauses: [Pause] = []
  }

  /// The time that a thread did not run.
  package struct Pause {
    package let start: Nanoseconds
    package let end: Nanoseconds

    /// The wait.
    package let activity: Activity

    /// The number of the thread that ended it at its end, if one of the launch did.
    package var waker: Int?
  }

  /// Follows the threads of a recorded launch.
  package init(_ recorded: RecordedLaunch) {
    let timeline = recorded.timeline
    let (begin, ready) = (timeline.begin.count, timeline.ready.count)
    duration = Nanoseconds(max(0, ready - begin))
    let path = LaunchPath(timeline, readiness: recorded.readiness, naming: recorded.naming)
    criticalPath = path.segments.map { segment in
      var segment = segment
      segment.start = segment.start - timeline.begin
      segment.end = segment.end - timeline.begin
      return segment
    }
    guard begin < ready else { return }
    let replay = LaunchReplay(timeline, readiness: recorded.readiness, naming: recorded.naming)
    let lives = replay.lives.indices.compactMap { life in
      replay.thread(of: life, in: begin..<ready).map { (life: life, thread: $0) }
    }
    let numbers = Dictionary(uniqueKeysWithValues: lives.indices.map { (lives[$0].life, $0) })
    threads = lives.map(\.thread)
    for thread in threads.indices {
      for stretch in threads[thread].stretches.indices {
        for pause in threads[thread].stretches[stretch].pauses.indices {
          let found = threads[thread].stretches[stretch].pauses[pause]
          let waker = found.waker.flatMap { numbers[$0] }
          // The events need not make sense: a waker that did nothing then is none.
          let last = waker.flatMap { threads[$0].stretch(before: found.end) }?.end ?? .zero
          threads[thread].stretches[stretch].pauses[pause].waker =
            last >= found.end ? waker : nil
        }
      }
    }
  }
}

extension LaunchTracks.Thread {
  /// What it did at an instant: the last stretch that began before it, in O(log n).
  package func stretch(before time: Nanoseconds) -> LaunchTracks.Stretch? {
    var (low, high) = (0, stretches.count)
    while low < high {
      let middle = (low + high) / 2
      if stretches[middle].start < time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? stretches[low - 1] : nil
  }
}

extension LaunchReplay {
  /// What a life did in a time, with other lives as its wakers; nil for nothing.
  fileprivate func thread(of life: Int, in window: Range<Int64>) -> LaunchTracks.Thread? {
    let spans = lives[life].spans
    var stretches: [LaunchTracks.Stretch] = []
    var program: Int32?
    for (place, span) in spans.enumerated() {
      let next = place + 1 < spans.count ? spans[place + 1].start : .max
      let start = Nanoseconds(max(span.start, window.lowerBound) - window.lowerBound)
      let end = Nanoseconds(min(next, window.upperBound) - window.lowerBound)
      let activity = activity(of: span, isLaunched: life == 0)
      guard start < end, activity != .unknown else { continue }
      program = span.program
      let doing = doing(in: span, isLaunched: life == 0)
      // In own code the object is a page's, which is that of the pause alone.
      let (call, object) = (doing.call, doing.call == nil ? nil : doing.object)
      if let last = stretches.last, last.end == start, last.call == call, last.object == object {
        stretches[stretches.count - 1].end = end
      } else {
        stretches.append(.init(start: start, end: end, call: call, object: object))
      }
      guard activity.isPause else { continue }
      var pause = LaunchTracks.Pause(start: start, end: end, activity: activity)
      if case .life(let waker)? = span.waker, next <= window.upperBound { pause.waker = waker }
      stretches[stretches.count - 1].pauses.append(pause)
    }
    guard !stretches.isEmpty else { return nil }
    return LaunchTracks.Thread(
      actor: actor(lives[life].role, program),
      process: lives[life].process,
      stretches: stretches
    )
  }
}

extension Activity {
  /// Whether nothing runs meanwhile.
  fileprivate var isPause: Bool {
    switch self {
    case .queue, .wait, .diskWait, .faultWait: true
    case .ownCode, .systemCall, .harness, .unknown: false
    }
  }
}
