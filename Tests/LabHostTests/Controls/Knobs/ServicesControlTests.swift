import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct ServicesControlTests {
  private static let units = "run/systemd/fixture-units"

  @Test func `stops the active timers and services, and starts those again`() throws {
    let machine = try MachineCopy("amd-desktop")
    try machine.write("inactive", to: "\(Self.units)/fstrim.timer")
    let control = ServicesControl(names: ["cron", "timers"])
    #expect(control.wanted == "stopped: cron.service, timers")
    #expect(control.obstacle(in: machine.tree) == nil)
    #expect(
      control.reading(in: machine.tree)
        == "active: apt-daily.timer, dpkg-db-backup.timer, cron.service"
    )
    let changes = try control.apply(in: machine)
    #expect(
      changes == [
        .unit(name: "apt-daily.timer"), .unit(name: "dpkg-db-backup.timer"),
        .unit(name: "cron.service"),
      ]
    )
    #expect(control.reading(in: machine.tree) == "none active")
    #expect(changes.undo(in: machine) == [.restored, .restored, .restored])
    #expect(machine.text("\(Self.units)/apt-daily.timer") == "active")
    #expect(machine.text("\(Self.units)/fstrim.timer") == "inactive")
  }

  @Test func `stops those that need a unit by name, and starts them after it`() throws {
    let machine = try MachineCopy("amd-desktop")
    for (unit, state) in [("a.socket", "active"), ("a.service", "active"), ("b.service", "active")]
    {
      try machine.write(state, to: "\(Self.units)/\(unit)")
    }
    try machine.write("inactive", to: "\(Self.units)/c.service")
    try machine.write("a.service c.service", to: "\(Self.units)/a.socket.RequiredBy")
    try machine.write("b.service", to: "\(Self.units)/a.service.ConsistsOf")
    try machine.write("a.socket", to: "\(Self.units)/b.service.BoundBy")
    let control = ServicesControl(names: ["a.socket", "b"])
    let changes = try control.apply(in: machine)
    #expect(
      changes == [
        .unit(name: "b.service"), .unit(name: "a.service"), .unit(name: "a.socket"),
      ]
    )
    #expect(changes.undo(in: machine) == [.restored, .restored, .restored])
    #expect(machine.text("\(Self.units)/c.service") == "inactive")
  }

  @Test func `names units that there are not`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.write("masked", to: "\(Self.units)/smartd.service")
    let control = ServicesControl(names: ["crond", "smartd.service", "cron.service"])
    #expect(
      control.obstacle(in: machine.tree)
        == "systemd knows no unit crond.service, smartd.service: "
        + "list them with `systemctl list-units --all`"
    )
  }

  @Test func `says that systemd does not run`() throws {
    let machine = try MachineCopy("xeon-server")
    try machine.remove("run/systemd/system")
    #expect(ServicesControl(names: ["timers"]).reading(in: machine.tree) == nil)
    #expect(
      ServicesControl(names: ["timers"]).obstacle(in: machine.tree)
        == "systemd does not run here: leave `services` out, and stop by hand what would disturb"
    )
  }
}
