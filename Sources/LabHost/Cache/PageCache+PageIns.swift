import LabModel
import SystemPackage

extension PageCache {
  /// The pages that a launch brought in, by file.
  ///
  /// To be called after the launch has ended, so that pages are counted that came in after it was
  /// ready; faults are counted up to the ready instant.
  ///
  /// - Parameters:
  ///   - before: The residency that was read last before the launch.
  ///   - result: The launch.
  /// - Returns: The files of `before` of which pages came in, and notes.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when a file cannot be read any more.
  func pageIns(
    since before: [FileResidency],
    of result: LaunchResult
  ) throws(HostError) -> PageIns {
    let files = before.map { WatchedFile(path: FilePath($0.path), isOwn: $0.isOwn) }
    let after = try residency(of: files)
    return PageIns(before: before, after: after, result: result)
  }
}

extension PageIns {
  /// Concludes what came in.
  ///
  /// - Parameters:
  ///   - before: The residency before the launch.
  ///   - after: The residency of the same files, in the same order.
  ///   - result: The launch in between.
  init(before: [FileResidency], after: [FileResidency], result: LaunchResult) {
    let faults = result.faults
    let faulted = faults.map { Self.faultedPages($0.events) } ?? [:]
    // A part of the faults cannot be told from read-ahead.
    let isKnown = faults?.isComplete ?? false
    let files = zip(before, after).compactMap { old, new -> PageIn? in
      let pages = max(0, new.residentPages - old.residentPages)
      let count = isKnown ? faulted[new.path, default: 0] : nil
      guard pages > 0 || count ?? 0 > 0 else { return nil }
      return PageIn(
        path: new.path,
        isOwn: new.isOwn,
        pages: pages,
        faulted: count,
        readAhead: count.flatMap { $0 <= pages ? pages - $0 : nil }
      )
    }
    let sorted = files.sorted { ($1.pages, $0.path) < ($0.pages, $1.path) }
    self.init(files: sorted, majorFaults: result.figures.majorFaults, notes: faults?.notes ?? [])
    addNotes(faults: faults, watched: Set(before.map(\.path)))
  }

  private mutating func addNotes(faults: MajorFaults?, watched: Set<String>) {
    guard let faults else {
      notes.append(
        "faults were not recorded, so that faulted pages and read-ahead are not told apart"
      )
      return
    }
    let others = faults.events.filter { !watched.contains($0.text) }
    let paths = Set(others.map(\.text)).subtracting([""]).sorted()
    if !others.isEmpty {
      let names = paths.isEmpty ? "" : ", such as \(paths.prefix(3).joined(separator: ", "))"
      let count = others.count == 1 ? "1 major fault was" : "\(others.count) major faults were"
      notes.append("\(count) in files whose pages are not counted\(names)")
    }
    if let all = majorFaults, all > Int64(faults.events.count) {
      notes.append(
        "\(all - Int64(faults.events.count)) of \(all) major faults have no record, so that faulted "
          + "pages and read-ahead are not told apart"
      )
    }
  }

  /// How many pages of each file had a major fault.
  private static func faultedPages(_ events: [LaunchEvent]) -> [String: Int] {
    var pages: [String: Set<UInt64>] = [:]
    for event in events { pages[event.text, default: []].insert(event.address) }
    return pages.mapValues(\.count)
  }
}
