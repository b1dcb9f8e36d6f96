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
