package import LabModel
import LabStatistics

/// The pages that the cold launches of one arm brought in.
package struct PageInSummary: Hashable, Sendable {
  /// How many launches were looked at.
  package var launches: Int

  /// Medians per file over all launches, the most pages first.
  package var files: [PageIn]

  /// What could not be had in any launch, and why.
  package var notes: [String]

  package init(launches: Int, files: [PageIn], notes: [String] = []) {
    self.launches = launches
    self.files = files
    self.notes = notes
  }

  /// The pages of all files.
  package var pages: Int { files.reduce(0) { $0 + $1.pages } }

  /// The faulted pages of all files; nil when they are not known of every file.
  package var faulted: Int? { Self.sum(files.map(\.faulted)) }

  /// The pages of all files that came in without a fault of their own; nil as `faulted`.
  package var readAhead: Int? { Self.sum(files.map(\.readAhead)) }

  private static func sum(_ counts: [Int?]) -> Int? {
    let known = counts.compactMap(\.self)
    return known.count == counts.count && !known.isEmpty ? known.reduce(0, +) : nil
  }
}

/// Takes in the page-ins of the launches of one arm.
struct PageInAccumulator: Sendable {
  private var launches = 0
  private var files: [String: [PageIn]] = [:]
  private var notes: [String] = []

  mutating func add(_ found: PageIns) {
    launches += 1
    for file in found.files { files[file.path, default: []].append(file) }
    for note in found.notes where !notes.contains(note) { notes.append(note) }
  }

  func summary() -> PageInSummary {
    let medians = files.values.compactMap(median)
    let sorted = medians.sorted { ($1.pages, $0.path) < ($0.pages, $1.path) }
    return PageInSummary(launches: launches, files: sorted, notes: notes)
  }

  /// A launch that brought nothing of a file in counts with 0.
  private func median(of found: [PageIn]) -> PageIn? {
    guard var file = found.first else { return nil }
    let absent = [Int](repeating: 0, count: launches - found.count)
    file.pages = Self.median(found.map(\.pages) + absent)
    let isTold = found.allSatisfy { $0.faulted != nil && $0.readAhead != nil }
    file.faulted = isTold ? Self.median(found.compactMap(\.faulted) + absent) : nil
    file.readAhead = file.faulted.map { max(0, file.pages - $0) }
    return file
  }

  private static func median(_ counts: [Int]) -> Int {
    guard let sample = try? Sample(counts.map(Double.init)) else { return 0 }
    return Int(sample.median.rounded())
  }
}
