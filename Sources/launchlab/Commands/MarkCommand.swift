import ArgumentParser
import Measuring

extension Launchlab {
  /// Makes a launch mark for the script that calls it.
  struct Mark: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mark",
      abstract: "Record a launch mark from a script.",
      discussion: """
        For scripts launched by launchlab. Programs call a function instead, which is faster:
          launchlab mark "settings read"
          launchlab mark ready

        The mark belongs to the process that runs this command. If nothing measures the script \
        (LAUNCHLAB_EVENTS is not set), the command does nothing and exits with 0.
        """
    )

    @Argument(help: .init("Name of the mark, at most 255 bytes.", valueName: "name"))
    var name: String

    func run() throws { try MarkWorkflow(name: name).run() }
  }
}
