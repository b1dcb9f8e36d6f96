import Foundation
package import LaunchCore
import Measuring

/// A bisection as it is asked for on the command line, in the words that were typed.
package struct BisectOptions: Sendable {
  /// Such as `v1.0..HEAD`, or `v3..v9` of artifacts; nil where something else says it.
  package var range: String?

  /// The scenario file; nil for a command.
  package var scenario: String?

  /// How a command is launched, where there is no scenario.
  package var launching: MeasureOptions

  /// What builds a command, where there is no scenario.
  package var build: String?

  /// `required`, `try` or `off` for that build; nil for `try`.
  package var submodules: String?

  /// A directory of ready-made executables, one per version.
  package var artifacts: String?

  /// An alert that says range, target, state and metric.
  package var alert: String?

  package var target: String?
  package var state: String?
  package var metric: String?

  /// `regression`, `improvement` or `any`; nil for a regression.
  package var find: String?

  /// Such as `1%`.
  package var minimumEffect: String?
  package var confidence: String?

  package var findsAll: Bool
  package var isForced: Bool

  package var mostLaunches: Int?
  package var mostBuilds: Int?

  /// Such as `2h`.
  package var mostTime: String?
  package var buildTimeout: String?

  /// How many builds are made at the same time, at least 1; nil for one.
  package var jobs: Int?

  /// Whether builds that have failed before are tried again.
  package var retriesFailures: Bool

  /// Whether a culprit is launched and traced, to say why it is slower or faster.
  package var explains: Bool

  /// Revisions that cannot be built.
  package var skips: [String]

  /// Commits that touch one of these paths are likelier to be the change.
  package var paths: [String]

  package var store: String?

  /// The words of the command line after `bisect`, for commands that repeat some of them.
  package var words: [String]

  package init(
    range: String? = nil,
    scenario: String? = nil,
    launching: MeasureOptions,
    build: String? = nil,
    submodules: String? = nil,
    artifacts: String? = nil,
    alert: String? = nil,
    target: String? = nil,
    state: String? = nil,
    metric: String? = nil,
    find: String? = nil,
    minimumEffect: String? = nil,
    confidence: String? = nil,
    findsAll: Bool = false,
    isForced: Bool = false,
    mostLaunches: Int? = nil,
    mostBuilds: Int? = nil,
    mostTime: String? = nil,
    buildTimeout: String? = nil,
    jobs: Int? = nil,
    retriesFailures: Bool = false,
    explains: Bool = true,
    skips: [String] = [],
    paths: [String] = [],
    store: String? = nil,
    words: [String]
  ) {
    self.range = range
    self.scenario = scenario
    self.launching = launching
    self.build = build
    self.submodules = submodules
    self.artifacts = artifacts
    self.alert = alert
    self.target = target
    self.state = state
    self.metric = metric
    self.find = find
    self.minimumEffect = minimumEffect
    self.confidence = confidence
    self.findsAll = findsAll
    self.isForced = isForced
    self.mostLaunches = mostLaunches
    self.mostBuilds = mostBuilds
    self.mostTime = mostTime
    self.buildTimeout = buildTimeout
    self.jobs = jobs
    self.retriesFailures = retriesFailures
    self.explains = explains
    self.skips = skips
    self.paths = paths
    self.store = store
    self.words = words
  }
}

/// Where bisections are kept: a directory each, beside the store.
struct BisectLocation {
  /// The absolute path of the directory of the store.
  let storeDirectory: String

  /// The absolute path of the directory of all bisections.
  var directory: String { "\(storeDirectory)/bisect" }

  init(storeDirectory: String) { self.storeDirectory = storeDirectory }

  /// Finds the place beside a store.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for a store that is a directory.
  init(besideStore path: String) throws(WorkflowError) {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard !path.hasSuffix("/"), !(exists && isDirectory.boolValue) else {
      let directory = path.hasSuffix("/") ? path : path + "/"
      throw .badOption(
        name: "--store",
        value: path,
        expected: "the path of a file, such as \(directory)launchlab.sqlite"
      )
    }
    self.init(storeDirectory: (path as NSString).deletingLastPathComponent)
  }

  /// The log of a bisection.
  func log(of id: String) -> String { "\(directory)/\(id)/log.jsonl" }

  /// Where the culprit report goes.
  func report(of id: String) -> String { "\(directory)/\(id)/report.md" }

  /// The ids of all bisections, the newest last.
  var ids: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { FileManager.default.fileExists(atPath: log(of: $0)) }.sorted()
  }

  /// The one bisection whose id begins with some digits; `last` means the newest.
  ///
  /// - Throws: ``WorkflowError/unknownBisection(id:problem:newest:)``.
  func id(_ name: String) throws -> String {
    let ids = ids
    if name == "last", let last = ids.last { return last }
    let found = ids.filter { $0.hasPrefix(name) }
    if found.contains(name) { return name }
    guard found.count == 1 else {
      let newest = ids.suffix(3).joined(separator: ", ")
      throw WorkflowError.unknownBisection(
        id: name,
        problem: found.isEmpty
          ? "none in \(directory)" : "\(found.count) begin with it",
        newest: newest
      )
    }
    return found[0]
  }
}
