import LaunchCore

/// Writes the first scenario of a new user.
package enum ScenarioTemplate {
  /// Writes a scenario with comments that runs as it is.
  ///
  /// - Parameters:
  ///   - command: The program to launch with its arguments; if it is empty, programs that any Debian
  ///     has take its place.
  ///   - ready: The YAML of what ends its launch; nil for its exit.
  /// - Returns: YAML that ``ScenarioFile`` reads without an error.
  package static func text(command: [String] = [], ready: String? = nil) -> String {
    guard !command.isEmpty else { return header + examples + footer }
    let name = quotedName(Target.name(for: command))
    let words = command.map(scalar).joined(separator: ", ")
    return header.replacing("scenario: first", with: "scenario: \(name)")
      + "  \(name):\n    command: [\(words)]\n"
      + footer.replacing("ready: exit\n", with: "ready: \(ready ?? "exit")\n")
  }

  /// A name as it is, unless YAML takes it for something else.
  private static func quotedName(_ name: String) -> String {
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    let isPlain = name.first?.isLetter == true && !words.contains(name.lowercased())
    return isPlain ? name : scalar(name)
  }

  /// A text in double quotes, with everything escaped that YAML would read differently.
  private static func scalar(_ text: String) -> String {
    quotedYAML(text) { !$0.isASCII || $0.value < 0x20 || $0.value == 0x7F }
  }

  private static let examples = """
      perl:
        command: [/usr/bin/perl, -e, "0"]
      git:
        command: [/usr/bin/git, --version]
      python3:
        command: [/usr/bin/python3, -c, "import json"]

    """

  private static let header = """
    # A launchlab scenario. Check it with `launchlab run --dry-run FILE`, run it with
    # `launchlab run FILE`. Relative paths are relative to this file.

    # The name under which the runs are stored and compared.
    scenario: first

    # How cold the machine is for a launch. Each target is launched in each state:
    #   reboot-cold     all page caches are dropped, as after a reboot (needs root)
    #   reinstall-cold  the program's own files are evicted, as after an update
    #   first-run       the same, with an empty private HOME and fresh state directories
    #   warm            right after launches that were not measured
    states: [reinstall-cold, warm]

    # How many launches each target gets in each state; or as many as make every median this exact:
    # launches: {min: 20, max: 200, precision: 1%}
    launches: 20

    # Launch an empty program in the same rounds: the floor that nothing can be faster than.
    baseline:
      empty: true
      # A program that does not change tells the machine from the code: when it is slower too, the
      # machine is. With `source:` an old revision will do: {revision: v1.0, target: NAME}.
      # control: [/usr/bin/perl, -e, "0"]

    # Split 5 launches of their own of each target and state into stages: loading, relocation,
    # initializers by library and symbol, and what follows main.
    stages: {collect: [probe], launches: 5}

    # Hold the machine still, and watch what gets in the way. Everything is put back afterwards, and
    # the result says what became of each. `launchlab doctor` tells what this host can do.
    # controls:
    #   # Targets run on these processors, and where it can be done nothing else does.
    #   cpus: [1]
    #   # How processors run: the governor, and clocks above the base clock.
    #   governor: performance
    #   boost: off
    #   # Memory: when huge pages are used, and whether anything is swapped out.
    #   thp: never
    #   swap: off
    #   # Run launches before every other program, so that other work does not slow them down.
    #   scheduling: fifo
    #   # Flight mode: no network but a loopback of its own for each launch.
    #   network: none
    #   # The same few variables everywhere; feature flags are pinned with `env` of a target.
    #   environment: pinned
    #   # What systemd starts by the clock stays quiet during the run.
    #   services: timers
    #   # Rest before each launch until the machine is quiet, but not for longer than this.
    #   settle: {cpu_idle: 90%, io_pressure: 5%, temperature: 70C, within: 30s}
    #   # Repeat launches that others got in the way of, a quarter of them at most.
    #   steal: {stolen: 2%, foreign: 10%, share: 25%}
    #   # Launch nothing where one of these is not available; `all` means all of the above.
    #   require: [cpus, settle]
    #   # What `launchlab doctor` finds, and you know already.
    #   suppress: [virtual-host]

    # Build before launching: relative paths of command, files, install and directory then lead
    # into the built tree.
    # source:
    #   repository: .
    #   build: make -j2
    #   # `required` fails the build when a submodule cannot be fetched; the default, `try`, builds
    #   # without it.
    #   submodules: required
    #   # Reports link commits to it.
    #   commit_url: https://github.com/jqlang/jq/commit/{commit}

    # Each night is held against the nights before. A suspicion is settled the same night, by up to
    # `proof` pairs of launches of the last good build and the newest one.
    # regression: {effect: 2%, confidence: 95%, floor: 0ms, metrics: [launch, peak_rss, slow_share], proof: 640}

    # Look for the commit of a confirmed regression the same night, for at most an hour.
    # bisect: auto

    # Say why launches are slower, of what a night confirms: the last good build and the newest one are
    # traced, for at most a minute. Without it, only the culprits of bisections are.
    # explain: regression

    # Limits for the median of a night.
    # budgets:
    #   - {target: NAME, state: warm, metric: launch, max: 60ms}

    # Who is told of findings, once of each change. A command gets the finding as JSON on stdin.
    # notify:
    #   - command: [./on-finding]
    #   - webhook: $SLACK_WEBHOOK
    #   - email: dev@example.org
    #   - github: summary

    # Nights that trends are held against, and the space that builds of former nights may take.
    # releases: {v1.0: 2026-10-01}
    # artifacts: 2GiB

    # The programs, by names of your own. They are launched in random order, round by round.
    # No shell is involved: a command is a list of the program and its arguments.
    targets:

    """

  private static let footer = """
        # When the launch is over: exit, notify (sd_notify), mark (launch_ready), or one of
        # {stdout: PATTERN}, {stderr: PATTERN}, {tcp: 127.0.0.1:7379}, {unix: PATH},
        # {http: "http://127.0.0.1:8080/"}, {file: PATH}, {mark: NAME}.
        ready: exit
        # What is not ready by then has no time.
        timeout: 60s
        # How a program that is ready is stopped; not part of the time.
        # stop: {signal: TERM, grace: 2s, when: {stderr: "recovery done"}, after: 200ms}
        # Shell commands before and after each launch; not part of the time either. A map says more,
        # such as {launch: COMMAND, block: COMMAND, run: COMMAND, timeout: 60s}.
        # prepare: rm -rf data && cp -r seed data
        # cleanup: rm -rf data
        # Variables added to the environment.
        # env: {LANG: C.UTF-8}
        # Values that must not be stored or shown come from a file or from the environment.
        # env: {TOKEN: {from_file: token.txt}, KEY: {from_env: APP_KEY}}
        # The working directory, by default that of this file.
        # directory: .
        # The file to read as standard input.
        # stdin: input.txt
        # Give the program a terminal, if it buffers its output otherwise.
        # tty: true
        # Data files to evict as well, and directories to write anew, before cold launches.
        # files: [data.bin]
        # install: [app]
        # A private HOME is copied from here.
        # home: home-template
        # Directories to reset before launches in the state first-run.
        # state: [cache, {path: data, template: data-template}]
        # Events to count, on 3 more launches of their own in each state.
        # counters: [page-faults, context-switches]

    """
}
