import Foundation
package import Testing

/// Compares a text with the recorded one, byte by byte.
///
/// The record is `Snapshots/<suite>/<named>.txt` beside the test file. With `RECORD_SNAPSHOTS=1`
/// in the environment it is rewritten, and the test fails, so that a recording run is never taken
/// for a passing one.
///
/// - Throws: A Foundation error when a record cannot be read or written.
package func expectSnapshot(
  _ text: String,
  named name: String,
  suite: String,
  filePath: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(filePath: filePath).deletingLastPathComponent()
    .appending(components: "Snapshots", suite)
  let file = folder.appending(component: "\(name).txt")
  if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    Issue.record("recorded \(file.path)", sourceLocation: sourceLocation)
    return
  }
  guard FileManager.default.fileExists(atPath: file.path) else {
    Issue.record(
      "no snapshot \(file.path): record it with RECORD_SNAPSHOTS=1",
      sourceLocation: sourceLocation
    )
    return
  }
  let recorded = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  guard recorded != text else { return }
  Issue.record(
    "\(suite)/\(name) differs: \(firstDifference(recorded, text))",
    sourceLocation: sourceLocation
  )
}

/// JSON with one space in place of each line break and the indentation after it.
package func onOneLine(_ json: String) -> String { json.replacing(/\n */, with: " ") }

private func firstDifference(_ recorded: String, _ text: String) -> Comment {
  let old = recorded.split(separator: "\n", omittingEmptySubsequences: false)
  let new = text.split(separator: "\n", omittingEmptySubsequences: false)
  let same = zip(old, new).prefix { $0 == $1 }.count
  let wanted = same < old.count ? "\"\(old[same])\"" : "the end"
  let found = same < new.count ? "\"\(new[same])\"" : "the end"
  return "line \(same + 1) was \(wanted), is \(found)\n\(text)"
}
