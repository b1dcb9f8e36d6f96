import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct ProactiveReclaimControlTests {
  private static let agent = "sys/kernel/mm/damon/admin/kdamonds"
  private static let enabled = "sys/module/damon_reclaim/parameters/enabled"

  private let control = ProactiveReclaimControl()

  @Test func `switches off the agents that cool pages, and no other`() throws {
    let machine = try MachineCopy("amd-desktop")
    try machine.write("Y", to: Self.enabled)
    for (number, action) in ["pageout", "stat"].enumerated() {
      try machine.write("on", to: "\(Self.agent)/\(number)/state")
      try machine.write(action, to: "\(Self.agent)/\(number)/contexts/0/schemes/0/action")
    }
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(control.reading(in: machine.tree) == "DAMON pageout, DAMON reclaim")
    let changes = try control.apply(in: machine)
    #expect(
      changes == [
        .value(path: "\(Self.agent)/0/state", before: "on", after: "off"),
        .value(path: Self.enabled, before: "Y", after: "N"),
      ]
    )
    #expect(control.reading(in: machine.tree) == "none")
    #expect(changes.undo(in: machine) == [.restored, .restored])
    #expect(control.reading(in: machine.tree) == "DAMON pageout, DAMON reclaim")
  }

  @Test func `has nothing to do where none is on`() throws {
    let machine = try MachineCopy("amd-desktop")
    #expect(control.reading(in: machine.tree) == "none")
    #expect(control.changes(in: machine.tree).isEmpty)
  }

  @Test func `says that the state is told only to root`() throws {
    let machine = try MachineCopy("intel-notebook")
    try machine.write("pageout", to: "\(Self.agent)/0/contexts/0/schemes/0/action")
    #expect(
      control.obstacle(in: machine.tree)
        == "only root can see the state of DAMON: run as root"
    )
  }
}
