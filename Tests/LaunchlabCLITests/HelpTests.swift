import ArgumentParser
import Foundation
import LabTestSupport
import Testing

@testable import launchlab

@Suite struct HelpTests {
  @Test func `teaches the root command`() throws {
    try expectSnapshot(
      HelpPage(of: Launchlab.self).text,
      named: "launchlab",
      suite: "HelpTests"
    )
  }

  @Test(arguments: Launchlab.configuration.subcommands.map(Command.init))
  func `teaches every subcommand`(_ command: Command) throws {
    let help = HelpPage(of: CommandPath([command.name]).type).text
    try expectSnapshot(help, named: command.name, suite: "HelpTests")
  }

  @Test(
    arguments: [Command(type: Launchlab.self)]
      + Launchlab.configuration.subcommands.map(Command.init)
  )
  func `fits the short help on a screen`(_ command: Command) {
    let words = command.name == "launchlab" ? [] : [command.name]
    let brief = HelpPage(of: CommandPath(words).type).brief(of: "launchlab \(command.name)")
    #expect(brief.split(separator: "\n", omittingEmptySubsequences: false).count <= 45)
    #expect(brief.contains("\nOPTIONS:\n"))
  }

  @Test func `shows first in the short help what is used most`() throws {
    let brief = HelpPage(of: Launchlab.Measure.self).brief(of: "launchlab measure")
    try expectSnapshot(brief, named: "measure-brief", suite: "HelpTests")
  }

  @Test(arguments: Launchlab.configuration.subcommands.map(Command.init))
  func `loses no option in the sections`(_ command: Command) {
    let type = CommandPath([command.name]).type
    let names = /(?m)^  (?:-[a-z], )?--[a-z-]+/
    let all = Launchlab.helpMessage(for: type, columns: 80).matches(of: names).map { $0.0 }
    let shown = HelpPage(of: type).text.matches(of: names).map { $0.0 }
    #expect(all.sorted() == shown.sorted())
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
      let own = mention.2.components(separatedBy: " -- ")[0]
      let path = CommandPath("\(mention.1)\(own)".split(separator: " ").map(String.init))
      #expect(path.count > 0, "\(mention.0)")
      let help = Launchlab.helpMessage(for: path.type, columns: 80)
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
