package import LaunchCore

/// A part of the critical path of a launch: what the launch waited for at that time.
///
/// The segments of a launch have no gaps and do not overlap: their durations add up to the launch.
package struct PathSegment: Hashable, Sendable {
  package var start: Nanoseconds
  package var end: Nanoseconds
  package var actor: LaunchActor
  package var activity: Activity

  package init(start: Nanoseconds, end: Nanoseconds, actor: LaunchActor, activity: Activity) {
    self.start = start
    self.end = end
    self.actor = actor
    self.activity = activity
  }

  package var duration: Nanoseconds { end - start }
}

/// A thread of a launch, called the same in every launch.
package enum LaunchActor: Hashable, Sendable {
  /// The first thread of the process that was launched.
  case main

  /// The thread of the launched process that was started as the first, the second and so on; it is
  /// called by its start function once that is known.
  case thread(number: Int)

  /// A thread that is called by the function it started in.
  case threadOf(function: String)

  /// A process that the launch started; `program` is the last part of what it executed, or of what
  /// its parent runs. `thread` is 0 for its first thread, and 1 for all others.
  case process(program: String, thread: Int)
}

/// What an actor did in a part of the critical path.
package enum Activity: Hashable, Sendable {
  /// It ran its own code, with the faults of pages that need no disk.
  case ownCode

  /// It ran in the kernel, in a system call on an object.
  case systemCall(name: String, object: String?)

  /// It waited in a system call on an object, for who woke it; nil when an interrupt did.
  case wait(name: String, object: String?, waker: String?)

  /// It waited for a block device in a system call on an object; `name` is nil in a page fault.
  case diskWait(name: String?, object: String?)

  /// It waited for a page that came without the disk.
  case faultWait

  /// It could have run, and waited for a processor.
  case queue

  /// launchlab noticed that the launch is ready.
  case harness

  /// The events do not say.
  case unknown
}

extension Activity {
  /// What it is done to, or what is waited for, where that is known.
  package var object: String? {
    switch self {
    case .systemCall(_, let object), .wait(_, let object, _), .diskWait(_, let object): object
    case .ownCode, .faultWait, .queue, .harness, .unknown: nil
    }
  }
}

/// A launch as its timeline tells it.
package struct LaunchPath: Hashable, Sendable {
  /// From the beginning of the launch until it was ready, without gaps.
  package var segments: [PathSegment]

  /// How often each thing happened in all threads of the launch.
  package var counts: [CountedThing: Int]

  /// The number of events, which cost time by themselves, in each segment.
  package var eventCounts: [Int]

  package init(segments: [PathSegment], counts: [CountedThing: Int], eventCounts: [Int]) {
    self.segments = segments
    self.counts = counts
    self.eventCounts = eventCounts
  }
}

/// Something that is counted in a launch.
package enum CountedThing: Hashable, Sendable {
  /// A system call on an object, such as `openat` on `/etc/passwd`.
  case call(name: String, object: String?)

  /// Those of them that found no file of that path.
  case missing(name: String, object: String?)

  case threads

  /// Processes by the last part of what they executed; `nil` for those that executed nothing.
  case processes(program: String?)

  /// Page faults in own code, by the file that is mapped there; nil for memory without a file.
  case faults(file: String?)

  /// Pages that came into the page cache for what the launch did to a file; nil for one that is not known.
  case pageIns(file: String?)

  /// Those of them that it had not asked for yet.
  case readAhead(file: String?)

  package var isMissing: Bool { if case .missing = self { true } else { false } }
}
