import ArgumentParser
import Foundation
import LabTestSupport
import Testing

@testable import launchlab

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
      contentsOf: Self.root.appending(path: "docs/launchlab.1"),
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

  @Test func `gives every command a name of its own`() {
    var commands: [any ParsableCommand.Type] = [Launchlab.self]
    while let command = commands.popLast() {
      #expect(command.configuration.commandName != nil, "\(command)")
      commands += command.configuration.subcommands
    }
  }

  static let documents =
    ["README.md", "CONTRIBUTING.md", "Scenarios/README.md"]
    + ((try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path))
    ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }

  @Test(arguments: documents)
  func `has every command and option that is written about`(document: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    for mention in text.matches(of: /`launchlab ([a-z]+)([^`]*)`/) where mention.1 != "help" {
      let command = Launchlab.configuration.subcommands.first { $0._commandName == mention.1 }
      var type = try #require(command, "\(mention.0)")
      for word in mention.2.split(separator: " ") {
        let nested = type.configuration.subcommands.first { $0._commandName == word }
        guard let nested else { break }
        type = nested
      }
      let help = Launchlab.helpMessage(for: type, columns: 80)
      let own = mention.2.components(separatedBy: " -- ")[0]
      for option in own.matches(of: /--[a-z][a-z-]*/) {
        #expect(help.contains("\(option.0) ") || help.contains("\(option.0)\n"), "\(mention.0)")
      }
    }
  }

  private static var root: URL {
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
