import LabTestSupport
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct UnitChangeTests {
  private let fixture = FixtureTree()
  private let change = Change.unit(name: "cron.service")

  /// A systemctl whose units are files, with their states in them.
  private static let systemctl = """
    #!/bin/sh
    root=$(dirname "$0")/../..
    for name; do :; done
    unit=$root/units/$name
    [ "$1" = show ] || echo "$*" >> "$root/log"
    case $1 in
      show) echo "LoadState=$(cat "$unit.load")"; echo "ActiveState=$(cat "$unit.active")" ;;
      stop | start)
        [ -e "$root/refusal" ] && { cat "$root/refusal" >&2; exit 1; }
        if [ "$1" = stop ]; then echo inactive; else echo active; fi > "$unit.active" ;;
    esac

    """

  @Test func `stops a unit and starts it again`() throws {
    try prepare(active: "active")
    try change.apply(in: fixture.tree)
    #expect(fixture.text(at: "units/cron.service.active") == "inactive")
    #expect(change.undo(in: fixture.tree) == .restored)
    #expect(fixture.text(at: "units/cron.service.active") == "active")
    #expect(fixture.text(at: "log") == "stop -- cron.service\nstart -- cron.service")
  }

  @Test(arguments: ["active", "activating"])
  func `leaves a unit alone that runs`(active: String) throws {
    try prepare(active: active)
    #expect(change.undo(in: fixture.tree) == .alreadyRestored)
    #expect(fixture.text(at: "log") == nil)
  }

  @Test(arguments: ["masked", "not-found"])
  func `does not start a unit that somebody took away`(load: String) throws {
    try prepare(active: "inactive", load: load)
    #expect(change.undo(in: fixture.tree) == .foreign(found: load))
    #expect(fixture.text(at: "log") == nil)
  }

  @Test func `says what systemctl says`() throws {
    try prepare(active: "active")
    try fixture.write("Access denied\n", to: "refusal")
    let error = #expect(throws: HostError.self) { try change.apply(in: fixture.tree) }
    #expect(
      error?.text == """
        error: cannot stop the unit: it is still active: Access denied
          at: cron.service
        """
    )
    try fixture.write("inactive\n", to: "units/cron.service.active")
    let undoing = change.undo(in: fixture.tree)
    #expect(undoing == .failed(reason: "it is inactive after it was started: Access denied"))
  }

  @Test func `says that there is no systemctl`() {
    #expect(change.undo(in: fixture.tree) == .failed(reason: "there is no program systemctl"))
  }

  private func prepare(active: String, load: String = "loaded") throws {
    try fixture.write(Self.systemctl, to: "usr/bin/systemctl", mode: 0o755)
    try fixture.write("\(active)\n", to: "units/cron.service.active")
    try fixture.write("\(load)\n", to: "units/cron.service.load")
  }
}
