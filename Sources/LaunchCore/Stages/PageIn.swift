/// The pages of one file that a launch brought into the page cache.
package struct PageIn: Hashable, Codable, Sendable {
  package var path: String

  /// Whether the file is the target's own.
  package var isOwn: Bool

  /// How many pages came into the page cache until the launch was ready, as the kernel's tracepoints
  /// tell; without these, how many more were resident after it had ended than before it.
  package var pages: Int

  /// How many of them the launch waited for, by a fault of their own, until it was ready; nil when
  /// that could not be recorded.
  package var faulted: Int?

  /// How many came in without that: read ahead around others, or by `read`; nil when `faulted` is,
  /// or when more faults were seen than pages.
  package var readAhead: Int?

  /// How long threads were blocked on pages of the file, summed over the threads; nil without
  /// tracepoints.
  package var wait: Nanoseconds?

  package init(
    path: String,
    isOwn: Bool,
    pages: Int,
    faulted: Int? = nil,
    readAhead: Int? = nil,
    wait: Nanoseconds? = nil
  ) {
    self.path = path
    self.isOwn = isOwn
    self.pages = pages
    self.faulted = faulted
    self.readAhead = readAhead
    self.wait = wait
  }
}

/// The pages that a launch brought in, by file, and what could not be had.
package struct PageIns: Hashable, Codable, Sendable {
  /// The files with pages that came in, most pages first.
  package var files: [PageIn]

  /// What was read of directories, inodes and block maps; nil without tracepoints.
  package var metadata: MetadataReads?

  /// The major faults of the launch as the kernel counts them for the process, recorded or not.
  package var majorFaults: Int64?

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(
    files: [PageIn],
    metadata: MetadataReads? = nil,
    majorFaults: Int64? = nil,
    notes: [String] = []
  ) {
    self.files = files
    self.metadata = metadata
    self.majorFaults = majorFaults
    self.notes = notes
  }
}

/// What a launch read of file systems beside the content of files.
package struct MetadataReads: Hashable, Codable, Sendable {
  package var pages: Int

  /// How long threads were blocked on it, summed over the threads.
  package var wait: Nanoseconds

  package init(pages: Int = 0, wait: Nanoseconds = .zero) {
    self.pages = pages
    self.wait = wait
  }
}

/// The pages that a launch had to wait for.
package struct MajorFaults: Hashable, Sendable {
  /// Events of the kind `majorFault` in order of time, up to the ready instant.
  package var events: [LaunchEvent]

  /// Whether every fault is among the events.
  package var isComplete: Bool

  /// All pages that came into the page cache up to the ready instant, by file, and the time that
  /// threads were blocked on them; nil where the kernel's tracepoints were not had.
  package var reads: [FileReads]?

  /// The files that were read or mapped up to the ready instant, resident or not; nil as `reads`.
  package var seen: Set<FileNumber>?

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(
    events: [LaunchEvent] = [],
    isComplete: Bool = true,
    reads: [FileReads]? = nil,
    seen: Set<FileNumber>? = nil,
    notes: [String] = []
  ) {
    self.events = events
    self.isComplete = isComplete
    self.reads = reads
    self.seen = seen
    self.notes = notes
  }
}

/// What a launch read of one file, as the kernel's tracepoints tell it.
package struct FileReads: Hashable, Sendable {
  package var file: FileNumber

  /// As the kernel named it when it was mapped; nil when it was not.
  package var path: String?

  /// How many pages came into the page cache.
  package var pages: Int

  /// How long threads of the launch were blocked on pages of the file, summed over the threads.
  package var wait: Nanoseconds

  package init(file: FileNumber, path: String? = nil, pages: Int, wait: Nanoseconds = .zero) {
    self.file = file
    self.path = path
    self.pages = pages
    self.wait = wait
  }
}

/// What tells a file from the others of a machine.
package struct FileNumber: Hashable, Sendable {
  /// Of the device of its file system.
  package var major: UInt32
  package var minor: UInt32

  package var inode: UInt64

  package init(major: UInt32, minor: UInt32, inode: UInt64) {
    self.major = major
    self.minor = minor
    self.inode = inode
  }
}

extension StageObservation {
  /// Adds faults in their places among the events, and what could not be had of them.
  package mutating func add(_ faults: MajorFaults) {
    events = (events + faults.events).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    notes += faults.notes
  }
}
