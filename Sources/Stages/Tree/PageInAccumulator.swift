package import LaunchCore
import LaunchStatistics

/// The pages that the cold launches of one arm brought in.
package struct PageInSummary: Hashable, Sendable {
  /// How many launches were looked at.
  package var launches: Int

  /// Medians per file over all launches, the most pages first.
  package var files: [PageIn]

  /// Medians over all launches; nil when it is not known of every launch.
  package var metadata: MetadataReads?

  /// What could not be had in any launch, and why.
  package var notes: [String] = []

  /// The pages of all files.
  package var pages: Int { files.reduce(0) { $0 + $1.pages } }

  /// The faulted pages of all files; nil when they are not known of every file.
  package var faulted: Int? { Self.sum(files.map(\.faulted)) }

  /// The pages of all files that came in without a fault of their own; nil as `faulted`.
  package var readAhead: Int? { Self.sum(files.map(\.readAhead)) }

  /// How long threads were blocked on pages of all files; nil when it is not known of every file.
  package var wait: Nanoseconds? {
    Self.sum(files.map { $0.wait.map { Int($0.count) } }).map { Nanoseconds(Int64($0)) }
  }

  private static func sum(_ counts: [Int?]) -> Int? {
    let known = counts.compactMap(\.self)
    return known.count == counts.count && !known.isEmpty ? known.reduce(0, +) : nil
  }
}

/// Takes in the page-ins of the launches of one arm.
package struct PageInAccumulator: Sendable {
  private var launches = 0
  private var files: [String: [PageIn]] = [:]
  private var metadata: [MetadataReads] = []
  private var notes: [String] = []

  package init() {}

  package mutating func add(_ found: PageIns) {
    launches += 1
    if let reads = found.metadata { metadata.append(reads) }
    for file in found.files { files[file.path, default: []].append(file) }
    for note in found.notes where !notes.contains(note) { notes.append(note) }
  }

  package func summary() -> PageInSummary {
    let medians = files.values.compactMap(median)
    let sorted = medians.sorted { ($1.pages, $0.path) < ($0.pages, $1.path) }
    return PageInSummary(
      launches: launches,
      files: sorted,
      metadata: metadata.count == launches && launches > 0 ? medianMetadata : nil,
      notes: notes
    )
  }

  /// A launch that brought nothing of a file in counts with 0.
  private func median(of found: [PageIn]) -> PageIn? {
    guard var file = found.first else { return nil }
    let absent = [Int](repeating: 0, count: launches - found.count)
    file.pages = Self.median(found.map(\.pages) + absent)
    let isTold = found.allSatisfy { $0.faulted != nil && $0.readAhead != nil }
    file.faulted = isTold ? Self.median(found.compactMap(\.faulted) + absent) : nil
    file.readAhead = file.faulted.map { max(0, file.pages - $0) }
    let waits = found.compactMap(\.wait)
    file.wait = waits.count == found.count ? Self.median(waits, absent: absent.count) : nil
    return file
  }

  private var medianMetadata: MetadataReads {
    MetadataReads(
      pages: Self.median(metadata.map(\.pages)),
      wait: Self.median(metadata.map(\.wait), absent: 0)
    )
  }

  private static func median(_ waits: [Nanoseconds], absent: Int) -> Nanoseconds {
    let counts = waits.map { Int($0.count) } + [Int](repeating: 0, count: absent)
    return Nanoseconds(Int64(median(counts)))
  }

  private static func median(_ counts: [Int]) -> Int {
    guard let sample = try? Sample(counts.map(Double.init)) else { return 0 }
    return Int(clamping: sample.median.rounded())
  }
}

extension StagesSummary {
  /// The places that a symbol can be looked for.
  package var codePlaces: Set<CodePlace> {
    var places: Set<CodePlace> = []
    for stage in [launch] + others { stage.collectPlaces(into: &places) }
    return places
  }

  /// Gives code the names that were found for it; a place without one keeps its name.
  ///
  /// - Parameter symbols: Demangled symbols by ``codePlaces``.
  /// - Returns: The same stages with the symbols.
  package func naming(_ symbols: [CodePlace: String]) -> Self {
    guard !symbols.isEmpty else { return self }
    var named = self
    named.launch = launch.naming(symbols)
    named.others = others.map { $0.naming(symbols) }
    return named
  }
}

extension StageSummary {
  fileprivate func collectPlaces(into places: inout Set<CodePlace>) {
    if let place, place.offset != nil, place.symbol == nil { places.insert(place) }
    for child in children { child.collectPlaces(into: &places) }
  }

  fileprivate func naming(_ symbols: [CodePlace: String]) -> Self {
    var named = self
    if let place, let symbol = symbols[place] {
      named.place?.symbol = symbol
      if name == place.name { named.name = symbol }
    }
    named.children = children.map { $0.naming(symbols) }
    return named
  }
}
