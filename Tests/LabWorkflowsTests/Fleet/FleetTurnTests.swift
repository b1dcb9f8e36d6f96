import Foundation
import Testing

@testable import Fleet
@testable import FleetEngines
@testable import LaunchCore
@testable import LaunchDepot

/// What is asked for, by what is there.
@Suite struct FleetTurnTests {
  /// Three hosts that run two scenarios.
  private let night = {
    var plan = FleetPlan()
    plan.name = "lab"
    return FleetNight(
      plan: plan,
      label: "2026-11-21",
      hosts: ["h1", "h2", "h3"],
      scenarios: ["app", "web"],
      timeLimit: .seconds(600)
    )
  }()

  private func turn(
    runs: [(host: String, scenario: String)] = [],
    jobs: [FleetJob] = [],
    obstacles: [String: String] = [:],
    known: [String] = ["h1", "h2", "h3"],
    problems: [DepotNight.Problem] = [],
    tries: [String: Int] = [:]
  ) -> FleetTurn {
    FleetTurn(
      night,
      known: known.map { FleetHost(name: $0, obstacle: obstacles[$0]) },
      jobs: jobs,
      depot: DepotNight(
        runs: runs.map {
          DepotNight.Run(host: $0.host, scenario: $0.scenario, id: "r", receivedAt: .now)
        },
        problems: problems
      ),
      asked: tries.mapValues { FleetTurn.Asked(tries: $0, runs: 0) }
    )
  }

  private static func wanted(_ turn: FleetTurn) -> [String] {
    turn.hosts.filter { $0.state == .wanted }.map(\.name)
  }

  private func job(_ host: String, id: String = "1", running: Duration? = .seconds(5)) -> FleetJob {
    FleetJob(id: id, name: "launchlab:lab:2026-11-21:\(host)", running: running)
  }

  @Test func `asks every host that lacks a run and has no job`() {
    let turn = turn(
      runs: [("h1", "app"), ("h1", "web"), ("h2", "app")],
      jobs: [job("h3", running: nil)]
    )
    #expect(turn.hosts.map(\.state) == [.done, .wanted, .queued("")])
    #expect(turn.hosts.map(\.runs) == [2, 1, 0])
    #expect(Self.wanted(turn) == ["h2"])
    #expect(!turn.isOver)
  }

  @Test func `a job of another night or fleet is none`() {
    let others = ["launchlab:lab:2026-11-20:h1", "launchlab:labs:2026-11-21:h1", "h1"]
    let turn = turn(jobs: others.map { FleetJob(id: "1", name: $0, running: .seconds(1)) })
    #expect(Self.wanted(turn) == ["h1", "h2", "h3"])
  }

  @Test func `a run counts once, and only one that is a night`() {
    var there = DepotNight.Run(host: "h1", scenario: "app", id: "a", receivedAt: .now)
    var proof = there
    (proof.scenario, proof.purpose) = ("web", .proof)
    let twice = there
    there.id = "b"
    let turn = FleetTurn(
      night,
      known: [FleetHost(name: "h1")],
      jobs: [],
      depot: DepotNight(runs: [there, twice, proof]),
      asked: [:]
    )
    #expect(turn.hosts[0].runs == 1)
    #expect(turn.hosts[0].state == .wanted)
  }

  @Test func `a host that is away is not asked, and holds nothing up`() {
    let turn = turn(
      runs: [("h1", "app"), ("h1", "web")],
      obstacles: ["h2": "drained: disk"],
      known: ["h1", "h2"]
    )
    #expect(
      turn.hosts.map(\.state) == [
        .done, .away("drained: disk"), .away("the engine does not know it"),
      ]
    )
    #expect(turn.isOver)
  }

  @Test func `a job that goes on at a host that is away is waited for`() {
    let turn = turn(jobs: [job("h2")], obstacles: ["h2": "draining"])
    #expect(turn.hosts[1].state == .working(.seconds(5)))
  }

  @Test func `a job that waits for a host that is away is ended`() {
    let waiting = job("h2", running: nil)
    let turn = turn(jobs: [waiting, job("h3", running: nil)], obstacles: ["h2": "drained: disk"])
    #expect(turn.ghosts == [waiting])
    #expect(turn.hosts.map(\.state) == [.wanted, .away("drained: disk"), .queued("")])
    #expect(turn.hasAbsentHosts)
  }

  @Test func `asks three times without a run`() {
    #expect(Self.wanted(turn(tries: ["h1": 2])) == ["h1", "h2", "h3"])
    let sent = turn(runs: [("h1", "app")], tries: ["h1": 3])
    #expect(sent.hosts[0].state == .wanted)
    #expect(sent.tries["h1"] == nil)
    let last = turn(
      problems: [.init(host: "h1", scenario: "web", problem: "no disk", receivedAt: .now)],
      tries: ["h1": 3, "h2": 3, "h3": 3]
    )
    #expect(last.hosts[0].state == .failed)
    #expect(last.hosts[0].problem == "web: no disk")
    #expect(last.isOver)
  }

  @Test func `a problem of what is there by now is not told`() {
    let turn = turn(
      runs: [("h1", "app")],
      problems: [
        .init(host: "h1", scenario: "app", problem: "old", receivedAt: .now),
        .init(host: "h2", scenario: nil, problem: "other file", receivedAt: .now),
      ]
    )
    #expect(turn.hosts.map(\.problem) == [nil, "other file", nil])
  }

  @Test func `a job that runs long past its limit is a ghost`() {
    let old = job("h1", id: "7", running: .seconds(661))
    let turn = turn(jobs: [old, job("h2", running: .seconds(660))])
    #expect(turn.ghosts == [old])
    #expect(turn.hosts[0].state == .working(.seconds(661)))
  }

  @Test func `a job that is older than its host is a ghost`() {
    let old = job("h1", running: .seconds(5))
    let turn = FleetTurn(
      night,
      known: [
        FleetHost(name: "h1", up: .seconds(4)), FleetHost(name: "h2", up: .seconds(5)),
        FleetHost(name: "h3", obstacle: "down: Not responding"),
      ],
      jobs: [old, job("h2"), job("h3")],
      depot: DepotNight(),
      asked: [:]
    )
    #expect(turn.ghosts == [old])
    #expect(turn.hosts.map(\.state) == Array(repeating: .working(.seconds(5)), count: 3))
  }

  @Test func `a night is from noon to noon`() throws {
    func label(_ text: String) throws -> String {
      FleetNight.label(at: try Date(text, strategy: .iso8601))
    }
    #expect(try label("2026-11-21T12:00:00Z") == "2026-11-21")
    #expect(try label("2026-11-22T11:59:59Z") == "2026-11-21")
  }
}
