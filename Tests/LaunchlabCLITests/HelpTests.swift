import ArgumentParser
import Foundation
import LabTestSupport
import Testing

@testable import LaunchlabCLI

@Suite struct HelpTests {
  @Test func `teaches the root command`() throws {
    try expectSnapshot(
      Launchlab.helpMessage(columns: 80),
      named: "launchlab",
      suite: "HelpTests"
    )
  }

  @Test(arguments: Launchlab.configuration.subcommands.map(Command.init))
  func `teaches every subcommand`(_ command: Command) throws {
    let help = Launchlab.helpMessage(for: command.type, columns: 80)
    try expectSnapshot(help, named: command.name, suite: "HelpTests")
  }

  @Test(arguments: Launchlab.configuration.subcommands.map(Command.init))
  func `has every option on the manual page`(_ command: Command) throws {
    let page = try String(
      contentsOf: root.appending(path: "docs/launchlab.1"),
      encoding: .utf8
    )
    let help = Launchlab.helpMessage(for: command.type, columns: 80)
    let options = help.matches(of: /(?m)^  (?:-[a-z], )?--([a-z-]+)/).map { $0.1 }
    try #require(options.contains("help"))
    for option in options {
      #expect(
        page.contains("Fl -\(option)") || page.contains(", -\(option)"),
        "--\(option) of \(command.name): refresh the page with scripts/manual"
      )
    }
  }

  private var root: URL {
    URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  }

  /// A subcommand and the name of its snapshot.
  struct Command: CustomTestStringConvertible, Sendable {
    let type: any ParsableCommand.Type

    var name: String { type._commandName }
    var testDescription: String { name }
  }
}
