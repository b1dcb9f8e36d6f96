import ArgumentParser
import History
import LaunchCore
import Measuring
import Rendering

/// Which stored runs a command reads.
struct StoredOptions: ParsableArguments {
  @Option(
    file: """
      SQLite database, directory of laboratories, or depot (postgresql://...) to read \
      (default: .launchlab/launchlab.sqlite).
      """
  )
  var store: String?

  @Option(help: .init("Read only this host of the depot.", valueName: "name"))
  var host: String?

  func validate() throws {
    if host != nil, !DepotLocation.isOne(store) {
      throw ValidationError("--host needs a depot, given by --store postgresql://...")
    }
  }

  /// The file or directory to read, after what is new in a depot was fetched; nil means the default.
  ///
  /// - Parameters:
  ///   - scenario: The only scenario that is wanted.
  ///   - console: Shows how much was fetched.
  /// - Returns: A path for what reads stores.
  /// - Throws: As ``DepotMirror/refresh(_:_:)``.
  func path(scenario: String?, on console: Console) async throws -> String? {
    guard let store, DepotLocation.isOne(store) else { return store }
    let part = DepotMirror.Part(host: host, scenario: scenario)
    let progress = CountProgress("fetched", on: console)
    defer { progress.end() }
    let content = try await DepotMirror(of: store, in: .live).refresh(part) {
      progress.show($0, of: $1)
    }
    console.show(content.problems)
    return content.directory
  }
}

/// How many of some runs are done, on a terminal.
struct CountProgress {
  private let done: String
  private let console: Console

  init(_ done: String, on console: Console) {
    self.done = done
    self.console = console
  }

  private var terminal: Terminal? { console.stderr.isTerminal ? console.stderr : nil }

  func show(_ count: Int, of total: Int) {
    try? terminal?.redraw("\(done) \(count) of \(Quantity.count(total, "run"))")
  }

  func end() { try? terminal?.redraw("") }
}

extension Launchlab {
  /// Sends stored nights to a depot.
  struct Push: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "push",
      abstract: "Send stored nights to a depot, a PostgreSQL database that several hosts share.",
      discussion: """
        Every complete night, with its launches, alerts and decisions, is stored there once, however often \
        this is called. What could not be sent is sent the next time, so that one line of cron is enough:
          launchlab run scenario.yml; launchlab push postgresql://depot.example/lab

        The address has no password; psql finds it in ~/.pgpass, a service file or the environment. Read \
        the depot from anywhere with --store:
          launchlab report --store postgresql://depot.example/lab

        Exit codes: 0 the depot has every complete night, 128 something could not be sent.
        """
    )

    @OptionGroup var address: DepotArgument

    @Option(file: "SQLite database to send (default: .launchlab/launchlab.sqlite).")
    var store: String?

    func run() async throws { try await run(on: .standard) }

    func run(on console: Console) async throws {
      let workflow = try PushWorkflow(to: address.depot, store: store, in: .live)
      let progress = CountProgress("pushed", on: console)
      let summary = try await workflow.push { progress.show($0, of: $1) }
      progress.end()
      console.show(summary.problems)
      try console.write([summary.text].joinedLines())
      if !summary.problems.isEmpty { throw ExitCode(LabExitCode.couldNotMeasure.rawValue) }
    }
  }

  /// Sets up and examines depots.
  struct DepotGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "depot",
      abstract: "Set up, check or migrate a depot, which keeps the nights of many hosts.",
      discussion: """
        A depot is the schema launchlab of a PostgreSQL database:
          createdb lab && launchlab depot init postgresql:///lab

        Hosts need the role launchlab_push, readers launchlab_read:
          psql lab -c 'GRANT launchlab_push TO bench'
        """,
      subcommands: [Init.self, Check.self, Migrate.self, Trust.self]
    )

    struct Init: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Create a depot in a database, with the roles launchlab_push and launchlab_read."
      )

      @OptionGroup var address: DepotArgument

      func run() async throws { try await address.show { try await $0.make() } }
    }

    struct Check: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Show a depot's contents and your permissions."
      )

      @OptionGroup var address: DepotArgument

      func run() async throws { try await address.show { try await $0.check() } }
    }

    struct Migrate: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Upgrade a depot that an older launchlab made."
      )

      @OptionGroup var address: DepotArgument

      func run() async throws { try await address.show { try await $0.migrate() } }
    }

    struct Trust: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Let another login push the runs of a host.",
        discussion: """
          A host belongs to the login that pushed its first run, and the depot refuses its runs from others. \
          Needs the rights of the depot's owner:
            launchlab depot trust postgresql:///lab bench-1 bench_new
          """
      )

      @OptionGroup var address: DepotArgument

      @Argument(
        help: .init("Name or identity of the host, or its name in a fleet.", valueName: "host")
      )
      var host: String

      @Argument(
        help: .init("Login, or a role that several logins are members of.", valueName: "role")
      )
      var role: String

      func run() async throws {
        try Console.standard.write(try await DepotWorkflow(address.depot).trust(host, to: role))
      }
    }
  }
}

/// Which depot is meant.
struct DepotArgument: ParsableArguments {
  @Argument(help: .init("URI of the depot.", valueName: "depot"))
  var depot: String

  /// Does something with the depot, and prints what is known of it then.
  func show(_ body: (DepotWorkflow) async throws -> DepotWorkflow.Report) async throws {
    try Console.standard.write(try await body(DepotWorkflow(depot)).text)
  }
}
