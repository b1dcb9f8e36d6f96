/// How one launch ended.
package enum Outcome: Hashable, Codable, Sendable {
  /// The target became ready in time.
  case ready

  /// The target exited before it was ready, or with a status other than 0.
  case exited(code: Int32)

  /// A signal ended the target before it was ready.
  case signalled(signal: Int32)

  /// The target was not ready within its timeout.
  case timedOut

  /// The target could not be started at all.
  case notStarted(reason: String)
}

extension Outcome {
  /// The name used in JSON, the store and reports: the case without its values.
  package var name: String {
    switch self {
    case .ready: "ready"
    case .exited: "exited"
    case .signalled: "signalled"
    case .timedOut: "timed-out"
    case .notStarted: "not-started"
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// The outcome with its values, such as `exited with status 3`.
  package var description: String {
    switch self {
    case .ready: "ready"
    case .exited(let code): "exited with status \(code)"
    case .signalled(let signal): "ended by signal \(signal)"
    case .timedOut: "timed out"
    case .notStarted(let reason): "not started: \(reason)"
    }
  }
}
