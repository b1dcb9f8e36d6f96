import Foundation
import Glibc
import LabTestSupport
import LaunchCore
import LaunchStore
import Subprocess
import Synchronization
import SystemPackage
import Testing

@testable import FleetEngines
@testable import LaunchDepot

/// A fleet of which something is ended every moment: its head, its engine, its hosts and its depot.
///
/// It is the real launchlab with a real Slurm and a real PostgreSQL. `LAUNCHLAB_CHAOS` in the environment
/// gives the seed and the number of slots, such as `7:72`.
@Suite(
  PostgresTrait(),
  SlurmTrait(),
  .enabled(if: SlurmCluster.obstacle == nil, "\(SlurmCluster.obstacle ?? "")"),
  .enabled(if: PostgresServer.binaries != nil, "needs a PostgreSQL server, package postgresql"),
  .temporaryDirectory
)
struct FleetChaosTests {
  @Test(.timeLimit(.minutes(40)))
  func `meets every slot once, whatever is ended meanwhile`() async throws {
    let words = ProcessInfo.processInfo.environment["LAUNCHLAB_CHAOS"]?.split(separator: ":") ?? []
    let fleet = try await ChaosFleet(
      cluster: try #require(SlurmCluster.current),
      database: try await .make(),
      nights: max(1, (words.count == 2 ? Int(words[1]) ?? 24 : 24) / 12)
    )
    let seed = words.first.flatMap { UInt64($0) } ?? 1
    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: [String: Int].self) { group in
      group.addTask {
        for night in fleet.nights { try await fleet.measure(night) }
        return [:]
      }
      group.addTask {
        var chaos = Chaos(fleet, seed: seed)
        return try await chaos.run(most: fleet.slotCount / 2)
      }
      for try await kills in group where !kills.isEmpty {
        print(
          "chaos \(seed): ended",
          kills.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        )
      }
    }
    let took = ContinuousClock.now - began
    try await fleet.expectEveryRunOnce(seed: seed, took: took)
    try await fleet.expectNothingIsLeft()
  }
}

// MARK: - The fleet

/// Three hosts that run four scenarios each night.
private struct ChaosFleet: Sendable {
  static let hosts = Array(SlurmCluster.hosts.prefix(3))
  static let scenarios = ["one", "two", "three", "four"]

  let cluster: SlurmCluster
  let database: TestDatabase
  let nights: [String]

  let directory = TemporaryDirectory.path
  let head = Head()

  var slotCount: Int { nights.count * Self.hosts.count * Self.scenarios.count }

  /// The launchlab of the head that runs now, and how often one was begun.
  final class Head: Sendable {
    private let state = Mutex<(pid: pid_t?, count: Int)>((nil, 0))

    var count: Int { state.withLock { $0.count } }

    func began(_ pid: pid_t) { state.withLock { $0 = (pid, $0.count + 1) } }
    func ended() { state.withLock { $0.pid = nil } }
    func kill() { state.withLock { if let pid = $0.pid { _ = Glibc.kill(pid, SIGKILL) } } }
  }

  /// Writes the files of the fleet.
  ///
  /// Each host has a lab lock and a cache of its own, by a script that starts launchlab; a second one stands
  /// for `psql`, and ends it where a file tells it to.
  init(cluster: SlurmCluster, database: TestDatabase, nights: Int) async throws {
    self.cluster = cluster
    self.database = database
    self.nights = (1...nights).map { "2026-11-\($0 < 10 ? "0" : "")\($0)" }
    try await database.depot.initialize()
    let executable =
      ProcessInfo.processInfo.environment["LAUNCHLAB_UNDER_TEST"]
      ?? (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
      .resolvingSymlinksInPath().deletingLastPathComponent().appending(component: "launchlab").path
    let psql = try #require(PostgresServer.binaries) + "/psql"
    try FileManager.default.createDirectory(
      atPath: "\(directory)/bin",
      withIntermediateDirectories: false
    )
    try write(
      """
      #!/bin/sh
      dir='\(directory)'
      export LAUNCHLAB_STATE_DIR="$dir/state-${LAUNCHLAB_HOST_NAME:-head}" \\
        XDG_CACHE_HOME="$dir/cache-${LAUNCHLAB_HOST_NAME:-head}" PATH="$dir/bin:$PATH" NO_COLOR=1
      exec '\(executable)' "$@"
      """,
      to: "launchlab",
      isProgram: true
    )
    try write(
      """
      #!/bin/sh
      cut='\(directory)'/cut-$LAUNCHLAB_HOST_NAME
      if [ -e "$cut" ] && grep -q 'launchlab[.]push(' /dev/stdin; then
        '\(psql)' "$@" <&0 &
        sleep "$(cat "$cut")"
        rm "$cut"
        kill -9 $!
        wait $!
        status=$?
        [ $status -lt 128 ] || kill -9 $$
        exit $status
      fi
      exec '\(psql)' "$@"
      """,
      to: "bin/psql",
      isProgram: true
    )
    for name in Self.scenarios {
      try write(
        """
        scenario: \(name)
        targets:
          true: {command: [/bin/true]}
        states: [warm]
        launches: 3
        """,
        to: "\(name).yml"
      )
    }
    try write(
      """
      fleet: chaos
      depot: \(database.depot.address)
      scenarios: [\(Self.scenarios.map { "\($0).yml" }.joined(separator: ", "))]
      hosts: [\(Self.hosts.joined(separator: ", "))]
      program: \(directory)/launchlab
      named: true
      time: 60s
      """,
      to: "fleet.yml"
    )
  }

  func write(_ text: String, to name: String, isProgram: Bool = false) throws {
    try (text + "\n").write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    if isProgram { try #require(unsafe chmod("\(directory)/\(name)", 0o755) == 0) }
  }

  /// Runs launchlab on the head.
  private func launchlab(
    _ arguments: String...,
    onStart: (pid_t) -> Void = { _ in }
  ) async throws
    -> (status: TerminationStatus, output: String)
  {
    let result = try await Subprocess.run(
      .path(FilePath("\(directory)/launchlab")),
      arguments: Arguments(arguments),
      environment: .inherit.updating(["SLURM_CONF": "\(cluster.directory)/slurm.conf"]),
      workingDirectory: FilePath(directory),
      input: .none,
      output: .string(limit: 1 << 20),
      error: .string(limit: 1 << 20)
    ) { onStart($0.processIdentifier.value) }
    return (result.terminationStatus, result.standardOutput + result.standardError)
  }

  /// Has the head measure a night, and begins again until it is complete.
  func measure(_ night: String) async throws {
    let limit = ContinuousClock.now + .seconds(1800)
    while true {
      let ended = try await launchlab("fleet", "run", "fleet.yml", "--night", night, "--every", "1")
      {
        head.began($0)
      }
      head.ended()
      if ended.status == .exited(0) || ended.status == .exited(1) { return }
      note("\(night) \(ended.status): \(ended.output)")
      try #require(ContinuousClock.now < limit, "\(ended.output)")
      try await Task.sleep(for: .milliseconds(300))
    }
  }

  /// Tells whoever runs the test by hand what happens.
  func note(_ line: String) {
    guard ProcessInfo.processInfo.environment["LAUNCHLAB_CHAOS"] != nil else { return }
    print(Date.now.formatted(.iso8601.time(includingFractionalSeconds: true)), line)
  }
}

// MARK: - Chaos

/// Ends something every one to three seconds.
private struct Chaos {
  /// What can be ended.
  enum Subject: Hashable, CaseIterable {
    case slurmctld, slurmd, host, postgres, head, push
  }

  private let fleet: ChaosFleet
  private var generator: SplitMix64
  private var away:
    [(name: String, until: ContinuousClock.Instant, start: () async throws -> Void)] = []

  init(_ fleet: ChaosFleet, seed: UInt64) {
    self.fleet = fleet
    generator = SplitMix64(seed: seed)
  }

  /// - Returns: How often what was ended.
  mutating func run(most: Int) async throws -> [String: Int] {
    var kills: [String: Int] = [:]
    for _ in 0..<most {
      for _ in 0..<(10 + generator.next(below: 20)) {
        try await Task.sleep(for: .milliseconds(100))
        try await bringBack()
      }
      let subject = Subject.allCases[generator.next(below: Subject.allCases.count)]
      let host = ChaosFleet.hosts[generator.next(below: ChaosFleet.hosts.count)]
      let pause = generator.next(below: 2000)
      if try await end(subject, of: host, for: .milliseconds(pause)) {
        kills["\(subject)", default: 0] += 1
      }
      try await bringBack()
    }
    while !away.isEmpty {
      try await Task.sleep(for: .milliseconds(100))
      try await bringBack()
    }
    return kills
  }

  /// - Returns: Whether it was there to be ended.
  private mutating func end(
    _ subject: Subject,
    of host: String,
    for pause: Duration
  ) async throws -> Bool {
    let cluster = fleet.cluster
    let name =
      switch subject {
      case .slurmd, .host: host
      default: "\(subject)"
      }
    guard !away.contains(where: { $0.name == name }) else { return false }
    fleet.note("ends \(subject) \(name) for \(pause)")
    let now = ContinuousClock.now
    switch subject {
    case .slurmctld:
      try await cluster.kill(.slurmctld)
      away.append((name, now + pause, { try await cluster.start(.slurmctld) }))
    case .slurmd:
      try await cluster.kill(.slurmd(host))
      // Every second one is back at once, the others are missed.
      let isLong = generator.next(below: 2) == 0
      away.append(
        (name, isLong ? now + pause * 2 : now, { try await cluster.start(.slurmd(host)) })
      )
    case .host:
      try await cluster.lose(host)
      away.append((name, now + .seconds(2), { try await cluster.start(.slurmd(host)) }))
    case .postgres:
      let server = fleet.database.server
      try await server.crash()
      away.append((name, now + pause / 2, { try await server.start() }))
    case .head: fleet.head.kill()
    case .push: try fleet.write("0.0\(generator.next(below: 10))", to: "cut-\(host)")
    }
    return true
  }

  private mutating func bringBack() async throws {
    let due = away.filter { $0.until <= .now }
    away.removeAll { $0.until <= .now }
    for item in due { try await item.start() }
  }
}

// MARK: - What is there afterwards

extension ChaosFleet {
  /// A complete run.
  private struct Run: Hashable {
    var host: String
    var night: String
    var scenario: String
    var id: String
  }

  /// Expects that the depot has what the hosts have ended, each once and whole, and all that was wanted.
  func expectEveryRunOnce(seed: UInt64, took: Duration) async throws {
    for night in nights {
      let status = try await launchlab("fleet", "status", "fleet.yml", "--night", night)
      #expect(status.output.contains("night \(night): 12 of 12 runs"), "\(status.output)")
    }

    var ended: [Run: Int] = [:]
    for host in Self.hosts {
      let store = try Store(
        path: "\(directory)/.launchlab/hosts/\(host)/launchlab.sqlite",
        mode: .readOnly
      )
      for listing in try store.runs(includesRemoved: true) {
        let run = try store.run(listing.id)
        guard run.purpose == .night, run.status == .complete else { continue }
        let slot = try #require(run.slot)
        let key = Run(
          host: slot.host,
          night: slot.night,
          scenario: run.plan.scenario.name,
          id: run.id
        )
        #expect(ended.updateValue(try launches(of: run, in: store), forKey: key) == nil)
      }
    }

    var stored: [Run: Int] = [:]
    for entry in try await database.depot.runs() where entry.purpose == .night {
      let file = try #require(try await database.depot.contents(of: [entry.key]).first)
      let path = "\(directory)/\(entry.key).sqlite"
      try Data(file.content).write(to: URL(filePath: path))
      let store = try Store(path: path, mode: .readWrite)
      let run = try store.run(entry.id)
      let slot = try #require(run.slot)
      #expect(slot.host == entry.hostName)
      let key = Run(host: slot.host, night: slot.night, scenario: entry.scenario, id: entry.id)
      #expect(stored.updateValue(try launches(of: run, in: store), forKey: key) == nil)
    }
    #expect(stored == ended)

    let slots = Dictionary(grouping: stored.keys) { [$0.host, $0.night, $0.scenario] }
    let twice = slots.values.count { $0.count > 1 }
    #expect(slots.count == slotCount)
    #expect(twice * 100 <= slotCount * 15)
    print(
      "chaos \(seed): \(slots.count) of \(slotCount) slots, \(stored.count) runs, \(twice) slots twice,"
        + " \(took.seconds) s, head begun \(head.count) times for \(nights.count) nights"
    )
  }

  /// How many launches a run has, which are those of its plan, each once.
  private func launches(of run: RunRecord, in store: Store) throws -> Int {
    var places: [[Int]] = []
    try store.forEachLaunch(of: run.id) { places.append([$0.block, $0.position]) }
    #expect(places.count == run.plan.launchCount)
    #expect(Set(places).count == places.count)
    return places.count
  }

  /// Expects that no host has anything to restore, and that nothing runs that the test has started.
  func expectNothingIsLeft() async throws {
    for host in Self.hosts {
      let result = try await Subprocess.run(
        .path(FilePath("\(directory)/launchlab")),
        arguments: ["restore"],
        environment: .inherit.updating(["LAUNCHLAB_HOST_NAME": host]),
        workingDirectory: FilePath(directory),
        output: .string(limit: 1 << 16),
        error: .string(limit: 1 << 16)
      )
      #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
      #expect(result.standardOutput == "nothing to restore\n", "\(result.standardOutput)")
    }
    try await eventually("\(processes)") { processes.isEmpty }
  }

  /// The command lines of what runs with the directory of the test in its environment.
  private var processes: [String] {
    let pids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return pids.compactMap(Int.init).compactMap { pid in
      guard
        let environment = FileManager.default.contents(atPath: "/proc/\(pid)/environ"),
        String(decoding: environment, as: UTF8.self).contains("\(directory)/state-")
      else { return nil }
      let command = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
      return "\(pid) " + String(decoding: command, as: UTF8.self).replacing("\0", with: " ")
    }
  }
}
