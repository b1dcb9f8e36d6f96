import Foundation

/// A systemd unit that is stopped, and started again.
struct UnitChange {
  var name: String

  func apply(in tree: HostTree) throws(ChangeFailure) {
    let stop = try systemctl(["stop", "--", name], in: tree)
    let state = try state(in: tree)
    guard !state.isActive else {
      throw ChangeFailure("it is still \(state.active)\(Self.told(stop))")
    }
  }

  /// Starts the unit unless it is active; one that somebody masked or removed meanwhile stays.
  func undo(in tree: HostTree) throws(ChangeFailure) -> Undoing {
    let before = try state(in: tree)
    if before.isActive { return .alreadyRestored }
    if ["masked", "not-found"].contains(before.load) { return .foreign(found: before.load) }
    let start = try systemctl(["start", "--", name], in: tree)
    let after = try state(in: tree)
    guard after.isActive else {
      throw ChangeFailure("it is \(after.active) after it was started\(Self.told(start))")
    }
    return .restored
  }

  /// The states of a unit; systemctl(1).
  private struct State {
    var load: String
    var active: String

    var isActive: Bool { UnitProperties.isActive(active) }
  }

  private func state(in tree: HostTree) throws(ChangeFailure) -> State {
    let names = ["LoadState", "ActiveState"]
    let text = try systemctl(UnitProperties.arguments(names, of: name), in: tree)
    let properties = UnitProperties(text)
    guard let load = properties("LoadState"), let active = properties("ActiveState") else {
      throw ChangeFailure("systemctl does not tell its state\(Self.told(text))")
    }
    return State(load: load, active: active)
  }

  private static func told(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    return line.isEmpty ? "" : ": \(line)"
  }

  /// Runs systemctl, and gives what it prints; whether it worked is asked of the unit's state.
  private func systemctl(
    _ arguments: [String],
    in tree: HostTree
  ) throws(ChangeFailure) -> String {
    guard let program = Systemctl(in: tree) else {
      throw ChangeFailure("there is no program systemctl")
    }
    do {
      return try program.output(arguments)
    } catch {
      throw ChangeFailure("systemctl cannot be run: \(error.localizedDescription)")
    }
  }
}
