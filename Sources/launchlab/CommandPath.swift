import ArgumentParser

/// The command that a command line names in its first words, such as `launchlab runs exclude`.
struct CommandPath {
  private(set) var name = "launchlab"

  /// The command, or the one that it stands for if none of its subcommands is named.
  private(set) var type: any ParsableCommand.Type = Launchlab.self

  /// Whether the command is one that its name does not have.
  private(set) var isDefault = false

  /// How many words name it.
  private(set) var count = 0

  /// The first word that is no command where one has to be, and those that may be.
  private(set) var unknown: (word: String, names: [String])?

  /// - Parameter words: The command line without the name of the program.
  init(_ words: [String]) {
    for word in words {
      let commands = type.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-") else { break }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        if type.configuration.defaultSubcommand == nil {
          unknown = (word, commands.compactMap { $0.configuration.commandName })
        }
        break
      }
      name += " \(word)"
      type = next
      count += 1
    }
    if let usual = type.configuration.defaultSubcommand { (type, isDefault) = (usual, true) }
  }
}
