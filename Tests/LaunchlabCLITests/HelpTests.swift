import ArgumentParser
import LabTestSupport
import Testing

@testable import LaunchlabCLI

@Suite struct HelpTests {
  @Test func `teaches the root command`() throws {
    try expectSnapshot(
      Launchlab.helpMessage(columns: 80), named: "launchlab", suite: "HelpTests")
  }

  @Test(arguments: Launchlab.configuration.subcommands.map(Command.init))
  func `teaches every subcommand`(_ command: Command) throws {
    let help = Launchlab.helpMessage(for: command.type, columns: 80)
    try expectSnapshot(help, named: command.name, suite: "HelpTests")
  }

  /// A subcommand and the name of its snapshot.
  struct Command: CustomTestStringConvertible, Sendable {
    let type: any ParsableCommand.Type

    var name: String { type._commandName }
    var testDescription: String { name }
  }
}
