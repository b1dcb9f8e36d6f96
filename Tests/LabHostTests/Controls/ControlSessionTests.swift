import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ControlSessionTests {
  /// What a session wrote down before it changed something.
  final class Record {
    var changes: [Change] = []
    var controls: [ControlName] = []

    /// Done when a change is written down, right before it is made.
    var meanwhile: (Change) throws(HostError) -> Void = { _ in }

    func add(_ change: Change, of control: ControlName) throws(HostError) {
      changes.append(change)
      controls.append(control)
      try meanwhile(change)
    }
  }

  private let record = Record()

  private func session(_ plan: ControlPlan, on machine: MachineCopy) -> ControlSession {
    ControlSession(plan: plan, tree: machine.tree) { [record] change, control throws(HostError) in
      try record.add(change, of: control)
    }
  }

  private func receipts(
    _ plan: ControlPlan,
    on machine: MachineCopy
  ) throws -> [String: ControlReceipt] {
    var session = session(plan, on: machine)
    let receipts = try session.apply()
    return Dictionary(receipts.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Everything on the notebook that can be tried in a tree of files.
  private static let everything = ControlPlan(
    cpus: [3],
    randomizesAddresses: true,
    governor: "performance",
    boost: false,
    hugePages: .never,
    swap: .swappiness(1),
    nmiWatchdog: false,
    services: ["timers"],
    proactiveReclaim: false
  )

  @Test func `applies what is asked for, in one order, and says so`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("1", to: AddressesControl.path)
    var session = session(Self.everything, on: machine)
    let receipts = try session.apply()
    #expect(
      receipts.map { "\($0.name): \($0.before ?? "?") -> \($0.after ?? "?"), \($0.status)" } == [
        "services: active: apt-daily-upgrade.timer, apt-daily.timer, fstrim.timer, "
          + "logrotate.timer, man-db.timer, systemd-tmpfiles-clean.timer -> none active, applied",
        "proactive_reclaim: none -> none, applied",
        "nmi_watchdog: on -> off, applied",
        "governor: powersave -> performance, applied",
        "boost: on -> off, applied",
        "thp: always -> never, applied",
        "aslr: on except for the heap -> on, applied",
        "swap: swappiness 60 -> swappiness 1, applied",
        "shield: 0-3 -> 0-2, applied",
      ]
    )
    #expect(receipts.allSatisfy { $0.reason == nil })
    #expect(
      record.controls.withoutRepetitions
        == [.services, .nmiWatchdog, .governor, .boost, .thp, .aslr, .swap, .shield]
    )
  }

  @Test func `writes each change down before it makes it`() throws {
    let machine = try MachineCopy("intel-notebook")
    var found: [String?] = []
    record.meanwhile = { _ in found.append(machine.text(NMIWatchdogControl.path)) }
    _ = try receipts(ControlPlan(nmiWatchdog: false), on: machine)
    #expect(found == ["1"])
    #expect(machine.text(NMIWatchdogControl.path) == "0")
  }

  @Test func `undoes all of it by what was written down`() throws {
    let machine = try MachineCopy("intel-notebook")
    _ = try receipts(Self.everything, on: machine)
    #expect(record.changes.undo(in: machine).allSatisfy { $0 == .restored })
    let controls: [any Control] = [
      GovernorControl(governor: "powersave"), BoostControl(isOn: true),
      HugePagesControl(use: .always), NMIWatchdogControl(isOn: true),
      SwapControl(policy: .swappiness(60)),
    ]
    for control in controls { #expect(control.changes(in: machine.tree).isEmpty) }
    #expect(ShieldControl(cpus: [3]).reading(in: machine.tree) == "0-3")
  }

  @Test func `only observes where nothing is asked for`() throws {
    let machine = try MachineCopy("intel-notebook")
    var session = session(ControlPlan(), on: machine)
    #expect(
      try session.apply() == [
        ControlReceipt(name: "aslr", before: "on", after: "on", status: .observed),
        ControlReceipt(
          name: "proactive_reclaim",
          before: "none",
          after: "none",
          status: .observed
        ),
      ]
    )
    #expect(record.changes.isEmpty)
  }

  @Test func `leaves it to launches to switch random addresses off`() throws {
    let machine = try MachineCopy("intel-notebook")
    let plan = ControlPlan(randomizesAddresses: false)
    let applied = try #require(try receipts(plan, on: machine)["aslr"])
    #expect(applied.wanted == "off")
    #expect(applied.after == "off")
    #expect(applied.status == .applied)
    var session = session(plan, on: machine)
    let refused = try session.apply(refused: [.aslr: "a seccomp filter forbids it"]).first
    #expect(refused?.after == "on")
    #expect(refused?.status == .unavailable)
    #expect(refused?.reason == "a seccomp filter forbids it")
    #expect(machine.text(AddressesControl.path) == "2")
  }

  @Test func `says what a machine cannot do, and does the rest`() throws {
    let machine = try MachineCopy("intel-notebook")
    let plan = ControlPlan(governor: "ondemand", hugePages: .never)
    let receipts = try receipts(plan, on: machine)
    #expect(receipts["governor"]?.status == .unavailable)
    #expect(receipts["governor"]?.reason?.contains("knows no governor \"ondemand\"") == true)
    #expect(receipts["governor"]?.after == "powersave")
    #expect(receipts["thp"]?.status == .applied)
  }

  @Test func `says what of a control was left`() throws {
    let machine = try MachineCopy("xeon-server")
    let receipt = try #require(try receipts(ControlPlan(swap: .off), on: machine)["swap"])
    #expect(receipt.status == .applied)
    #expect(receipt.after == "swappiness 0, on: /dev/sda5, /srv/swap file")
    #expect(receipt.reason?.hasPrefix("the swap areas stay on: they hold 3.0 GiB") == true)
  }

  @Test func `shields no processors that the target does not get`() throws {
    let machine = try MachineCopy("intel-notebook")
    var session = session(ControlPlan(cpus: [9]), on: machine)
    let receipt = try #require(try session.apply(refused: [.cpus: "only 0-3 are on"]).first)
    #expect(receipt.name == "shield")
    #expect(receipt.status == .unavailable)
    #expect(receipt.reason == "only 0-3 are on")
    #expect(record.changes.isEmpty)
  }

  // MARK: - Failures

  /// Lets the machine refuse the third policy's governor.
  private func breakThirdPolicy(of machine: MachineCopy) {
    let path = "\(CPUFrequencyPolicies.directory)/policy2/scaling_governor"
    record.meanwhile = { change throws(HostError) in
      guard case .value(path, _, _) = change else { return }
      try? machine.remove(path)
      try? machine.write("", to: "\(path)/directory")
    }
  }

  @Test func `takes a control back whole that fails in part`() throws {
    let machine = try MachineCopy("xeon-server")
    breakThirdPolicy(of: machine)
    let plan = ControlPlan(governor: "performance", hugePages: .never)
    let receipts = try receipts(plan, on: machine)
    #expect(receipts["governor"]?.status == .failed)
    #expect(receipts["governor"]?.after == "ondemand")
    #expect(receipts["governor"]?.reason?.contains("policy2/scaling_governor") == true)
    #expect(receipts["thp"]?.status == .applied)
  }

  @Test func `names every required control that was refused, and leaves nothing changed`() throws {
    let machine = try MachineCopy("xeon-server")
    breakThirdPolicy(of: machine)
    var plan = Self.everything
    plan.cpus = [0, 1, 2, 3]
    plan.swap = .off
    plan.required = [.governor, .shield, .thp, .swap, .network, .cpus]
    var session = session(plan, on: machine)
    let error = #expect(throws: HostError.self) {
      try session.apply(refused: [.network: "no namespaces", .priority: "not required"])
    }
    guard case .controlsRefused(let reasons) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(Set(reasons.keys) == [.governor, .shield, .swap, .network])
    #expect(reasons[.network] == "no namespaces")
    #expect(machine.text(HugePagesControl.path) == "madvise")
    #expect(machine.text(SwapControl.path) == "10")
    #expect(machine.text(BoostControl.boost) == "1")
    #expect(ServicesControl(names: ["timers"]).changes(in: machine.tree).count == 2)
  }

  @Test func `leaves nothing changed when a change cannot be written down`() throws {
    let machine = try MachineCopy("intel-notebook")
    let full = HostError.system(operation: "write the journal", path: nil, errno: 28)
    record.meanwhile = { change throws(HostError) in
      if case .value(HugePagesControl.path, _, _) = change { throw full }
    }
    var session = session(Self.everything, on: machine)
    #expect(throws: full) { try session.apply() }
    #expect(machine.text(NMIWatchdogControl.path) == "1")
    #expect(machine.text(HugePagesControl.path) == "[always] madvise never")
  }

  @Test func `wants the cgroup of the run outside of a shield that can be had`() throws {
    let plan = ControlPlan(cpus: [1])
    #expect(session(plan, on: try MachineCopy("intel-notebook")).cgroupParent == "/sys/fs/cgroup")
    #expect(session(plan, on: try MachineCopy("amd-desktop")).cgroupParent == nil)
    #expect(session(plan, on: try MachineCopy("xeon-server")).cgroupParent == nil)
  }

  @Test func `names the remedy for users and for what the hardware lacks`() {
    let noTurbo = Change.value(path: BoostControl.noTurbo, before: "1", after: "0")
    let error = HostError.system(operation: "write the file", path: "/x", errno: 1)
    let boost = BoostControl(isOn: true)
    #expect(
      ControlFailure(of: boost, at: noTurbo, error, isRoot: false).text
        == "cannot write the file: operation not permitted (/x); "
        + "run as root, or leave `boost` out"
    )
    #expect(
      ControlFailure(of: boost, at: noTurbo, error, isRoot: true).text
        == "cannot write the file: operation not permitted (/x); "
        + "the firmware may have switched boost off: look into its set-up"
    )
  }
}
