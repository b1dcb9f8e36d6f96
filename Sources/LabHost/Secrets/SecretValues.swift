import Foundation
import LabModel

/// The values of variables that are taken from files and from the environment, and never stored.
struct SecretValues {
  /// By the name of the target, then by that of the variable.
  private var values: [String: [String: String]] = [:]

  /// No values, where nothing is launched.
  static let none = Self()

  private init() {}

  /// Reads the values for the targets of a plan.
  ///
  /// - Throws: ``HostError/secretMissing(variable:place:reason:)``.
  init(
    of targets: [Target],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(HostError) {
    for target in targets {
      for (name, source) in target.secrets ?? [:] {
        do throws(SecretSource.Problem) {
          values[target.name, default: [:]][name] = try Self.value(of: source, environment)
        } catch {
          throw .secretMissing(variable: name, place: source.place, reason: error.reason)
        }
      }
    }
  }

  /// The variables of a target.
  func variables(of target: Target) -> [String: String] { values[target.name] ?? [:] }

  /// What takes the values out of what targets print.
  var redactor: Redactor {
    let all = values.values.flatMap(\.values)
    return Redactor(all.filter { $0.unicodeScalars.count >= Self.fewestCharacters })
  }

  /// A shorter value is not taken out, since it may be part of any word.
  private static let fewestCharacters = 4

  private static func value(
    of source: SecretSource,
    _ environment: [String: String]
  ) throws(SecretSource.Problem) -> String {
    switch source {
    case .variable(let name):
      return try SecretSource.value(ofVariable: name, in: environment)
    case .file(let path):
      let content: Data
      do {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        content = try file.read(upToCount: SecretSource.limit + 3) ?? Data()
      } catch {
        throw SecretSource.Problem("the file cannot be read")
      }
      return try SecretSource.value(ofContent: Array(content))
    }
  }
}

extension SecretSource {
  /// The file, or what holds the variable.
  fileprivate var place: String {
    switch self {
    case .file(let path): path
    case .variable: "environment"
    }
  }
}
