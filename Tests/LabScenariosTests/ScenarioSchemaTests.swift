import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Scenarios

struct ScenarioSchemaTests {
  @Test func `writes the recorded schema`() throws {
    try expectSnapshot(ScenarioSchema.json(), named: "schema", suite: "ScenarioSchemaTests")
  }

  /// A key that the schema has and the validator does not know, or the other way round, shows up
  /// as an unknown key, or as one that is missing from the schema.
  @Test func `names the keys that the validator knows`() throws {
    let schema = try #require(
      JSONSerialization.jsonObject(with: Data(ScenarioSchema.json().utf8)) as? [String: Any]
    )
    let text = "scenario: s\ntargets: {a: {command: [a], X1: 1}}\nX2: 1\n"
    let properties = try #require(schema["properties"] as? [String: Any])
    let targets = try #require(properties["targets"] as? [String: Any])
    let target = try #require(targets["additionalProperties"] as? [String: Any])
    let targetProperties = try #require(target["properties"] as? [String: Any])
    let remedies = problems(of: text).compactMap(\.remedy)
    let expected = [targetProperties, properties].map { Set($0.keys) }
    let listed = remedies.map { remedy in
      Set(remedy.dropFirst("use one of: ".count).split(separator: ", ").map(String.init))
    }
    #expect(listed == expected)
  }

  @Test func `describes every key`() throws {
    let schema = try JSONSerialization.jsonObject(with: Data(ScenarioSchema.json().utf8))
    #expect(undescribed(schema, path: "").isEmpty)
  }

  @Test func `has a reference that is current`() throws {
    let path = repository.appending(path: "docs/scenario-reference.md")
    let written = ScenarioReference.markdown()
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(written.utf8).write(to: path)
      Issue.record("recorded \(path.path)")
      return
    }
    let recorded = String(decoding: try Data(contentsOf: path), as: UTF8.self)
    #expect(
      recorded == written,
      "refresh it with `RECORD_SNAPSHOTS=1 swift test --filter ScenarioSchemaTests`"
    )
  }

  @Test(arguments: [
    "quickstart.yml", "node/scenario.yml", "redis/scenario.yml", "notify-daemon/scenario.yml",
    "python-caches/scenario.yml", "launchlab/scenario.yml", "marks/scenario.yml",
    "desktop/scenario.yml",
  ])
  func `loads the example`(name: String) throws {
    let path = repository.appending(path: "Scenarios/\(name)").path
    #expect(try ScenarioFile.load(path: path).launches == 20)
  }

  @Test func `loads the forty nights once they have a repository`() throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let example = repository.appending(path: "Scenarios/nightly/scenario.yml").path
    try FileManager.default.copyItem(atPath: example, toPath: "\(folder)/scenario.yml")
    try FileManager.default.createDirectory(
      atPath: "\(folder)/repository",
      withIntermediateDirectories: true
    )
    let scenario = try ScenarioFile.load(path: "\(folder)/scenario.yml")
    #expect(scenario.control == .revision("v1.0", target: "notes"))
  }

  @Test(arguments: ["bisect/scenario.yml", "bisect/lua/scenario.yml"])
  func `loads what is bisected once it has a repository`(name: String) throws {
    let folder = try scratch()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let example = repository.appending(path: "Scenarios/\(name)").path
    try FileManager.default.copyItem(atPath: example, toPath: "\(folder)/scenario.yml")
    for directory in ["repository", "clone"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/\(directory)",
        withIntermediateDirectories: true
      )
    }
    try Data().write(to: URL(filePath: "\(folder)/start.lua"))
    let scenario = try ScenarioFile.load(path: "\(folder)/scenario.yml")
    #expect(scenario.source?.repository.hasPrefix(folder) == true)
    #expect(scenario.states == [.warm])
  }

  private func scratch() throws -> String {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "launchlab-nights-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  @Test func `tests every example`() throws {
    let folder = repository.appending(path: "Scenarios").path
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { !$0.hasPrefix("fleet/") }
    #expect(files.count { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") } == 11)
  }

  private let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
    .appending(path: "../../..").standardizedFileURL

  private func problems(of text: String) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try ScenarioFile.load(text: text, path: "s.yml")
      return []
    } catch {
      return error.diagnostics
    }
  }

  private func undescribed(_ schema: Any, path: String) -> [String] {
    if let list = schema as? [Any] { return list.flatMap { undescribed($0, path: path) } }
    guard let map = schema as? [String: Any] else { return [] }
    let keys = map["properties"] as? [String: [String: Any]] ?? [:]
    let missing = keys.filter { ($0.value["description"] as? String ?? "").isEmpty }.map(\.key)
    return missing.map { "\(path)/\($0)" }
      + map.flatMap { undescribed($0.value, path: "\(path)/\($0.key)") }
  }
}
