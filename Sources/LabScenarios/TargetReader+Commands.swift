import LabModel

/// What is run beside the launches of a target.
extension TargetReader {
  mutating func commands(from value: Value?) -> LaunchCommands? {
    guard let value else { return nil }
    guard case .map = value.content else {
      return LaunchCommands(launch: sideCommand(from: value))
    }
    var commands = LaunchCommands(
      launch: value["launch"].flatMap { sideCommand(from: $0) },
      block: value["block"].flatMap { sideCommand(from: $0) },
      run: value["run"].flatMap { sideCommand(from: $0) }
    )
    if value["timeout"] != nil { commands.timeout = timeout(from: value["timeout"]) }
    if !value.entries.contains(where: { $0.key != "timeout" }) {
      findings.report(
        "empty-value",
        "there is no command",
        at: value.place,
        remedy:
          "give at least one of \(LaunchCommands.Moment.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
    return commands
  }

  /// A text goes to the shell; a list is a program with its arguments, as in `command`.
  private mutating func sideCommand(from value: Value) -> [String]? {
    guard let text = value.text else { return command(from: value) }
    if text.allSatisfy(\.isWhitespace) {
      findings.report(
        "empty-value",
        "the command is empty",
        at: value.place,
        remedy: "write the command, or remove the key"
      )
    }
    return LaunchCommands.shell + [text]
  }
}
