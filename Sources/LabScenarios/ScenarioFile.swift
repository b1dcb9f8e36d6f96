import Foundation
package import LabModel

/// Reads scenario files.
package enum ScenarioFile {
  /// Reads the scenario file at a path.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory; places show it as given.
  ///   - judge: Says what this machine has against the directories that the scenario declares.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError`` with everything that is wrong with the file.
  package static func load(
    path: String,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    try load(text: try text(at: path), path: path, judgedBy: judge)
  }

  /// Reads the text of a scenario file.
  ///
  /// - Parameters:
  ///   - text: The content of the file.
  ///   - path: Where the file is, for places and relative paths; it need not exist.
  ///   - home: The home directory that no scenario may replace; by default that of the user.
  ///   - judge: Says what this machine has against the directories that the scenario declares.
  /// - Returns: A scenario with absolute paths.
  /// - Throws: ``ScenarioError/invalid(_:)`` with everything that is wrong with the text.
  package static func load(
    text: String,
    path: String,
    home: String = FileManager.default.homeDirectoryForCurrentUser.path,
    judgedBy judge: DirectoryJudge? = nil
  ) throws(ScenarioError) -> Scenario {
    var findings = Findings(path: path)
    var yaml = YAMLText(text)
    guard let root = yaml.value(reporting: &findings) else {
      throw .invalid(findings.diagnostics)
    }
    var checker = ShapeChecker(findings: findings)
    checker.check(root, against: .map(ScenarioKeys.top), name: "the scenario")
    let working = FileManager.default.currentDirectoryPath
    let file = PathSafety.absolute(path, from: working)
    let safety = PathSafety(
      scenarioDirectory: PathSafety.absolute("..", from: file),
      home: PathSafety.absolute(home, from: working),
      judge: judge
    )
    var reader = ScenarioReader(findings: checker.findings, safety: safety)
    let scenario = reader.scenario(from: root)
    guard reader.findings.isEmpty else { throw .invalid(reader.findings.diagnostics) }
    return scenario
  }

  private static func text(at path: String) throws(ScenarioError) -> String {
    switch FileKind(at: path) {
    case .regular: break
    case .directory: throw .unreadable(path: path, reason: "it is a directory")
    case .missing: throw .unreadable(path: path, reason: "there is no such file")
    case .other: throw .unreadable(path: path, reason: "it is not a regular file")
    }
    let data: Data
    do {
      data = try content(ofFile: path)
    } catch {
      throw .unreadable(path: path, reason: "permission denied, or the disk failed")
    }
    guard data.count <= YAMLText.maximumBytes else {
      throw .unreadable(path: path, reason: "it is larger than \(YAMLText.maximumBytes) bytes")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw .invalid([notText(data, path: path)])
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
  }

  /// Reads one byte more than is allowed at most, so that a huge file costs nothing.
  private static func content(ofFile path: String) throws -> Data {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    return try file.read(upToCount: YAMLText.maximumBytes + 1) ?? Data()
  }

  private static func notText(_ data: Data, path: String) -> Diagnostic {
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(data: Data($0), encoding: .utf8) == nil } ?? 0
    return Diagnostic(
      .error,
      id: "not-text",
      problem: "the file is not UTF-8 text",
      place: "\(path):\(line + 1):1",
      remedy: "save the file as UTF-8"
    )
  }
}
