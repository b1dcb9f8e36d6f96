import ArgumentParser
import Measuring

extension Launchlab {
  /// Allows launchlab to empty directories.
  struct Allow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "allow",
      abstract: "Allow launchlab to empty a directory outside the scenario's directory.",
      discussion: """
        The `state:` directories of a target are emptied before each first run. Directories below \
        the scenario's directory, the repository that it builds, /tmp, /var/tmp and $TMPDIR need \
        no permission. Any other directory needs it once:
          launchlab allow /srv/app/cache

        This writes the file .launchlab-may-empty, which is kept when the directory is emptied \
        and also covers the directories below. A program that insists on an empty directory can \
        use one below it:
          state: [/srv/app/cache/data]

        Delete that file to revoke the permission. System directories, those of package managers, \
        homes, and anything directly in a home are never emptied.
        """
    )

    @Argument(
      help: .init("Directories that may be emptied.", valueName: "directory"),
      completion: .directory
    )
    var directories: [String]

    func run() async throws { try run(on: .standard) }

    func run(on console: Console) throws {
      for allowed in try ScenarioWorkflow.allow(directories) {
        let entries = allowed.entries == 1 ? "1 entry" : "\(allowed.entries) entries"
        console.note(
          "launchlab may empty \(allowed.directory), which holds \(entries) now; "
            + "to revoke it, delete \(allowed.file)"
        )
      }
    }
  }
}
