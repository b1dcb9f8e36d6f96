import ArgumentParser
import Fleet
import LaunchCore
import Measuring

extension Launchlab.FleetGroup {
  /// Has one host find the commit that made launches slower.
  struct Bisect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bisect",
      abstract: "Have one host find the commit in a range that made launches slower.",
      discussion: """
        The host runs `launchlab bisect` for a scenario of the fleet, and writes the answer to \
        report/bisect/ beside the fleet file. Meanwhile the builders of the fleet build the commits \
        that it is likely to need next, and publish them in .launchlab/builds, which all of them must \
        see. What follows -- goes to `launchlab bisect`:
          launchlab fleet bisect fleet.yml v1.0..HEAD --scenario redis -- --target server

        It may be interrupted and called again; the host goes on.

        Exit codes: 0 found and confirmed, 125 inconclusive, 128 could not bisect, or the host has \
        ended and its answer cannot be seen from here, 130 interrupted (the jobs go on).
        """
    )

    @Argument(
      help: .init("Fleet file.", valueName: "fleet-file"),
      completion: .file(extensions: ["yml", "yaml"])
    )
    var file: String

    @Argument(help: .init("Good and bad revision, such as v1.0..HEAD.", valueName: "good..bad"))
    var range: String

    @Option(help: .init("Name of the scenario (default: the only one).", valueName: "name"))
    var scenario: String?

    @Option(
      help: .init("Host that launches (default: the first that takes jobs).", valueName: "name")
    )
    var host: String?

    @Option(
      help: .init(
        "Number of builders to use (default: all of the fleet file).",
        valueName: "number"
      )
    )
    var builders: Int?

    @Flag(name: .shortAndLong, help: "Print only the result, without progress and warnings.")
    var quiet = false

    @Argument(
      parsing: .postTerminator,
      help: .init("Further options of `launchlab bisect`, after --.", valueName: "option")
    )
    var options: [String] = []

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let bisect = try await FleetBisect(
        file,
        range: range,
        scenario: scenario,
        host: host,
        builders: builders,
        words: options,
        in: .live
      )
      let asked = try Launchlab.Bisect.parse(bisect.words).options
      let terminal = console.stderr.isTerminal && !quiet ? console.stderr : nil
      var last = ""
      let answer = try await bisect.run(asked) { line, problems in
        try? terminal?.redraw("")
        if quiet { return }
        console.show(problems)
        guard terminal == nil else {
          try? terminal?.redraw(String(line.prefix((terminal?.width ?? 80) - 1)))
          return
        }
        if !line.isEmpty, line != last { console.note(line) }
        last = line
      }
      try? terminal?.redraw("")
      try console.write(answer.text)
      if answer.exitCode != .done { throw ExitCode(answer.exitCode.rawValue) }
    }
  }

  /// What a job does on a builder.
  struct Build: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "build",
      abstract: "Build a commit on this host, and publish it for the others.",
      shouldDisplay: false
    )

    @Argument(help: .init("Fleet file.", valueName: "fleet-file"))
    var file: String

    @Option(help: .init("Name of the scenario.", valueName: "name"))
    var scenario: String

    @Option(help: .init("Commit to build.", valueName: "id"))
    var commit: String

    @Option(help: .init("What the fleet calls this host.", valueName: "name"))
    var host: String

    func run() async throws {
      let note = try await FleetBisect.build(commit, of: scenario, file, on: host, in: .live)
      if let note { Console.standard.show([note]) }
    }
  }
}
