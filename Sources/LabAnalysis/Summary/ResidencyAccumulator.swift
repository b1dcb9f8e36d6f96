import LabModel

/// Takes in what was resident before each launch of an arm, file by file.
struct ResidencyAccumulator: Sendable {
  private var files: [File] = []
  private var places: [String: Int] = [:]

  private struct File: Sendable {
    var last: FileResidency
    var maximumResidentPages = 0
    var shares = 0.0
    var readings = 0
    var pinnedBy: String?
  }

  mutating func add(_ residency: [FileResidency]) {
    for reading in residency { add(reading) }
  }

  private mutating func add(_ reading: FileResidency) {
    let place = places[reading.path] ?? files.count
    if place == files.count {
      places[reading.path] = place
      files.append(File(last: reading))
    }
    files[place].last = reading
    files[place].readings += 1
    files[place].maximumResidentPages = max(
      files[place].maximumResidentPages,
      reading.residentPages
    )
    if reading.totalPages > 0 {
      files[place].shares += Double(reading.residentPages) / Double(reading.totalPages)
    }
    if let pinnedBy = reading.pinnedBy { files[place].pinnedBy = pinnedBy }
  }

  /// Per file, in the order they were first read.
  var summaries: [ResidencySummary] {
    files.map { file in
      ResidencySummary(
        path: file.last.path,
        isOwn: file.last.isOwn,
        maximumResidentPages: file.maximumResidentPages,
        meanResidentShare: file.shares / Double(file.readings),
        totalPages: file.last.totalPages,
        pinnedBy: file.pinnedBy
      )
    }
  }
}
