/// The pages of one file that a launch brought into the page cache.
package struct PageIn: Hashable, Codable, Sendable {
  package var path: String

  /// Whether the file is the target's own.
  package var isOwn: Bool

  /// How many pages more were resident after the launch had ended than before it; not less than 0.
  package var pages: Int

  /// How many of them the launch waited for, by a fault of their own, until it was ready; nil when
  /// that could not be recorded.
  package var faulted: Int?

  /// How many came in without that: read ahead around others, or by `read`; nil when `faulted` is,
  /// or when more faults were seen than pages.
  package var readAhead: Int?

  package init(
    path: String,
    isOwn: Bool,
    pages: Int,
    faulted: Int? = nil,
    readAhead: Int? = nil
  ) {
    self.path = path
    self.isOwn = isOwn
    self.pages = pages
    self.faulted = faulted
    self.readAhead = readAhead
  }
}

/// The pages that a launch brought in, by file, and what could not be had.
package struct PageIns: Hashable, Codable, Sendable {
  /// The files with pages that came in, most pages first.
  package var files: [PageIn]

  /// The major faults of the launch as the kernel counts them for the process, recorded or not.
  package var majorFaults: Int64?

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(files: [PageIn], majorFaults: Int64? = nil, notes: [String] = []) {
    self.files = files
    self.majorFaults = majorFaults
    self.notes = notes
  }
}
