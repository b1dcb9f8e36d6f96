package import Foundation
import LaunchCore

/// Reads what ``SelfTestJSON`` wrote, as far as hosts are compared by it.
package enum SelfTestDocument {
  package static let schema = "launchlab.selftest/1"

  /// Why a text is not the result of a self-test.
  package enum Problem: Error, Hashable, Sendable {
    case notJSON

    /// It is JSON of another kind; `schema` is what it says of itself.
    case otherKind(schema: String?)

    /// A value is missing or impossible; the reason is a phrase such as `noise[0].pairs is missing`.
    case damaged(reason: String)
  }

  /// Reads the noise of a host.
  ///
  /// - Parameters:
  ///   - data: The JSON text.
  ///   - name: What the host is called beside others, such as the file.
  /// - Returns: The host, with at least one state.
  /// - Throws: ``Problem``.
  package static func host(_ data: Data, name: String) throws(Problem) -> HostStability {
    guard (try? JSONSerialization.jsonObject(with: data)) != nil else { throw .notJSON }
    let kind = (try? JSONDecoder().decode(Kind.self, from: data))?.schema
    guard kind == schema else { throw .otherKind(schema: kind) }
    let content: Content
    do {
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch {
      throw .damaged(reason: reason(of: error))
    }
    guard !content.noise.isEmpty else { throw .damaged(reason: "no state was measured") }
    return HostStability(
      name: name,
      cpuModel: content.host.cpuModel,
      fingerprint: content.host.fingerprint,
      command: content.command,
      noise: content.noise.map { noise(of: $0, in: content) }
    )
  }

  private static func noise(of state: Content.State, in content: Content) -> HostNoise {
    HostNoise(
      run: content.run.id,
      measuredAt: (try? Date(content.run.startedAt, strategy: .iso8601)) ?? .distantPast,
      fingerprint: content.host.fingerprint,
      command: content.command,
      state: state.state,
      pairs: state.pairs,
      median: state.median,
      coefficientOfVariation: state.cv,
      detectable: state.detectable,
      comparisons: state.comparisons,
      falseAlarms: state.falseAlarms
    )
  }

  private static func reason(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context):
      return "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return "\(place(context.codingPath)) is of another kind"
    @unknown default: return "\(error)"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }

  private struct Kind: Decodable { var schema: String }

  private struct Content: Decodable {
    var run: Run
    var host: Host
    var command: [String]
    var noise: [State]

    struct Run: Decodable {
      var id: String
      var startedAt: String

      enum CodingKeys: String, CodingKey {
        case id
        case startedAt = "started_at"
      }
    }

    struct Host: Decodable {
      var fingerprint: String
      var cpuModel: String?

      enum CodingKeys: String, CodingKey {
        case fingerprint
        case cpuModel = "cpu_model"
      }
    }

    struct State: Decodable {
      var state: LaunchState
      var pairs: Int
      var median: Double
      var cv: Double
      var detectable: [DetectableEffect]
      var comparisons: Int
      var falseAlarms: Int

      enum CodingKeys: String, CodingKey {
        case state, pairs, cv, detectable, comparisons
        case median = "median_ns"
        case falseAlarms = "false_alarms"
      }
    }
  }
}
