/// The controls that were asked for and are not had, or only in part.
package struct UnmetControls: Hashable, Sendable {
  /// The id of the warning.
  package static let id = "controls-not-applied"

  private let items: [Item]

  private struct Item: Hashable {
    var name: ControlName

    /// A sentence without a full stop.
    var reason: String

    /// Whether the rest of it was done.
    var isPartly: Bool
  }

  /// What became of the controls of a plan.
  ///
  /// - Parameters:
  ///   - plan: What was asked for.
  ///   - receipts: Of a run.
  package init(_ plan: ControlPlan, receipts: [ControlReceipt]) {
    items = receipts.compactMap { receipt in
      guard let name = ControlName(rawValue: receipt.name), plan.setting(of: name) != nil else {
        return nil
      }
      switch receipt.status {
      case .observed: return nil
      case .applied:
        // Of disturbances all is watched that the machine shows.
        guard let reason = receipt.reason, name != .steal else { return nil }
        return Item(name: name, reason: reason, isPartly: true)
      case .failed, .unavailable:
        return Item(name: name, reason: receipt.reason ?? "it cannot be set", isPartly: false)
      }
    }
  }

  /// What a plan would not have.
  ///
  /// - Parameter obstacles: Why not, by control, as sentences without a full stop.
  package init(obstacles: [ControlName: String]) {
    items = ControlName.allCases.compactMap { name in
      obstacles[name].map { Item(name: name, reason: $0, isPartly: false) }
    }
  }

  /// One warning for all of them; nil where everything is had.
  package var warning: Diagnostic? {
    guard let first = items.first else { return nil }
    return Diagnostic(
      .warning,
      id: Self.id,
      problem: items.count == 1
        ? "control not applied\(first.isPartly ? " in full" : ""): \(first.name.rawValue): "
          + first.reason
        : "controls not applied: \(names.joined(separator: ", ")); "
          + reasons.joined(separator: "; "),
      remedy:
        "leave them out, or name them under `require`, so that nothing is launched without them"
    )
  }

  private var names: [String] {
    items.map { $0.name.rawValue + ($0.isPartly ? " (in part)" : "") }
  }

  /// A reason that several controls share is told once.
  private var reasons: [String] {
    items.enumerated().compactMap { index, item in
      items[..<index].contains { $0.reason == item.reason }
        ? nil : "\(item.name.rawValue): \(item.reason)"
    }
  }
}
