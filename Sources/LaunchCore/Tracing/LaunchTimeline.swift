/// What the threads of one launch did from its beginning until it was ready, instant by instant.
///
/// Every instant is one of the monotonic clock.
package struct LaunchTimeline: Hashable, Codable, Sendable {
  /// The instant just before `execve`.
  package var begin: Nanoseconds

  /// When the target was ready.
  package var ready: Nanoseconds

  /// The process that was launched; the id of its first thread is the same.
  package var process: Int32

  /// The process that said it is ready, where one said so.
  package var readyProcess: Int32?

  /// What happened, in order of time; some of it before ``begin`` or after ``ready``.
  package var events: [TimelineEvent]

  /// How many events there was no room for: a timeline with any is torn, and says nothing.
  package var lostEvents: Int

  /// How much time recording an event takes, in nanoseconds; 0 where it is taken off already.
  package var eventCost: Double

  /// How much time of the processors the tracer took, besides that of the launch.
  package var tracerTime: Nanoseconds

  /// The paths of programs that ran without the rights that their files give, since they were traced.
  package var withoutRights: [String]

  package init(
    begin: Nanoseconds,
    ready: Nanoseconds,
    process: Int32,
    readyProcess: Int32? = nil,
    events: [TimelineEvent],
    lostEvents: Int = 0,
    eventCost: Double = 0,
    tracerTime: Nanoseconds = .zero,
    withoutRights: [String] = []
  ) {
    self.begin = begin
    self.ready = ready
    self.process = process
    self.readyProcess = readyProcess
    self.events = events
    self.lostEvents = lostEvents
    self.eventCost = eventCost
    self.tracerTime = tracerTime
    self.withoutRights = withoutRights
  }
}

/// Something that happened to a thread of a launch.
package struct TimelineEvent: Hashable, Codable, Sendable {
  package var time: Nanoseconds

  /// The thread that it happened to.
  package var thread: Int32

  package var kind: Kind

  package init(time: Nanoseconds, thread: Int32, kind: Kind) {
    self.time = time
    self.thread = thread
    self.kind = kind
  }

  /// What happened.
  package enum Kind: Hashable, Codable, Sendable {
    /// It entered a system call.
    case enteredCall(SystemCall)

    /// It left its system call, with this result.
    case leftCall(result: Int64)

    /// It began to run on a processor.
    case switchedIn

    /// It stopped running, though it could have gone on.
    case preempted

    /// It stopped running to wait; `isForDisk` while it waits for a block device.
    case blocked(isForDisk: Bool)

    /// It was made ready to run by somebody.
    case woken(by: Waker)

    /// It touched a page that it could not use yet.
    case faulted(address: UInt64)

    /// So many pages of a file came into the page cache for what it does.
    case pagedIn(pages: Int)

    /// It started a thread; of its own process if `process` is its own.
    case started(thread: Int32, process: Int32)

    /// Its process executed a program.
    case executed(path: String)

    case ended
  }

  /// A system call as it was entered.
  package struct SystemCall: Hashable, Codable, Sendable {
    /// Such as `openat`; `syscall_500` for one without a name.
    package var name: String

    /// The first five arguments.
    package var arguments: [Int64]

    /// The path or the address of a socket that it was given, such as `/etc/passwd`,
    /// `unix:/run/x.sock` or `127.0.0.1:80`; nil where it takes none.
    package var text: String?

    package init(name: String, arguments: [Int64], text: String? = nil) {
      self.name = name
      self.arguments = arguments
      self.text = text
    }
  }

  /// Who made a thread ready to run.
  package struct Waker: Hashable, Codable, Sendable {
    package var thread: Int32
    package var process: Int32

    /// The name of the thread, at most 15 bytes.
    package var name: String

    /// Whether an interrupt did it, such as a timer's or a device's, and the thread only ran then.
    package var isInterrupt: Bool

    package init(thread: Int32, process: Int32, name: String, isInterrupt: Bool) {
      self.thread = thread
      self.process = process
      self.name = name
      self.isInterrupt = isInterrupt
    }
  }
}
