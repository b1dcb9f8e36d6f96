import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SwapControlTests {
  private let control = SwapControl(policy: .off)

  @Test func `switches areas off where memory takes what they hold`() throws {
    let machine = try MachineCopy("intel-notebook")
    #expect(control.reading(in: machine.tree) == "swappiness 60, on: /dev/nvme0n1p3")
    #expect(control.shortfall(in: machine.tree) == nil)
    #expect(
      control.changes(in: machine.tree) == [
        .value(path: SwapControl.path, before: "60", after: "0"),
        .swapArea(path: "dev/nvme0n1p3", priority: -2),
      ]
    )
  }

  @Test func `switches the lowest priority off first, and so on last`() throws {
    let machine = try MachineCopy("amd-desktop")
    #expect(
      control.changes(in: machine.tree).dropFirst() == [
        .swapArea(path: "swapfile", priority: -2),
        .swapArea(path: "dev/zram0", priority: 100),
      ]
    )
  }

  @Test func `leaves areas on that hold more than memory has room for`() throws {
    let machine = try MachineCopy("xeon-server")
    #expect(
      control.changes(in: machine.tree)
        == [.value(path: SwapControl.path, before: "10", after: "0")]
    )
    #expect(
      control.shortfall(in: machine.tree)
        == "the swap areas stay on: they hold 3.0 GiB, and of the memory 1.1 GiB are available, "
        + "0.8 GiB of which must stay free; end programs that use memory"
    )
    #expect(SwapControl(policy: .swappiness(1)).shortfall(in: machine.tree) == nil)
  }

  @Test func `reads white space in the path of an area`() throws {
    let machine = try MachineCopy("xeon-server")
    #expect(SwapAreas(tree: machine.tree).all.map(\.path) == ["/srv/swap file", "/dev/sda5"])
  }

  @Test func `leaves an area on whose file was removed`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write(
      "Filename Type Size Used Priority\n/srv/swap\\040(deleted) file 4096 0 -2",
      to: "proc/swaps"
    )
    #expect(SwapAreas(tree: machine.tree).switchable.isEmpty)
    #expect(
      control.shortfall(in: machine.tree)
        == "/srv/swap (deleted) stays on: without its file it could not be switched on again"
    )
  }

  @Test func `says that there is no area`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("Filename Type Size Used Priority", to: "proc/swaps")
    #expect(control.reading(in: machine.tree) == "swappiness 60, no area")
  }
}
