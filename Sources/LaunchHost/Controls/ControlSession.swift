import Glibc
package import LaunchCore

/// Applies the controls of a run that set something of the machine, and says what became of each.
///
/// What is set is set back by the ``Change``s that were recorded, not by the session.
package struct ControlSession {
  private let plan: ControlPlan
  private let tree: HostTree
  private let record: (Change, ControlName) throws(HostError) -> Void

  /// What was made, in order.
  private var made: [Change] = []

  /// - Parameters:
  ///   - plan: What the scenario asks for.
  ///   - tree: The machine, or a tree of files that stands in for it.
  ///   - record: Writes a change down for good; it is called before each change is made.
  package init(
    plan: ControlPlan,
    tree: HostTree = HostTree(),
    record: @escaping (Change, ControlName) throws(HostError) -> Void
  ) {
    self.plan = plan
    self.tree = tree
    self.record = record
  }

  /// The directory in which the cgroup of the run has to be made, absolute, so that a shield does
  /// not hold what is launched; nil when it may be anywhere.
  package var cgroupParent: String? {
    shield.flatMap { $0.obstacle(in: tree) == nil ? $0.cgroupParent(in: tree) : nil }
      .map { "/\($0)" }
  }

  /// Applies every control that is asked for, and reads those that are always reported.
  ///
  /// What launches has to be started afterwards: a shield takes in what runs before, but for this
  /// process.
  ///
  /// - Parameter refused: What launches cannot be given, such as processors, with the reason.
  /// - Returns: A receipt per control, in the order of the controls. There are none of what only
  ///   the launches or the run are given.
  /// - Throws: ``HostError/controlsRefused(_:)`` with every control that is required and was
  ///   refused, here or in `refused`, and what `record` throws; all that was changed is then
  ///   set back.
  package mutating func apply(
    refused: [ControlName: String] = [:]
  ) throws(HostError) -> [ControlReceipt] {
    var receipts: [ControlReceipt] = []
    var refusals = refused.filter { plan.required.contains($0.key) }
    do throws(HostError) {
      for control in controls {
        // A shield of processors that the target does not get is of no use.
        let obstacle = control.name == .shield ? refused[.cpus] : nil
        let receipt = try receipt(of: control, obstacle: obstacle)
        receipts.append(receipt)
        if plan.required.contains(control.name), let reason = receipt.reason {
          refusals[control.name] = reason
        }
      }
      if !refusals.isEmpty { throw .controlsRefused(refusals) }
    } catch {
      _ = undo(made)
      throw error
    }
    return receipts + observations(refused: refused)
  }

  /// Why controls that set something of the machine cannot be had, or not wholly, by what can be seen
  /// without a change.
  static func obstacles(to plan: ControlPlan, in tree: HostTree) -> [ControlName: String] {
    let session = ControlSession(plan: plan, tree: tree) { _, _ in }
    return session.controls.reduce(into: [:]) { obstacles, control in
      obstacles[control.name] =
        control.obstacle(in: tree)
        ?? (tree.isMachine ? missingRight(for: control.changes(in: tree)) : nil)
        ?? control.shortfall(in: tree)
    }
  }

  /// Why this user cannot make changes of the machine; nil where they can be tried.
  private static func missingRight(for changes: [Change]) -> String? {
    for change in changes {
      guard case .value = change else {
        if geteuid() != 0 { return "setting it takes root" }
        continue
      }
      if unsafe access(change.place, W_OK) != 0 {
        return "\(change.place) cannot be written to (\(errno.errorText)): run as root"
      }
    }
    return nil
  }

  // MARK: - The order

  /// The controls that are asked for.
  ///
  /// Units are stopped first: daemons such as tuned or thermald change the other values, and what
  /// they use is free afterwards. Then the agents that reclaim memory, before swap is switched
  /// off, which moves much of it. The governor goes before boost, since a driver may set boost
  /// anew with it. The shield is last: it moves every task there is, also those begun meanwhile.
  private var controls: [any Control] {
    var all: [any Control] = []
    if !plan.services.isEmpty { all.append(ServicesControl(names: plan.services)) }
    if plan.proactiveReclaim == false { all.append(ProactiveReclaimControl()) }
    if let isOn = plan.nmiWatchdog { all.append(NMIWatchdogControl(isOn: isOn)) }
    if let governor = plan.governor { all.append(GovernorControl(governor: governor)) }
    if let isOn = plan.boost { all.append(BoostControl(isOn: isOn)) }
    if let use = plan.hugePages { all.append(HugePagesControl(use: use)) }
    if plan.randomizesAddresses == true { all.append(AddressesControl()) }
    if let policy = plan.swap { all.append(SwapControl(policy: policy)) }
    if let shield { all.append(shield) }
    return all
  }

  private var shield: ShieldControl? {
    guard plan.isShielded, let cpus = plan.cpus else { return nil }
    return ShieldControl(cpus: cpus)
  }

  // MARK: - One control

  private mutating func receipt(
    of control: any Control,
    obstacle: String?
  ) throws(HostError) -> ControlReceipt {
    let before = control.reading(in: tree)
    var receipt = ControlReceipt(
      name: control.name.rawValue,
      wanted: control.wanted,
      before: before,
      after: before,
      status: .unavailable,
      reason: obstacle ?? control.obstacle(in: tree)
    )
    guard receipt.reason == nil else { return receipt }
    // What cannot be done is asked before the rest is: it may not be seen afterwards.
    receipt.reason = control.shortfall(in: tree)
    let failure = try make(control)
    receipt.status = failure == nil ? .applied : .failed
    receipt.reason = failure ?? receipt.reason
    receipt.after = control.reading(in: tree)
    return receipt
  }

  /// Makes the changes of a control, all or none.
  ///
  /// - Returns: Why they could not be made; nil when they were.
  /// - Throws: What recording throws.
  private mutating func make(_ control: any Control) throws(HostError) -> String? {
    var done: [Change] = []
    for change in control.changes(in: tree) {
      let failure = try ForcedEnd.changing { () throws(HostError) -> ControlFailure? in
        try record(change, control.name)
        do throws(HostError) {
          try change.apply(in: tree)
          done.append(change)
          if let shield = control as? ShieldControl { try shield.release(Int(getpid()), in: tree) }
          return nil
        } catch {
          return ControlFailure(of: control, at: change, error)
        }
      }
      made.append(change)
      if let failure { return ([failure.text] + undo(done)).joined(separator: "; ") }
    }
    return nil
  }

  /// Undoes changes, the last first; a change that is undone already stays so.
  ///
  /// - Returns: What could not be undone.
  private func undo(_ changes: [Change]) -> [String] {
    changes.reversed().compactMap { change in
      guard case .failed(let reason) = change.undo(in: tree) else { return nil }
      return "and it could not be restored: \(reason)"
    }
  }

  // MARK: - What is only read

  private func observations(refused: [ControlName: String]) -> [ControlReceipt] {
    var receipts: [ControlReceipt] = []
    if plan.randomizesAddresses != true { receipts.append(addresses(refusal: refused[.aslr])) }
    if plan.proactiveReclaim != false { receipts.append(ProactiveReclaim(tree: tree).receipt) }
    return receipts
  }

  /// Random addresses that are left as they are, or that each launch switches off for itself.
  private func addresses(refusal: String?) -> ControlReceipt {
    let found = AddressesControl().reading(in: tree)
    var receipt = ControlReceipt(
      name: ControlName.aslr.rawValue,
      before: found,
      after: found,
      status: .observed
    )
    if plan.randomizesAddresses == false {
      receipt.wanted = "off"
      receipt.status = refusal == nil ? .applied : .unavailable
      receipt.reason = refusal
      if refusal == nil { receipt.after = "off" }
    }
    return receipt
  }
}

/// Something of the machine that is set for the whole of a run, and set back afterwards.
///
/// A control only reads: it says what it finds and which ``Change``s it takes. Who applies them
/// writes each to the ``ControlJournal`` first.
package protocol Control: Sendable {
  var name: ControlName { get }

  /// What is asked for, for people, such as `performance`.
  var wanted: String { get }

  /// Why this machine cannot do it at all, as a sentence without a full stop and with the remedy;
  /// nil when it can be tried.
  func obstacle(in tree: HostTree) -> String?

  /// The present value, for people, such as `powersave`; nil when it cannot be read.
  func reading(in tree: HostTree) -> String?

  /// What takes the machine from its present value to the wanted one, in order; empty when it has
  /// that already.
  func changes(in tree: HostTree) -> [Change]

  /// What this machine cannot do of it although the rest can be done, as a sentence without a full
  /// stop; nil when all of it can be done.
  func shortfall(in tree: HostTree) -> String?
}

extension Control {
  package func shortfall(in tree: HostTree) -> String? { nil }
}

/// Why a change of a control could not be made, in words with the remedy.
struct ControlFailure {
  /// One sentence without a full stop.
  let text: String

  init(
    of control: any Control,
    at change: Change,
    _ error: HostError,
    isRoot: Bool = geteuid() == 0
  ) {
    let diagnostic = error.diagnostics.first
    var parts = diagnostic?.problem ?? "\(error)"
    if let place = diagnostic?.place, !parts.contains(place) { parts += " (\(place))" }
    let remedy = Self.remedy(of: control.name, at: change, isRoot: isRoot) ?? diagnostic?.remedy
    text = remedy.map { "\(parts); \($0)" } ?? parts
  }

  private static func remedy(of name: ControlName, at change: Change, isRoot: Bool) -> String? {
    guard isRoot else { return "run as root, or leave `\(name.rawValue)` out" }
    switch change {
    case .value(path: BoostControl.noTurbo, _, _):
      return "the firmware may have switched boost off: look into its set-up"
    case .value(path: NMIWatchdogControl.path, _, _):
      return "the watchdog needs a counter of the processor, which few virtual machines have"
    default: return nil
    }
  }
}
