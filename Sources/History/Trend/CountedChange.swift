package import Gate
import LaunchCore
import LaunchStore
import Measuring
import Rendering
import Scenarios

/// A change of what is launched, or of what launches do, that a night has counted.
package struct CountedChange: Hashable, Sendable {
  /// The run of the first night with it.
  package var run: String

  /// The change since the night before, or since the last change of the figure.
  package var finding: GateFinding

  /// Whether it asks for something: a thing that is there tonight and is not allowed, or a figure that
  /// is over its limit since tonight.
  package var isOpen: Bool

  package init(run: String, finding: GateFinding, isOpen: Bool) {
    self.run = run
    self.finding = finding
    self.isOpen = isOpen
  }
}

extension CountedChange {
  /// Reads what has changed in the nights on a host.
  ///
  /// - Parameters:
  ///   - scenario: That of the last night, whose rules hold.
  ///   - nights: Ascending; those on the host of the last one count.
  ///   - store: It is only read.
  /// - Returns: The newest changes first, and what is wrong with the file of approvals.
  /// - Throws: `StoreError`.
  static func changes(
    of scenario: Scenario,
    in nights: [Night],
    from store: Store
  ) throws -> (changes: [Self], notes: [Diagnostic]) {
    guard let rules = scenario.gate, let tonight = nights.last else { return ([], []) }
    var notes: [Diagnostic] = []
    var approvals: [GateApproval] = []
    do {
      approvals = try ApprovalsFile.approvals(at: GateWorkflow.approvalsPath(of: scenario))
    } catch {
      notes = error.diagnostics
    }
    let inventories = try store.inventories(
      scenario: scenario.name,
      of: .host(identity: tonight.identity)
    )
    var trends: [String: InventoryTrend] = [:]
    let first = InventoryTrend(rules: rules, approvals: approvals, day: tonight.startedAt.utcDay)
    let found = nights.filter { !tonight.isOnOtherHost(than: $0) }.map { night in
      (inventories[night.run] ?? []).flatMap { inventory in
        trends[inventory.target, default: first].changes(in: inventory)
          .map { Self(run: night.run, finding: $0, isOpen: false) }
      }
    }
    // The newest word on a thing holds.
    var seen: [String: Set<GateThing>] = [:]
    let changes = found.reversed().joined().map { change in
      var change = change
      let finding = change.finding
      let isNewest =
        if let thing = finding.thing {
          seen[finding.target, default: []].insert(thing).inserted
        } else {
          change.run == tonight.run
        }
      change.isOpen =
        isNewest && (finding.verdict == .failed || finding.verdict == .needsApproval)
      return change
    }
    return (changes, notes)
  }
}

/// Changes that nights have counted, in words.
struct CountedWords {
  /// Those that are told together: of one night, target, rule, and of what is new or gone.
  struct Group {
    var changes: [CountedChange]

    var finding: GateFinding { changes[0].finding }
    var run: String { changes[0].run }

    /// Such as `2 libraries more: libfoo.so.1, libbar.so`, or `system calls 204 → 240 (+17.6 %)`.
    var text: String {
      guard let thing = finding.thing else {
        let values = [finding.base, finding.head].compactMap(\.self).joined(separator: " → ")
        return "\(finding.item) \(values) (\(finding.change ?? ""))"
      }
      let count = Quantity.count(changes.count, thing.kind.rawValue, plural: plural(thing.kind))
      let names = changes.prefix(CountedWords.shown).map(\.finding.item).joined(separator: ", ")
      let rest = changes.count - CountedWords.shown
      return
        "\(count) \(finding.change == "gone" ? "less" : "more"): \(names)"
        + (rest > 0 ? " and \(rest) more" : "")
    }

    private func plural(_ kind: GateApproval.Kind) -> String {
      kind == .library ? "libraries" : "\(kind.rawValue)s"
    }
  }

  /// How many things are named one by one.
  private static let shown = 3

  /// Changes by what is told together, in their order.
  static func groups(_ changes: [CountedChange]) -> [Group] {
    var groups: [Group] = []
    for change in changes {
      let same = groups.firstIndex { group in
        group.run == change.run && group.finding.target == change.finding.target
          && group.finding.rule == change.finding.rule
          && group.finding.verdict == change.finding.verdict
          && group.finding.change == change.finding.change
          && change.finding.thing != nil
      }
      if let same {
        groups[same].changes.append(change)
      } else {
        groups.append(Group(changes: [change]))
      }
    }
    return groups
  }
}

extension TrendSummary {
  /// What of the changes that were counted asks for something.
  var openChanges: [CountedChange] { countedChanges.filter(\.isOpen) }
}
