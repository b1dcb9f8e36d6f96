import Foundation
import SystemPackage

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

/// Runs systemctl, in the machine's language of computers.
///
/// Source: systemctl(1).
struct Systemctl {
  /// The path of the program.
  private let program: String

  /// Finds the program below a tree; nil when there is none.
  init?(in tree: HostTree) {
    let programs = ["usr/bin/systemctl", "bin/systemctl"].map { tree.path(of: $0).string }
    let isExecutable = FileManager.default.isExecutableFile(atPath:)
    guard let program = programs.first(where: isExecutable) else { return nil }
    self.program = program
  }

  /// Waits for its end, and gives what it prints, errors too; whether it worked is not told.
  ///
  /// - Throws: What starting it throws, or ``SystemTool/TooSlow``.
  func output(_ arguments: [String]) throws -> String {
    let path = "/usr/sbin:/usr/bin:/sbin:/bin"
    return try SystemTool(program, environment: ["LC_ALL": "C", "PATH": path], printsErrors: true)
      .output(arguments)
  }
}

/// Properties of a unit, as `systemctl show` prints them.
struct UnitProperties {
  private var values: [Substring: String] = [:]

  /// - Parameter text: Lines such as `ActiveState=active`; others are passed over.
  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[parts[0]] = String(parts[1]) }
    }
  }

  /// The arguments that ask for some properties of a unit.
  static func arguments(_ names: [String], of unit: String) -> [String] {
    ["show"] + names.map { "--property=\($0)" } + ["--", unit]
  }

  /// A property; nil when it was not told.
  func callAsFunction(_ name: String) -> String? { values[name[...]] }

  /// Whether an active state says that the unit runs, or is about to.
  static func isActive(_ state: String) -> Bool {
    ["active", "activating", "reloading", "refreshing"].contains(state)
  }
}
