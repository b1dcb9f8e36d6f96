package import LaunchCore
package import Rendering

/// The files of a launch, as a terminal shows them: the own ones first.
package struct FileSetText {
  /// In which order files of a class are shown.
  package enum Order: String, CaseIterable, Sendable {
    /// As the launch first opened them.
    case opened

    /// The largest first.
    case size
    case path
  }

  private let set: FileSet
  private let order: Order
  private let style: TextStyle

  package init(_ set: FileSet, order: Order = .opened, style: TextStyle) {
    self.set = set
    self.order = order
    self.style = style
  }

  /// The text, with a line feed after every line.
  package func rendered() -> String {
    let shown = files(own: true) + files(own: false)
    let table = TextTable(
      columns: [.left, .right, .left, .left],
      rows: [["", "size", "file", "why"].map { TextTable.Cell($0, .dim) }] + shown.map(row)
    )
    return (table.lines(style: style) + [""] + totals).joinedLines(style)
  }

  private func files(own isOwn: Bool) -> [LaunchFile] {
    let files = set.files.filter { $0.isOwn == isOwn }
    return switch order {
    case .opened: files
    case .size: files.sorted { ($1.bytes, $0.path) < ($0.bytes, $1.path) }
    case .path: files.sorted { $0.path < $1.path }
    }
  }

  private func row(_ file: LaunchFile) -> [TextTable.Cell] {
    let package = file.package.map { " (\($0))" } ?? ""
    let ink: TextStyle.Ink? = file.isOwn ? nil : .dim
    let size = Double(file.bytes)
    return [
      file.isOwn ? "own" : "shared", Scale(.bytes, for: size).short(size), file.path.printable,
      file.reason.printable + package.printable,
    ].map { TextTable.Cell($0, ink) }
  }

  private var totals: [String] {
    let texts = [true, false].map { isOwn in
      let (files, bytes) = set.total(own: isOwn)
      let size = Scale(.bytes, for: Double(bytes)).short(Double(bytes))
      let what = isOwn ? "own, evicted when cold" : "shared with the system, left alone"
      return "\(Quantity.count(files, "file")), \(size) \(what)"
    }
    return style.wrapped("by the rule \(set.rule.rawValue): \(texts.joined(separator: "; "))")
  }
}

/// The files of a launch as JSON, of schema `launchlab.files/1`.
package struct FileSetJSON: JSONDocument {
  private let set: FileSet

  package init(_ set: FileSet) { self.set = set }

  package var value: JSONValue {
    [
      "schema": "launchlab.files/1",
      "target": .string(set.target.name),
      "command": .array(set.target.command.map(JSONValue.string)),
      "rule": .string(set.rule.rawValue),
      "own": total(own: true),
      "shared": total(own: false),
      "files": .array(set.files.map(file)),
    ]
  }

  private func total(own isOwn: Bool) -> JSONValue {
    let (files, bytes) = set.total(own: isOwn)
    return ["files": JSONValue(files), "bytes": .integer(bytes)]
  }

  private func file(_ file: LaunchFile) -> JSONValue {
    [
      "path": .string(file.path),
      "bytes": .integer(file.bytes),
      "is_own": .bool(file.isOwn),
      "is_program": .bool(file.isProgram),
      "package": JSONValue(file.package),
      "reason": .string(file.reason),
    ]
  }
}
