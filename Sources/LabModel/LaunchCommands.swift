/// Commands that are run before, or after, the launches of a target; never part of a time.
package struct LaunchCommands: Hashable, Codable, Sendable {
  /// The program and its arguments that go with each launch, measured or not.
  package var launch: [String]?

  /// The ones that go with each block.
  package var block: [String]?

  /// The ones that go with the whole run.
  package var run: [String]?

  /// How long each of them may take.
  package var timeout: Nanoseconds

  package init(
    launch: [String]? = nil,
    block: [String]? = nil,
    run: [String]? = nil,
    timeout: Nanoseconds = .seconds(60)
  ) {
    self.launch = launch
    self.block = block
    self.run = run
    self.timeout = timeout
  }

  /// What a command goes with.
  package enum Moment: String, CaseIterable, Sendable {
    case launch
    case block
    case run
  }

  /// The command of a moment; nil where there is none.
  package subscript(_ moment: Moment) -> [String]? {
    switch moment {
    case .launch: launch
    case .block: block
    case .run: run
    }
  }

  /// The program that the shell texts of scenarios are given to.
  package static let shell = ["/bin/sh", "-c"]

  /// A command as a person would type it, as far as no argument needs quotes.
  package static func text(of command: [String]) -> String {
    Array(command.prefix(2)) == shell && command.count == 3
      ? command[2] : command.joined(separator: " ")
  }
}
