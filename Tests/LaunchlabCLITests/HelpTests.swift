import ArgumentParser
import Comparison
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
  func `takes every command that is written about`(document: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: document), encoding: .utf8)
    for command in Self.commands(in: text) {
      // What is launched, and a value or an argument that is left out, are the reader's own.
      let parts = command.components(separatedBy: " -- ")
      let words = try CommandWords(parts[0]).words
      do {
        _ = try TypedWords.parsed(words + (parts.count > 1 ? ["--", "true"] : []))
      } catch {
        let problem = Launchlab.message(for: error)
        let wrong = /Unknown option|[Uu]nexpected argument|is invalid for|cannot be used/
        #expect(!problem.contains(wrong), "launchlab \(command): \(problem)")
      }
    }
  }

  @Test func `finds commands in code and in sentences`() {
    let text = """
      Use `launchlab why
      R-1`, and launchlab does so.
      ```sh
      $ cd x && sudo launchlab run a.yml --wait 30m >>log 2>&1 || tail log   # at night
      - run: launchlab history
      launchlab: output
      ```
      """
    #expect(Self.commands(in: text) == ["run a.yml --wait 30m", "history", "why\nR-1"])
  }

  /// What follows `launchlab` in code, and between backquotes in sentences.
  private static func commands(in text: String) -> [String] {
    var found: [Substring] = []
    var sentences = ""
    var isCode = false
    for line in text.components(separatedBy: "\n") {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        found += line.components(separatedBy: " && ").compactMap {
          $0.firstMatch(of: /^(?:.*(?:[$;-]|do|run:|sudo) +)? *(?:\/\S+\/)?launchlab ([a-z].*)/)?.1
        }
      } else {
        sentences += line + "\n"
      }
    }
    found += sentences.matches(of: /`launchlab ([a-z][^`]*)`/).map(\.1)
    return found.map { command in
      let end = command.firstMatch(of: #/ +(?:\||\|\||;|#|>>?.*|2>.*)( |$)|; /#)
      return String(command[..<(end?.range.lowerBound ?? command.endIndex)])
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
