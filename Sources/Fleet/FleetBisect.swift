package import Bisection
import FleetEngines
import Foundation
import Glibc
package import LaunchCore
import LaunchHost
package import Measuring
import Rendering
import Scenarios

/// Has one host of a fleet bisect, and others build for it.
///
/// The host runs an ordinary `launchlab bisect` with its own store. Each builder has one job at a time. They
/// build what the host is likely to need next, and publish it in a directory that the host looks into before
/// it builds. Whatever goes wrong with them, the host builds for itself.
package struct FleetBisect {
  /// The host that launches.
  package let host: String

  /// What `launchlab bisect` is told there.
  package let words: [String]

  private var fleet: FleetRun
  private let scenario: Scenario
  private let builders: [String]
  private let context: WorkflowContext

  /// What is asked in one word, which the names of jobs end with, so that the head can be started again.
  private let question: String

  /// The path of the report, without what says its format.
  private let report: String

  /// - Parameters:
  ///   - path: The fleet file.
  ///   - range: Such as `v1.0..HEAD`, as git on the host knows it.
  ///   - scenario: The name of one of the fleet; nil where it has but one.
  ///   - host: Who launches; nil means the first host that takes jobs.
  ///   - builders: How many of the builders are asked; nil means all.
  ///   - words: Further options of `launchlab bisect`.
  ///   - context: Says what time it is.
  /// - Throws: `ScenarioError`, ``WorkflowError/badOption(name:value:expected:)``, `FleetEngineError`,
  ///   ``FleetBisectError/noHost(reason:)``.
  package init(
    _ path: String,
    range: String,
    scenario: String?,
    host: String?,
    builders: Int?,
    words: [String],
    in context: WorkflowContext
  ) async throws {
    self.context = context
    fleet = try FleetRun(path, in: context)
    let plan = fleet.plan
    let (file, found) = try Self.scenario(scenario, of: plan)
    self.scenario = found
    self.host = try await Self.host(host, of: fleet)
    let count = builders ?? plan.builders.count
    guard 0...plan.builders.count ~= count else {
      throw WorkflowError.badOption(
        name: "--builders",
        value: "\(count)",
        expected: "at most \(plan.builders.count), as many as the fleet file has in `builders:`"
      )
    }
    self.builders = Array(plan.builders.prefix(count))
    let digest = SHA256(Array(([range] + words).joined(separator: "\0").utf8)).hexadecimal.prefix(
      8
    )
    question = "\(found.name)-\(digest)"
    report = "\(plan.directory)/report/bisect/\(question)"
    // Of an option that is given twice the last one counts.
    self.words =
      [range] + words + [
        "--scenario", file, "--store", plan.store(of: self.host), "--shared-builds",
        plan.sharedBuilds, "--json", "\(report).json", "--markdown", "\(report).md",
      ]
  }

  private static func scenario(
    _ name: String?,
    of plan: FleetPlan
  ) throws -> (path: String, Scenario) {
    let known = try plan.scenarios.map { (path: $0, try ScenarioFile.load(path: $0)) }
    let fitting = known.filter { name == nil || $0.1.name == name }
    guard let one = fitting.first, fitting.count == 1 else {
      throw WorkflowError.badOption(
        name: "--scenario",
        value: name ?? "",
        expected: "one of: \(known.map(\.1.name).joined(separator: ", "))"
      )
    }
    return one
  }

  private static func host(_ name: String?, of fleet: FleetRun) async throws -> String {
    let known = try await fleet.engine.hosts()
    let names = fleet.plan.measuring(of: known)
    if let name {
      guard names.contains(name) else {
        throw WorkflowError.badOption(
          name: "--host",
          value: name,
          expected: "one of: \(names.joined(separator: ", "))"
        )
      }
      return name
    }
    let there = names.compactMap { name in known.first { $0.name == name } }
    guard let first = there.first(where: { $0.obstacle == nil }) else {
      throw FleetBisectError.noHost(
        reason: there.first?.obstacle ?? "the engine knows none of them"
      )
    }
    return first.name
  }

  // MARK: - On the head

  /// Asks for the bisection, unless it goes on already, and for builds, until the host has an answer.
  ///
  /// - Parameters:
  ///   - options: What ``words`` mean.
  ///   - tell: Told after each turn what the host does, and what failed.
  /// - Returns: What the host came to.
  /// - Throws: `FleetEngineError` where the engine cannot be used at first, or for many turns;
  ///   ``FleetBisectError``; and errors of the range where builds are made ahead.
  package func run(
    _ options: BisectOptions,
    _ tell: (_ line: String, [Diagnostic]) -> Void
  ) async throws -> FleetBisection {
    var ahead = try await builders.isEmpty ? nil : BuildsAhead(options, in: context)
    var helpers = builders
    var asked: Set<String> = []
    var work: FleetWork? = try bisection(options)
    var (looks, failures) = (0, 0)
    while true {
      do {
        let jobs = try await fleet.engine.jobs()
        let own = jobs.first { $0.name == job }
        if own != nil || work != nil, let known = ahead {
          do {
            try await build(known, on: &helpers, beside: jobs, asked: &asked, tell)
          } catch let error as WorkflowError {
            ahead = nil
            tell("", error.diagnostics)
          }
        }
        if own != nil {
          work = nil
        } else if let wanted = work {
          try removeAnswer()
          try await fleet.engine.submit(wanted)
          work = nil
        } else if let answer = try answer() {
          try await fleet.engine.cancel(jobs.filter(isBuild))
          return answer
        } else {
          // A file system of a network shows files of others late.
          looks += 1
          guard looks < 5 else {
            try await fleet.engine.cancel(jobs.filter(isBuild))
            throw noAnswer
          }
        }
        failures = 0
        tell(line(own, builds: jobs.count(where: isBuild)), [])
      } catch let error as FleetEngineError {
        failures += 1
        guard work == nil, failures < FleetRun.mostFailures else { throw error }
        tell("", error.diagnostics)
      }
      do {
        try await fleet.rest()
      } catch FleetError.interrupted {
        throw FleetBisectError.interrupted(host: host, report: "\(report).md")
      }
    }
  }

  private func line(_ own: FleetJob?, builds: Int) -> String {
    let others = builds > 0 ? ", \(builds) at work on builds" : ""
    guard let own, own.running != nil else {
      return "the bisection waits for \(host)" + (own?.reason.map { ": \($0)" } ?? "") + others
    }
    let last = LogTail.lines(of: log, most: 1).last
    return "\(host) bisects\(others)" + (last.map { ": \($0)" } ?? "")
  }

  /// Gives every builder that has no job a commit that the host is likely to need.
  ///
  /// - Parameters:
  ///   - ahead: Knows which these are.
  ///   - builders: Those that take jobs; one that the engine refuses is taken out.
  ///   - jobs: Those of the engine.
  ///   - asked: The commits that were asked for, each once: what failed is left to the host.
  ///   - tell: Told what is refused.
  /// - Throws: ``WorkflowError`` where the log of the host cannot be read.
  private func build(
    _ ahead: BuildsAhead,
    on builders: inout [String],
    beside jobs: [FleetJob],
    asked: inout Set<String>,
    _ tell: (_ line: String, [Diagnostic]) -> Void
  ) async throws {
    let idle = builders.filter { builder in !jobs.contains { $0.name == name(of: builder) } }
    guard !idle.isEmpty else { return }
    let commits = try ahead.commits(idle.count + asked.count, store: fleet.plan.store(of: host))
    for (builder, commit) in zip(idle, commits.filter { !asked.contains($0) }) {
      do {
        try await fleet.engine.submit(build(commit, on: builder))
        asked.insert(commit)
      } catch let error as FleetEngineError {
        builders.removeAll { $0 == builder }
        tell("", error.diagnostics)
      }
    }
  }

  // MARK: - Jobs

  private var job: String { "launchlab:\(fleet.plan.name):bisect:\(host):\(question)" }

  private func name(of builder: String) -> String {
    "launchlab:\(fleet.plan.name):build:\(builder):\(question)"
  }

  private func isBuild(_ job: FleetJob) -> Bool { builders.contains { name(of: $0) == job.name } }

  private func build(_ commit: String, on builder: String) -> FleetWork {
    fleet.work(
      named: name(of: builder),
      for: builder,
      [
        fleet.program, "fleet", "build", fleet.files.fleet, "--scenario", scenario.name,
        "--commit", commit, "--host", builder,
      ],
      limit: .seconds(3900)
    )
  }

  /// The bisection, for a day or as long as it was given.
  private func bisection(_ options: BisectOptions) throws -> FleetWork {
    let most = try options.mostTime.map { try ScenarioFile.duration($0, option: "--max-time") }
    let directory = (report as NSString).deletingLastPathComponent
    return fleet.work(
      named: job,
      for: host,
      ["/bin/sh", "-c", "mkdir -p \"$0\" && exec \"$@\"", directory, fleet.program, "bisect"]
        + words,
      limit: max(.seconds(86_400), .nanoseconds(most?.count ?? 0) + .seconds(3600))
    )
  }

  /// Where the engine keeps what the job prints.
  private var log: String {
    let directory = fleet.plan.engine == .slurm ? "fleet" : "jobs"
    return "\(fleet.plan.directory)/.launchlab/\(directory)/\(job).log"
  }

  // MARK: - The answer

  /// Takes away what an earlier bisection of the same question has left.
  private func removeAnswer() throws(HostError) {
    guard unsafe unlink("\(report).json") == 0 || errno == ENOENT else {
      throw .system(operation: "remove", path: "\(report).json", errno: errno)
    }
  }

  private func answer() throws(FleetBisectError) -> FleetBisection? {
    guard let content = FileManager.default.contents(atPath: "\(report).json") else { return nil }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      let document = try decoder.decode(FleetBisection.Document.self, from: content)
      return FleetBisection(document, on: host, report: "\(report).md")
    } catch {
      throw noAnswer
    }
  }

  private var noAnswer: FleetBisectError {
    let error = LogTail.lines(of: log).last { $0.hasPrefix("error: ") }
    return .noAnswer(
      host: host,
      reason: error.map { String($0.dropFirst(7)) },
      report: "\(report).md",
      log: log
    )
  }
}

/// What a host came to that has bisected.
package struct FleetBisection: Hashable, Sendable {
  /// The answer in one sentence, and the path of the report.
  package let text: String

  /// That of `launchlab bisect`.
  package let exitCode: LabExitCode

  /// What of `launchlab.bisect/1` is shown.
  fileprivate struct Document: Decodable {
    let sentence: String
    let why: String?
    let exitCode: Int32
  }

  fileprivate init(_ document: Document, on host: String, report: String) {
    let why = document.why.map { "why: \($0)" }
    text = [document.sentence, why, "bisected on \(host), see \(report)"].compactMap(\.self)
      .joinedLines()
    exitCode = LabExitCode(rawValue: document.exitCode) ?? .couldNotMeasure
  }
}

// MARK: - On a builder

extension FleetBisect {
  /// Builds a commit on this host, and publishes it for the others.
  ///
  /// - Parameters:
  ///   - commit: Its full id.
  ///   - name: The name of the scenario.
  ///   - path: The fleet file.
  ///   - host: What the fleet calls this host.
  ///   - context: Where it is built.
  /// - Returns: A note where others cannot have the build.
  /// - Throws: `ScenarioError`, and `HostError`, also where the build fails.
  package static func build(
    _ commit: String,
    of name: String,
    _ path: String,
    on host: String,
    in context: WorkflowContext
  ) async throws -> Diagnostic? {
    let plan = try FleetFile.load(path: path)
    guard let source = try scenario(name, of: plan).1.source else { return nil }
    let store = plan.store(of: host) as NSString
    return try await BuildsAhead.publish(
      commit,
      of: source,
      cache: CacheLocation(directory: store.deletingLastPathComponent),
      to: plan.sharedBuilds,
      in: context
    )
  }
}

/// Why a fleet has not bisected.
package enum FleetBisectError: LabError, Hashable {
  /// No host takes a job; the reason is that of the first one.
  case noHost(reason: String)

  /// The job of a host is gone, and no answer can be seen; the reason is what it printed, where that is seen.
  case noAnswer(host: String, reason: String?, report: String, log: String)

  /// Somebody interrupted the head.
  case interrupted(host: String, report: String)

  package var diagnostics: [Diagnostic] {
    let (id, problem, remedy) =
      switch self {
      case .noHost(let reason):
        ("no-host", "no host takes a job: \(reason)", "name one with `--host`, or bring one back")
      case .noAnswer(let host, let reason, let report, let log):
        (
          "no-answer", "\(host) has ended its bisection, and \(reason ?? "no answer is seen here")",
          "look on \(host) at \(report), and else at \(log)"
        )
      case .interrupted(let host, let report):
        (
          "interrupted", "interrupted; \(host) goes on and writes \(report)",
          "follow it with the same command"
        )
      }
    return [Diagnostic(.error, id: id, problem: problem, remedy: remedy)]
  }

  package var exitCode: LabExitCode {
    if case .interrupted = self { .interrupted } else { .couldNotMeasure }
  }
}
