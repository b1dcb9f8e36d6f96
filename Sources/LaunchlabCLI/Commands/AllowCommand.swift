import ArgumentParser
import LabWorkflows

extension Launchlab {
  /// Allows launchlab to empty directories.
  struct Allow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Allows launchlab to empty a directory outside its scenario's directory.",
      discussion: """
        Before each first run the `state:` directories of a target are emptied. Those below the \
        directory of the scenario, below the repository that it builds, and below /tmp, /var/tmp and \
        $TMPDIR need nothing. For any other, say once that nothing in it is needed:
          launchlab allow /srv/app/cache

        It writes the file .launchlab-may-empty, which stays when the directory is emptied, and which \
        counts for the directories below too. A program that insists on an empty directory gets one \
        below it:
          state: [/srv/app/cache/data]

        To revoke it, delete that file. Directories of the system and of package managers, homes, \
        and what lies directly in a home are never emptied.
        """
    )

    @Argument(help: "The directories.", completion: .directory)
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
