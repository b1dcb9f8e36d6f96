import Foundation
package import LaunchCore
import LaunchDepot
import LaunchHost
import LaunchStore
package import Measuring
package import Rendering

/// Reports the combined verdict of the hosts of a depot, from the points that the depot has.
///
/// The files of runs that are fetched are one per scenario, which has its rule, and those of proofs, so that a
/// thousand hosts take seconds.
package struct FleetReportWorkflow {
  private let depot: Depot
  private let scenarios: [String]
  private let night: String?
  private let directory: String

  /// - Parameters:
  ///   - address: The URI of the depot.
  ///   - scenarios: The names of the scenarios; those that have no run are left out.
  ///   - night: The label of the night that is reported, such as `2026-11-21`; nil means the newest one.
  ///   - output: The directory of reports.
  ///   - context: Says what the working directory is.
  /// - Throws: `DepotError` for an address that is none.
  package init(
    depot address: String,
    scenarios: [String],
    night: String?,
    output: String,
    in context: WorkflowContext
  ) throws {
    self.init(
      depot: Depot(try DepotLocation.address(address)),
      scenarios: scenarios,
      night: night,
      directory: output
    )
  }

  init(depot: Depot, scenarios: [String], night: String?, directory: String) {
    self.depot = depot
    self.scenarios = scenarios
    self.night = night
    self.directory = directory
  }

  /// Judges the night, and writes its Markdown.
  ///
  /// - Returns: One part for each scenario that has a run, in their order, at least one.
  /// - Throws: `DepotError`, `StoreError` for a run file that cannot be read, `HostError` when a directory
  ///   cannot be made, or what writing a file throws.
  package func report() async throws -> FleetReport {
    var (newest, later): ([DepotNewestRun], [DepotNewestRun]) = ([], [])
    for scenario in scenarios {
      newest += try await depot.newestRuns(scenario: scenario, until: night)
      // The file of an older night never replaces that of the newest one.
      if night != nil { later += try await depot.newestRuns(scenario: scenario) }
    }
    guard !newest.isEmpty else {
      let until = night.map { " until \($0)" } ?? ""
      throw DepotError.nothingThere(
        address: depot.address.description,
        part: " of \(scenarios.joined(separator: ", "))\(until)"
      )
    }
    var report = FleetReport(parts: [])
    var taken: Set<String> = []
    for run in newest {
      let summary = try await summary(run, &report.problems)
      var place = "\(directory)/\(ReportWorkflow.hostsFolder)/\(ReportPlaces.folder(run.scenario))"
      while !taken.insert(place).inserted { place += "-" }
      try OwnPlace.make(place)
      let isOld = later.contains { $0.scenario == run.scenario && $0.night > run.night }
      let name = isOld ? ReportPlaces.folder(run.night) : "latest"
      let path = "\(place)/\(name).md"
      try WholeFile(path).write { try $0(HostsMarkdown(summary).rendered()) }
      report.parts.append(FleetReport.Part(summary: summary, path: path))
    }
    return report
  }

  private func summary(
    _ newest: DepotNewestRun,
    _ problems: inout [Diagnostic]
  ) async throws -> HostsSummary {
    let scenario = try await scenario(of: newest, &problems)
    let points = try await depot.points(
      of: newest.scenario,
      metrics: scenario.regressionRule.metrics,
      until: night
    )
    let hosts = HostsSummary.Host.all(points, of: scenario)
    let proofs = try await proofs(of: newest.scenario, HostsProofs.nights(of: hosts), &problems)
    return HostsSummary(newest.scenario, of: hosts, proofs: proofs)
  }

  /// What hosts have proved, from the files of their proofs.
  private func proofs(
    of scenario: String,
    _ nights: ClosedRange<String>,
    _ problems: inout [Diagnostic]
  ) async throws -> [SeriesKey: [FleetProof]] {
    let runs = try await depot.proofs(of: scenario, nights: nights)
    guard !runs.isEmpty else { return [:] }
    let directory = try OwnedDirectory.makeTemporary()
    defer { directory.remove() }
    let store = try Store(path: "\(directory.path)/proofs.sqlite", mode: .readWrite)
    var left = runs[...]
    while !left.isEmpty {
      let files = try await depot.contents(of: left.map(\.key))
      for (run, file) in zip(left, files) {
        let known = Store.ForeignRun(id: run.id, scenario: scenario, identity: nil)
        do {
          try TemporaryFile.with(file.content) { try store.add(known, fromForeign: $0) }
        } catch let error as StoreError {
          problems.append(Self.leftOut("proof \(run.id) of host \(run.host)", error))
        }
      }
      left = left.dropFirst(files.count)
    }
    return try HostsProofs(of: scenario, nights: nights, in: [store]).series
  }

  /// The scenario in the file of the newest run that can be read; a host with one that cannot is passed over.
  private func scenario(
    of newest: DepotNewestRun,
    _ problems: inout [Diagnostic]
  ) async throws -> Scenario {
    var run = newest
    var others: [String] = []
    while true {
      let known = Store.ForeignRun(id: run.id, scenario: run.scenario, identity: run.hostIdentity)
      let files = try await depot.contents(of: [run.key])
      do {
        return try TemporaryFile.with(files[0].content) { path in
          try Store.record(of: known, inForeign: path).plan.scenario
        }
      } catch let error as StoreError {
        let host = String(run.hostIdentity.prefix(8))
        problems.append(Self.leftOut("run \(run.id) of the host with identity \(host)…", error))
        others.append(run.hostIdentity)
        let next = try await depot.newestRuns(scenario: run.scenario, until: night, besides: others)
        guard let next = next.first else { throw error }
        run = next
      }
    }
  }

  private static func leftOut(_ subject: String, _ error: StoreError) -> Diagnostic {
    Diagnostic(
      .warning,
      id: "depot-unread-run",
      problem: "\(subject) is left out: \(error.diagnostics.first?.problem ?? "it is damaged")",
      remedy: "update launchlab here, or push again from the host"
    )
  }
}

/// What the hosts of a depot came to on one night.
package struct FleetReport: Sendable {
  package var parts: [Part]

  /// What of the depot could not be used.
  package var problems: [Diagnostic] = []

  package init(parts: [Part]) { self.parts = parts }

  /// One scenario, and the path of its Markdown.
  package struct Part: Sendable {
    package let summary: HostsSummary
    package let path: String
  }

  /// 1 when the code is suspected of a regression of any scenario, else 0.
  package var exitCode: LabExitCode {
    parts.contains(where: \.summary.suspectsCode) ? .regression : .done
  }

  /// The lines for a terminal.
  ///
  /// - Parameter style: How the text is shown.
  /// - Returns: The text, with a line feed after every line.
  package func text(style: TextStyle = TextStyle(width: .max)) -> String {
    parts.map { part in
      HostsText(part.summary, style: style).rendered()
        + ["  report: \(part.path)"].joinedLines()
    }.joined()
  }

  /// The document `launchlab.hosts/1`.
  package var json: HostsJSON { HostsJSON(parts.map(\.summary)) }
}
