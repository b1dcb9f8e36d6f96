import Comparison
package import Explanation
import Foundation
import LaunchCore
import LaunchHost
package import Measuring

/// Launches and traces a culprit and its parent, to say why one is slower or faster.
struct CulpritTracing {
  let culprit: BisectCulprit

  private let start: BisectStart
  private let builds: LaunchedPair

  /// Whether the culprit has more slow launches, and why they are slow is to be said.
  private let isOfSlowLaunches: Bool

  /// How long a launch takes, in seconds.
  private let launchSeconds: Double

  private let context: WorkflowContext
  private let rights: (String) throws(HostError) -> TracingRights

  /// The only culprit of a bisection of launch times; nil where there is none, or where it is
  /// explained already.
  ///
  /// - Parameters:
  ///   - summary: What was found.
  ///   - course: How it was found.
  ///   - context: Where it is launched.
  ///   - rights: Finds out what this host lets be traced.
  ///   - observe: Told what goes on.
  init?(
    of summary: BisectSummary,
    _ course: BisectCourse,
    in context: WorkflowContext,
    _ rights: @escaping (String) throws(HostError) -> TracingRights,
    _ observe: @escaping (BisectProgressEvent) -> Void
  ) {
    guard summary.explanation == nil, !summary.isInterrupted,
      summary.start.measure == .metric(.launch), summary.answer.culprits.count == 1,
      let builds = summary.details.first?.builds
    else { return nil }
    culprit = summary.answer.culprits[0]
    start = course.start
    self.builds = builds
    isOfSlowLaunches = course.engine.phase == .tail
    launchSeconds = course.engine.launchSeconds
    self.rights = rights
    self.context = context.telling { event in
      switch event {
      case .started: observe(.explaining)
      case .launched(_, _, let done, let total, _): observe(.traced(done: done, of: total))
      default: break
      }
    }
  }

  /// Why it is not tried, in lower case without a full stop; nil where it can be.
  var obstacle: String? {
    ExplainRequest.obstacle(launchSeconds: launchSeconds, timeLimit: timeLimit)
  }

  private var timeLimit: Nanoseconds { start.scenario.explanationRule.time }

  /// Launches both until reasons are named and confirmed.
  ///
  /// - Parameters:
  ///   - session: The lab; it ends with these launches.
  ///   - interrupt: Ends them when it is set.
  /// - Returns: What is concluded.
  /// - Throws: a ``LabError`` when the host does not let launches be traced, or they fail.
  func result(
    in session: LabSession,
    interrupt: InterruptFlag
  ) async throws -> ExplanationResult {
    var request = ExplainRequest(
      scenario: start.comparing(builds, of: culprit),
      state: start.scenario.states.first ?? .warm,
      launches: ExplainRequest.mostLaunches,
      timeLimit: timeLimit,
      seed: nil,
      commandLine: ["launchlab", "bisect"]
    )
    if isOfSlowLaunches { request.explainSlow() }
    return try await ExplainWorkflow(request, in: context, rights: rights)
      .run(in: session, interrupt: interrupt)
  }
}

extension BisectStart {
  /// The scenario with a culprit and its parent as targets.
  fileprivate func comparing(_ builds: LaunchedPair, of culprit: BisectCulprit) -> Scenario {
    var scenario = scenario.comparing([builds.parent, builds.culprit])
    scenario.controls = controls
    scenario.adaptive = nil
    let words = BisectWords(self)
    let names = [culprit.parent, culprit.newest].map(words.short)
    // Both are called by their revisions, unless those are too long to be told apart.
    scenario.targets[0].name = names[0] == names[1] ? "before" : names[0]
    scenario.targets[1].name = names[0] == names[1] ? "after" : names[1]
    return scenario
  }
}

/// The culprit of a bisection that has ended and its parent, to be launched again and traced.
package struct StoredCulprit {
  private let options: ExplainOptions
  private let context: WorkflowContext

  /// - Parameters:
  ///   - options: Say which store the bisection is beside, and how launches are made.
  ///   - context: Where it is launched.
  package init(_ options: ExplainOptions, in context: WorkflowContext) {
    self.options = options
    self.context = context
  }

  /// What explains a culprit.
  ///
  /// - Parameter id: The first digits of the id of a bisection, or `last`.
  /// - Returns: Both builds as targets, called by their revisions.
  /// - Throws: a ``LabError`` for a bisection that is none, has not just one culprit, or whose builds
  ///   are gone.
  package func request(ofBisection id: String) throws -> ExplainRequest {
    let resumed = BisectOptions(
      launching: options.comparison.launching,
      store: options.comparison.store,
      words: []
    )
    let bisection = try BisectRequest(resuming: id, resumed, in: context)
    guard case .resumed(let record) = bisection.beginning else {
      preconditionFailure("a bisection that is resumed has a record")
    }
    let course = try BisectReplay.course(of: record)
    let summary = BisectSummary(course, log: record.path, isInterrupted: course.end == nil)
    let culprits = summary.answer.culprits
    let again = "launchlab bisect --resume \(course.start.id)"
    guard let culprit = culprits.first, culprits.count == 1 else {
      throw WorkflowError.cannotExplain(
        reason: culprits.isEmpty
          ? "bisection \(course.start.id) has no culprit"
          : "bisection \(course.start.id) has \(culprits.count) culprits",
        remedy: culprits.isEmpty
          ? "go on with `\(again)`"
          : "compare two revisions with `launchlab explain --revisions A..B SCENARIO`"
      )
    }
    let builder = try bisection.builder(of: course.start, interrupt: context.interrupt())
    let isKept = [culprit.parentBuild, culprit.build].allSatisfy { index in
      course.builds[index].map(builder.isLaunchable) ?? false
    }
    guard let builds = summary.details.first?.builds, isKept else {
      throw WorkflowError.cannotExplain(
        reason: "the builds of bisection \(course.start.id) are gone",
        remedy: course.start.artifacts.map { "put its executables back into \($0)" }
          ?? "build them with `launchlab explain --revisions A..B SCENARIO`, A being the parent"
      )
    }
    var request = try options.request(
      of: course.start.comparing(builds, of: culprit),
      in: course.start.scenario.states.first ?? .warm,
      ["--bisect", course.start.id]
    )
    if course.engine.phase == .tail { request.explainSlow() }
    return request
  }
}

extension CulpritExplanation {
  /// What a log says of it, with the files beside the log.
  init(_ told: BisectExplanation, besideLog log: String) {
    let files = ExplanationFiles(besideLog: log)
    let document = try? Data(contentsOf: URL(filePath: files.document))
    let isSound = document.map { (try? JSONSerialization.jsonObject(with: $0)) != nil } ?? false
    let hasPicture = FileManager.default.fileExists(atPath: files.flameGraph)
    self.init(
      told,
      document: isSound ? document.flatMap { String(data: $0, encoding: .utf8) } : nil,
      flameGraph: hasPicture ? files.flameGraph : nil
    )
  }

  /// Keeps what was found: the files first, and then the event that says they are there.
  ///
  /// - Parameters:
  ///   - kept: What was found.
  ///   - culprit: What it was found of.
  ///   - log: The log of the bisection.
  ///   - path: The path of the log.
  /// - Returns: What is shown.
  /// - Throws: `HostError` and ``WorkflowError`` for what cannot be written.
  static func keeping(
    _ kept: KeptExplanation,
    of culprit: BisectCulprit,
    in log: BisectLog,
    at path: String
  ) throws -> Self {
    let files = ExplanationFiles(besideLog: path)
    let documents = kept.documents
    try WholeFile(files.document).write { try $0(documents.json) }
    try WholeFile(files.flameGraph).write { try $0(documents.flameGraph) }
    let told = BisectExplanation(
      parentBuild: culprit.parentBuild,
      build: culprit.build,
      why: kept.why,
      markdown: "**Why**: \(kept.markdown)",
      section: kept.section
    )
    try log.append(.explained(told))
    return Self(told, besideLog: path)
  }
}

/// Where the parts of an explanation are that are too large for the log.
private struct ExplanationFiles {
  let document: String
  let flameGraph: String

  init(besideLog log: String) {
    let directory = (log as NSString).deletingLastPathComponent
    document = "\(directory)/explanation.json"
    flameGraph = "\(directory)/explanation.svg"
  }
}
