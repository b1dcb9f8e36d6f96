import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct ValueControlsTests {
  struct Case: CustomTestStringConvertible {
    let machine: String
    let control: any Control
    let before: String
    let changes: [Change]
    var testDescription: String { "\(control.name) of \(machine)" }
  }

  static let cases = [
    Case(
      machine: "intel-notebook",
      control: HugePagesControl(use: .never),
      before: "always",
      changes: [.value(path: HugePagesControl.path, before: "always", after: "never")]
    ),
    Case(
      machine: "xeon-server",
      control: HugePagesControl(use: .madvise),
      before: "madvise",
      changes: []
    ),
    Case(
      machine: "intel-notebook",
      control: NMIWatchdogControl(isOn: false),
      before: "on",
      changes: [.value(path: NMIWatchdogControl.path, before: "1", after: "0")]
    ),
    Case(
      machine: "amd-desktop",
      control: NMIWatchdogControl(isOn: true),
      before: "on",
      changes: []
    ),
    Case(machine: "xeon-server", control: AddressesControl(), before: "on", changes: []),
    Case(
      machine: "xeon-server",
      control: SwapControl(policy: .swappiness(100)),
      before: "swappiness 10",
      changes: [.value(path: SwapControl.path, before: "10", after: "100")]
    ),
  ]

  @Test(arguments: cases) func `changes what differs`(_ sample: Case) throws {
    let machine = try MachineCopy(sample.machine)
    #expect(sample.control.obstacle(in: machine.tree) == nil)
    #expect(sample.control.reading(in: machine.tree) == sample.before)
    #expect(sample.control.changes(in: machine.tree) == sample.changes)
  }

  @Test func `makes all addresses random, and says how many were`() throws {
    let machine = try MachineCopy("amd-desktop")
    try machine.write("1", to: AddressesControl.path)
    #expect(AddressesControl().reading(in: machine.tree) == "on except for the heap")
    let changes = try AddressesControl().apply(in: machine)
    #expect(machine.text(AddressesControl.path) == "2")
    #expect(changes.undo(in: machine) == [.restored])
    #expect(machine.text(AddressesControl.path) == "1")
    try machine.write("0", to: AddressesControl.path)
    #expect(AddressesControl().reading(in: machine.tree) == "off")
  }

  @Test func `says what the kernel lacks`() throws {
    let machine = try MachineCopy("amd-desktop")
    for path in [
      HugePagesControl.path, NMIWatchdogControl.path, AddressesControl.path, SwapControl.path,
    ] {
      try machine.remove(path)
    }
    #expect(
      HugePagesControl(use: .never).obstacle(in: machine.tree)
        == "no /sys/kernel/mm/transparent_hugepage/enabled: this kernel has no transparent huge "
        + "pages; leave `thp` out"
    )
    #expect(
      NMIWatchdogControl(isOn: false).obstacle(in: machine.tree)
        == "no /proc/sys/kernel/nmi_watchdog: this kernel has no NMI watchdog; "
        + "leave `nmi_watchdog` out"
    )
    #expect(
      AddressesControl().obstacle(in: machine.tree)
        == "/proc/sys/kernel/randomize_va_space cannot be read"
    )
    #expect(
      SwapControl(policy: .off).obstacle(in: machine.tree)
        == "no /proc/sys/vm/swappiness: this kernel does not swap; leave `swap` out"
    )
  }
}
