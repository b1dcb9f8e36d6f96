import FleetEngines
import LaunchCore
import LaunchDepot

/// What is to be done for a night of a fleet now, and how far every host is.
///
/// Wanted runs, less those that the depot has, less those that a job is at work on, are what to ask for.
/// Nothing is remembered of an earlier turn but how often a host was asked without having sent a run since:
/// a job that was taken may be lost, and one may go on that the engine has forgotten.
struct FleetTurn {
  let night: FleetNight

  /// The hosts of the engine.
  let known: [FleetHost]

  /// In the order of the fleet.
  let hosts: [FleetStatus.Host]

  /// How often each host was asked since it sent its last run.
  let tries: [String: Int]

  /// Jobs that the engine says are running, long after they were to be ended, or though their host was lost;
  /// and those that wait for a host that takes none.
  let ghosts: [FleetJob]

  /// How often a host was asked, and how many runs it had sent by then.
  struct Asked: Hashable, Sendable {
    var tries: Int
    var runs: Int
  }

  /// Whether a host that lacks runs takes no job.
  var hasAbsentHosts: Bool {
    hosts.contains { host in
      if case .away = host.state { true } else { false }
    }
  }

  /// Whether nothing more is to be expected of this turn or a later one.
  var isOver: Bool {
    hosts.allSatisfy { host in
      switch host.state {
      case .done, .away, .failed: true
      case .wanted, .queued, .working: false
      }
    }
  }

  /// How often a host is asked that sends no run.
  static let mostTries = 3

  /// How long after its limit a job counts as gone.
  static let grace = Duration.seconds(60)

  /// - Parameters:
  ///   - night: What the hosts of a fleet are asked for.
  ///   - known: The hosts of the engine, read after `jobs`: no job is older than its host that was there all
  ///     the time.
  ///   - jobs: Those of the engine, read before `depot`: a job that has ended since has sent its runs.
  ///   - depot: What is there of the night.
  ///   - asked: The hosts that were asked, by their names.
  init(
    _ night: FleetNight,
    known: [FleetHost],
    jobs: [FleetJob],
    depot: DepotNight,
    asked: [String: Asked]
  ) {
    self.night = night
    self.known = known
    var ghosts: [FleetJob] = []
    var tries: [String: Int] = [:]
    let hostsByName = Dictionary(known.map { ($0.name, $0) }) { first, _ in first }
    let jobs = Dictionary(grouping: jobs, by: \.name)
    let runs = Dictionary(grouping: depot.runs.filter { $0.purpose == .night }, by: \.host)
    let problems = Dictionary(grouping: depot.problems, by: \.host)
    hosts = night.hosts.map { name in
      let met = Set((runs[name] ?? []).map(\.scenario))
      let missing = night.scenarios.filter { !met.contains($0) }
      let own = jobs[night.job(of: name)] ?? []
      let obstacle = hostsByName[name].map(\.obstacle) ?? "the engine does not know it"
      let limit = night.timeLimit + Self.grace
      let oldest = min(limit, hostsByName[name]?.up ?? limit)
      ghosts += own.filter { $0.running.map { $0 > oldest } ?? (obstacle != nil) }
      let problem = (problems[name] ?? []).last { problem in
        problem.scenario.map(missing.contains) ?? !missing.isEmpty
      }
      var host = FleetStatus.Host(
        name: name,
        state: .done,
        runs: night.scenarios.count - missing.count,
        of: night.scenarios.count,
        problem: problem.map { problem in
          (problem.scenario.map { "\($0): " } ?? "") + problem.problem
        }
      )
      if missing.isEmpty { return host }
      if let asked = asked[name], asked.runs == host.runs { tries[name] = asked.tries }
      if let running = own.compactMap(\.running).max() {
        host.state = .working(running)
      } else if let obstacle {
        host.state = .away(obstacle)
      } else if let job = own.first {
        host.state = .queued(job.reason ?? "")
      } else {
        host.state = tries[name, default: 0] < Self.mostTries ? .wanted : .failed
      }
      return host
    }
    self.tries = tries
    self.ghosts = ghosts
  }
}

/// What the hosts of a fleet are asked for in one night.
struct FleetNight: Hashable, Sendable {
  var plan: FleetPlan

  /// The label of the night.
  var label: String

  /// By the names of the engine.
  var hosts: [String]

  /// The names of the scenarios, in the order of the files.
  var scenarios: [String]

  /// How long a job may take.
  var timeLimit: Duration

  /// The name of the job of a host.
  func job(of host: String) -> String { "launchlab:\(plan.name):\(label):\(host)" }
}

/// How far a night of a fleet is.
package struct FleetStatus: Hashable, Sendable {
  package var fleet: String
  package var night: String

  /// In the order of the fleet.
  package var hosts: [Host]

  /// How far one host is.
  package struct Host: Hashable, Sendable {
    package var name: String
    package var state: State

    /// How many of its runs the depot has, and how many are wanted.
    package var runs: Int
    package var of: Int

    /// What it said last of why a run is missing.
    package var problem: String?
  }

  /// What a host is about.
  package enum State: Hashable, Sendable {
    /// The depot has all of its runs.
    case done

    /// Its job has been running for so long.
    case working(Duration)

    /// Its job waits, as the engine says why.
    case queued(String)

    /// It has no job yet.
    case wanted

    /// It takes no job, as the engine says why.
    case away(String)

    /// Its jobs have ended without all runs.
    case failed
  }

  package var runs: Int { hosts.reduce(0) { $0 + $1.runs } }
  package var wanted: Int { hosts.reduce(0) { $0 + $1.of } }
  package var isComplete: Bool { runs == wanted }
}
