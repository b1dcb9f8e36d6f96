import Foundation
import LaunchCore
import LaunchStore
package import Measuring

/// What is imported, and where to.
package struct ImportRequest: Sendable {
  /// The paths of the files, at least one.
  package var files: [String]

  /// Nil for the one that the extension of each file says.
  package var format: ImportFormat?

  /// The name of the scenario; nil for that of the only file.
  package var scenario: String?

  /// The SQLite file; nil means that of the working directory.
  package var store: String?

  package var options: ImportOptions

  package init(
    files: [String],
    format: ImportFormat? = nil,
    scenario: String? = nil,
    store: String? = nil,
    options: ImportOptions = ImportOptions()
  ) {
    self.files = files
    self.format = format
    self.scenario = scenario
    self.store = store
    self.options = options
  }
}

/// Takes what other tools measured into the store, as nights of a scenario.
package struct ImportWorkflow {
  private let request: ImportRequest
  private let context: WorkflowContext

  package init(_ request: ImportRequest, in context: WorkflowContext) {
    self.request = request
    self.context = context
  }

  /// Reads every file, then stores all of them, or nothing when one is wrong.
  ///
  /// Values that an earlier import stored, of the same time, host, target, state and metric, are
  /// skipped.
  ///
  /// - Returns: What was stored.
  /// - Throws: `ImportError` with the problems of all files, ``WorkflowError`` when a file cannot be
  ///   read or the scenario has no name, and `StoreError`.
  package func run() throws -> ImportSummary {
    try request.files.reduce(CommandFiles()) { $0.reading($1, as: "the file") }
      .keeping(store: StoreLocation.path(request.store, beside: context.directory))
      .check()
    let scenario = try scenario
    var nights: [ImportedNight] = []
    var origins: [ImportedValue: String] = [:]
    var warnings: [Diagnostic] = []
    var problems: [Diagnostic] = []
    for path in request.files {
      do {
        let read = try read(path)
        if try format(of: path) == .hyperfine {
          problems += Self.clashes(of: read.nights, in: path, with: &origins)
        }
        nights += read.nights
        warnings += read.warnings
      } catch let error as ImportError {
        problems += error.problems
      }
    }
    guard problems.isEmpty else { throw ImportError(problems) }
    return try store(ImportedNight.merged(nights), of: scenario, warnings: warnings)
  }

  private var scenario: String {
    get throws {
      if let name = request.scenario {
        if !name.isEmpty { return name }
        throw WorkflowError.badOption(name: "--scenario", value: name, expected: "a name")
      }
      guard request.files.count == 1 else {
        throw WorkflowError.missingScenario(files: request.files.count)
      }
      return URL(filePath: request.files[0]).deletingPathExtension().lastPathComponent
    }
  }
}

// MARK: - Reading

extension ImportWorkflow {
  private func read(
    _ path: String
  ) throws -> (nights: [ImportedNight], warnings: [Diagnostic]) {
    let format = try format(of: path)
    let content: Data
    do {
      content = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw WorkflowError.cannotRead(path, because: error)
    }
    switch format {
    case .csv:
      let file = try CSVImport(content, path: path, options: request.options)
      return (file.nights, file.warnings)
    case .hyperfine:
      let file = try HyperfineImport(
        content,
        path: path,
        startedAt: request.options.date ?? Self.modification(of: path),
        options: request.options
      )
      return ([file.night], file.warnings)
    }
  }

  /// Results of two files of hyperfine with the same time, target, state and metric.
  ///
  /// Such a file does not say when it was measured, so they are two nights whose times are not known,
  /// such as those that were checked out together.
  ///
  /// - Parameters:
  ///   - nights: Those of a file.
  ///   - path: That of the file.
  ///   - origins: Which file each value is from; those of this file are added.
  /// - Returns: At most one problem.
  private static func clashes(
    of nights: [ImportedNight],
    in path: String,
    with origins: inout [ImportedValue: String]
  ) -> [Diagnostic] {
    var clash: Diagnostic?
    for night in nights {
      for arm in night.arms {
        for metric in arm.values.keys {
          let value = ImportedValue(night, arm, metric)
          if let other = origins.updateValue(path, forKey: value), other != path, clash == nil {
            clash = Diagnostic(
              .error,
              id: "same-time",
              problem: "\(arm.target) \(arm.state.rawValue) has the same time here as in \(other), "
                + night.startedAt.formatted(.iso8601),
              place: path,
              remedy:
                "import each file with its own --date; without it, its time is when it was written"
            )
          }
        }
      }
    }
    return clash.map { [$0] } ?? []
  }

  private func format(of path: String) throws -> ImportFormat {
    if let format = request.format { return format }
    switch URL(filePath: path).pathExtension.lowercased() {
    case "json": return .hyperfine
    case "csv": return .csv
    default: throw WorkflowError.unknownFormat(path: path)
    }
  }

  /// When the file was written, to the millisecond.
  private static func modification(of path: String) -> Date {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    let date = facts?[.modificationDate] as? Date ?? Date(timeIntervalSince1970: 0)
    return Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
  }
}

// MARK: - Storing

extension ImportWorkflow {
  private func store(
    _ nights: [ImportedNight],
    of scenario: String,
    warnings: [Diagnostic]
  ) throws -> ImportSummary {
    let path = StoreLocation.path(request.store, beside: context.directory)
    let store = try Store.writable(at: path)
    var known = try KnownValues(of: scenario, in: store)
    var runs: [FinishedRun] = []
    var taken: Set<String> = []
    for night in nights {
      guard let fresh = known.removingKnown(from: night) else { continue }
      let run = ImportedRun(fresh, scenario: scenario, directory: context.directory)
      let finished = try run.finished { id in try taken.contains(id) || store.hasRun(id) }
      taken.insert(finished.run.id)
      runs.append(finished)
    }
    try store.add(runs)
    return ImportSummary(
      scenario: scenario,
      store: path,
      runs: runs.map(Self.listing),
      skipped: known.skipped,
      verdict: runs.isEmpty ? nil : try judged(scenario, in: store),
      warnings: warnings
    )
  }

  /// What the newest night comes to; nil where it is not an imported one.
  private func judged(_ scenario: String, in store: Store) throws -> TrendSummary? {
    guard let newest = try store.nights(scenario: scenario, .newest).last else { return nil }
    let run = try store.run(newest.run)
    guard run.purpose == .imported else { return nil }
    try VerdictWorkflow(store: store, run: run).conclude(at: context.now())
    return try TrendWorkflow(store: store, scenario: scenario).summary(of: newest.run)
  }

  private static func listing(_ finished: FinishedRun) -> RunListing {
    let run = finished.run
    return RunListing(
      id: run.id,
      scenario: run.plan.scenario.name,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
      status: run.status,
      purpose: run.purpose,
      seed: run.plan.seed,
      arms: run.plan.arms,
      plannedLaunches: run.plan.launchCount,
      launches: finished.launches.count,
      blocks: run.plan.blockCount,
      fingerprint: run.host.fingerprint,
      commit: run.build?.commit
    )
  }
}

/// The values of a scenario that are stored already.
private struct KnownValues {
  private(set) var skipped = 0
  private var known: Set<Key> = []

  private struct Key: Hashable {
    var startedAt: Date
    var host: String
    var target: String
    var state: LaunchState
    var metric: Metric
  }

  init(of scenario: String, in store: Store) throws {
    // What somebody took out of history must not come back with the next import.
    let all = try store.series(
      scenario: scenario,
      metrics: Metric.allCases,
      includesLeftOut: true
    )
    for series in all {
      for point in series.points {
        known.insert(
          Key(
            startedAt: point.startedAt,
            host: series.key.fingerprint,
            target: series.key.target,
            state: series.key.state,
            metric: series.key.metric
          )
        )
      }
    }
  }

  /// What of a night is new; nil when nothing is.
  mutating func removingKnown(from night: ImportedNight) -> ImportedNight? {
    var night = night
    for index in night.arms.indices {
      let arm = night.arms[index]
      let isNew = arm.values.filter { metric, _ in
        !known.contains(
          Key(
            startedAt: night.startedAt,
            host: night.host,
            target: arm.target,
            state: arm.state,
            metric: metric
          )
        )
      }
      skipped += arm.values.count - isNew.count
      night.arms[index].values = isNew
    }
    night.arms.removeAll { $0.values.isEmpty }
    return night.arms.isEmpty ? nil : night
  }
}

/// What tells one imported value from others.
private struct ImportedValue: Hashable {
  var startedAt: Date
  var host: String
  var commit: String?
  var target: String
  var state: LaunchState
  var metric: Metric

  init(_ night: ImportedNight, _ arm: ImportedArm, _ metric: Metric) {
    (startedAt, host, commit) = (night.startedAt, night.host, night.commit)
    (target, state) = (arm.target, arm.state)
    self.metric = metric
  }
}
