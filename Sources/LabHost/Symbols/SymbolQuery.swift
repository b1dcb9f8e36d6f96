import LabModel

/// The conversation with the native helper `symbols`; `symbols.h` describes its records.
struct SymbolQuery: Sendable {
  /// The files in the order of the question, each with its places in that order.
  private let files: [(path: String, places: [CodePlace])]

  /// The places that can be asked for: those with an offset in a file with an absolute path.
  ///
  /// Other names, such as that of the vDSO, name no file.
  init(_ places: [CodePlace]) {
    let known = Set(places).filter { place in
      place.offset != nil && place.file.hasPrefix("/") && !place.file.utf8.contains(0)
    }
    files = Dictionary(grouping: known) { $0.file }
      .map { (path: $0.key, places: $0.value.sorted { ($0.offset ?? 0) < ($1.offset ?? 0) }) }
      .sorted { $0.path < $1.path }
  }

  var isEmpty: Bool { files.isEmpty }

  /// What is written to the helper.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for file in files {
      bytes += Array("f\(file.path)".utf8) + [0]
      for place in file.places {
        bytes += Array("o\(String(place.offset ?? 0, radix: 16))".utf8) + [0]
      }
    }
    return bytes
  }

  /// Reads what the helper wrote.
  ///
  /// - Returns: The names of the places that have one, and a note for each file that could not be
  ///   read; nil when it is no answer to this question.
  func answer(_ bytes: [UInt8]) -> (names: [CodePlace: String], notes: [String])? {
    guard bytes.last == 0 else { return nil }
    var records = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)[...]
    let expected = files.reduce(0) { $0 + 1 + $1.places.count }
    guard records.count == expected else { return nil }
    var names: [CodePlace: String] = [:]
    var notes: [String] = []
    for file in files {
      let problem = String(decoding: records.removeFirst(), as: UTF8.self)
      if !problem.isEmpty { notes.append("no names of functions of \(file.path): \(problem)") }
      for (place, record) in zip(file.places, records) where !record.isEmpty {
        names[place] = String(decoding: record, as: UTF8.self)
      }
      records = records.dropFirst(file.places.count)
    }
    let swift = SwiftNames(names.values).readable
    return (names.mapValues { swift[$0] ?? $0 }, notes)
  }
}
