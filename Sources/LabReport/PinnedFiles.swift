import Foundation
import LabAnalysis

/// The files of an arm that stayed in the page cache, joined by the reason why.
struct PinnedFiles {
  /// Such as `libc.so.6, libm.so.6 (mapped by pid 1 and 41 others)`, in the order of the files.
  let phrases: [String]

  init(_ arms: [ArmSummary]) {
    var reasons: [String] = []
    var names: [String: [String]] = [:]
    for file in arms.flatMap(\.residency) {
      guard let reason = file.pinnedBy else { continue }
      let name = URL(filePath: file.path).lastPathComponent.printable
      if names[reason] == nil { reasons.append(reason) }
      if names[reason]?.contains(name) != true { names[reason, default: []].append(name) }
    }
    phrases = reasons.map { reason in
      let files = names[reason] ?? []
      let more = files.count > 6 ? " and \(files.count - 6) more" : ""
      return "\(files.prefix(6).joined(separator: ", "))\(more) (\(reason.printable))"
    }
  }
}
