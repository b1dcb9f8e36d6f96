import Comparison
import Explanation
import Foundation
import LaunchCore
import LaunchHost
import Measuring

/// Launches and traces a culprit and its parent, to say why one is slower or faster.
struct CulpritTracing {
  /// How long launches may go on.
  static let timeLimit = Nanoseconds.seconds(60)

  let culprit: BisectCulprit

  private let start: BisectStart
  private let builds: LaunchedPair

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
    launchSeconds = course.engine.launchSeconds
    self.rights = rights
    let headline = summary.headline
    self.context = context.telling { event in
      switch event {
      case .started: observe(.explaining(headline))
      case .launched(_, _, let done, let total, _): observe(.traced(done: done, of: total))
      default: break
      }
    }
  }

  /// Why it is not tried, in lower case without a full stop; nil where it can be.
  var obstacle: String? {
    // Each block has a plain, a traced and a sampled launch of both.
    let seconds = launchSeconds * Double(6 * ExplainRequest.fewestLaunches)
    guard seconds * 1e9 > Double(Self.timeLimit.count) else { return nil }
    return "it would take \(BisectWords.estimate(seconds))"
  }

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
    var scenario = start.scenario.comparing([builds.parent, builds.culprit])
    scenario.controls = start.controls
    scenario.adaptive = nil
    for (index, name) in names.enumerated() { scenario.targets[index].name = name }
    let request = ExplainRequest(
      scenario: scenario,
      state: start.scenario.states.first ?? .warm,
      launches: ExplainRequest.mostLaunches,
      timeLimit: Self.timeLimit,
      seed: nil,
      commandLine: ["launchlab", "bisect"]
    )
    return try await ExplainWorkflow(request, in: context, rights: rights)
      .run(in: session, interrupt: interrupt)
  }

  /// What both are called: by their revisions, unless those are too long to be told apart.
  private var names: [String] {
    let words = BisectWords(start)
    let names = [culprit.parent, culprit.revisions.upperBound].map(words.short)
    return names[0] == names[1] ? ["before", "after"] : names
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
  ///   - result: What was found.
  ///   - culprit: What it was found of.
  ///   - log: The log of the bisection.
  ///   - path: The path of the log.
  /// - Returns: What is shown; nil where launches do not differ when they are traced.
  /// - Throws: `HostError` and ``WorkflowError`` for what cannot be written.
  static func keeping(
    _ result: ExplanationResult,
    of culprit: BisectCulprit,
    in log: BisectLog,
    at path: String
  ) throws -> Self? {
    let markdown = ExplanationMarkdown(result)
    guard let why = WhySentence(result).plain, let line = markdown.why() else { return nil }
    let files = ExplanationFiles(besideLog: path)
    try WholeFile(files.document).write { try ExplanationJSON(result).write(to: $0) }
    try WholeFile(files.flameGraph).write { try $0(FlameGraph(result).svg()) }
    let told = BisectExplanation(
      parentBuild: culprit.parentBuild,
      build: culprit.build,
      why: why,
      markdown: line,
      section: markdown.section()
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
