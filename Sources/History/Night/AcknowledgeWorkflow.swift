import Foundation
package import LaunchCore
import LaunchStore
package import Measuring

/// What a person says of an alert: that its level is the normal one, that it is a false alarm, or that
/// neither is the case after all.
package struct AcknowledgeWorkflow {
  private let paths: [String]
  private let context: WorkflowContext

  /// - Parameters:
  ///   - store: The SQLite file; nil means those of the working directory and right below.
  ///   - context: Says what the working directory is.
  /// - Throws: ``WorkflowError/nothingStored(store:)`` when there is no store.
  package init(store: String?, in context: WorkflowContext) throws {
    self.context = context
    paths = try StoreLocation.paths(store, from: context.directory)
  }

  /// Acknowledges an open alert.
  ///
  /// - Parameters:
  ///   - id: Such as `R-17`.
  ///   - reason: Why, in a person's own words; it is kept with the alert.
  /// - Returns: The alert as it is stored now.
  /// - Throws: ``WorkflowError`` for an id or a reason that is none, an alert that is not there, is
  ///   acknowledged already or has ended; `StoreError`.
  package func acknowledge(_ id: String, reason: String) throws -> Alert {
    try decide(id, reason, saying: "why the new level is the normal one") { alert in
      guard alert.isOpen, alert.state != .acknowledged else { throw Self.notOpen(alert) }
      return (.acknowledged, alert.cause)
    }
  }

  /// Ends an open alert as a false alarm.
  ///
  /// - Parameters: As of ``acknowledge(_:reason:)``.
  /// - Returns: The alert as it is stored now.
  /// - Throws: ``WorkflowError`` for an id or a reason that is none, an alert that is not there or has
  ///   ended; `StoreError`.
  package func dismiss(_ id: String, reason: String) throws -> Alert {
    try decide(id, reason, saying: "why it is a false alarm") { alert in
      guard alert.isOpen else { throw Self.notOpen(alert) }
      return (.refuted, alert.cause)
    }
  }

  /// Takes back what a person said last of an alert: it is again as the nights left it.
  ///
  /// - Parameters: As of ``acknowledge(_:reason:)``.
  /// - Returns: The alert as it is stored now.
  /// - Throws: ``WorkflowError`` for an id or a reason that is none, or an alert that is not there or of
  ///   which nobody said anything last; `StoreError`.
  package func reopen(_ id: String, reason: String) throws -> Alert {
    try decide(id, reason, saying: "why the decision is taken back") { alert in
      guard alert.isDecided, let before = alert.events.last(where: { $0.run != nil }) else {
        throw WorkflowError.notDecided(id: alert.id, state: alert.state)
      }
      return (before.state, before.cause)
    }
  }

  /// Stores what a person says of an alert.
  ///
  /// - Parameters:
  ///   - id: Such as `R-17`.
  ///   - reason: In the person's own words.
  ///   - subject: What the reason is for.
  ///   - outcome: The state and the cause from then on.
  /// - Returns: The alert as it is stored now.
  /// - Throws: ``WorkflowError``, `StoreError`, and what `outcome` throws.
  private func decide(
    _ id: String,
    _ reason: String,
    saying subject: String,
    _ outcome: (Alert) throws -> (Alert.State, Alert.Cause)
  ) throws -> Alert {
    guard let number = Alert.number(in: id) else {
      throw WorkflowError.notAnAlertID(id)
    }
    let words = try GivenReason.checked(reason, saying: subject)
    let store = try self.store(of: number)
    var alert = try store.alert(number)
    (alert.state, alert.cause) = try outcome(alert)
    alert.events.append(
      AlertEvent(
        at: context.now(),
        person: context.person,
        state: alert.state,
        cause: alert.cause,
        reason: words
      )
    )
    try store.save([alert])
    return alert
  }

  private static func notOpen(_ alert: Alert) -> WorkflowError {
    let past = alert.events.last.map { event in
      let by = event.person.map { " by \($0)" } ?? ""
      return ", since \(event.at.formatted(.iso8601))\(by): \(event.reason)"
    }
    return .cannotAcknowledge(id: alert.id, state: alert.state, since: past ?? "")
  }

  /// The one store that holds an alert, open for writing.
  private func store(of number: Int) throws -> Store {
    if paths.count == 1 { return try Self.store(at: paths[0], with: number) }
    let holders = paths.filter { path in
      (try? Store(path: path, mode: .readOnly).alert(number)) != nil
    }
    guard holders.count <= 1 else {
      throw WorkflowError.ambiguousAlert(id: "R-\(number)", stores: holders)
    }
    return try Self.store(at: holders.first ?? paths[0], with: number)
  }

  private static func store(at path: String, with number: Int) throws -> Store {
    let store = try Store.writable(at: path)
    do {
      _ = try store.alert(number)
    } catch StoreError.unknownAlert {
      let open = try store.alerts(scenario: nil)
        .filter { $0.isOpen && $0.state != .acknowledged }.map(\.number).sorted()
      throw WorkflowError.unknownAlert(id: "R-\(number)", open: open.map { "R-\($0)" })
    }
    return store
  }
}

extension WorkflowContext {
  /// The account that gives the command, or the one behind `sudo`.
  var person: String {
    let behind = environment["SUDO_USER"] ?? ""
    let name = NSUserName()
    return name == "root" && !behind.isEmpty ? behind : name.isEmpty ? "unknown" : name
  }
}

/// A reason in a person's own words, as it is kept.
enum GivenReason {
  /// The longest reason, in characters.
  private static let mostCharacters = 500

  /// The reason on one line.
  ///
  /// - Parameters:
  ///   - reason: As it was given with `--reason`.
  ///   - subject: What the reason is for, as a phrase such as `why the run does not count`.
  /// - Returns: The words with single spaces between them.
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for an empty or a long one.
  static func checked(_ reason: String, saying subject: String) throws(WorkflowError) -> String {
    let words = reason.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
    guard !words.isEmpty, words.count <= mostCharacters else {
      throw WorkflowError.badOption(
        name: "--reason",
        value: String(words.prefix(40)),
        expected: "\(subject), in at most \(mostCharacters) characters"
      )
    }
    return words
  }
}
