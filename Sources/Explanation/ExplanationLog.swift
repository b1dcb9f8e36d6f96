import Foundation
import LaunchCore
import LaunchHost
import Measuring
import Stages
import SystemPackage

/// A line of the log of an explanation; everything else is computed from these and from the files
/// beside them.
enum ExplanationEvent: Codable, Sendable {
  /// The first line.
  case started(ExplanationStart)

  /// From here on there is so much time for the launches, those before included.
  case limited(Nanoseconds)

  case launched(KeptLaunch)

  /// The instructions of the functions of the launch before.
  case counted(InstructionCounts)

  /// A block is complete; launches after the last of these were cut off.
  case block

  /// The functions of sampled launches have names; the file has them as the unwinder answered.
  case named(launches: [Int], file: String, notes: [String])

  /// How the launches differ by stage, or are made up of stages.
  case staged([StageDifference])

  /// The result is known, at these readings of the clock since the last launch.
  case ended(clock: [Nanoseconds], notes: [Diagnostic])
}

/// What an explanation was asked for, and where it is launched.
struct ExplanationStart: LogStart, Codable, Sendable {
  /// The version of what is kept and in which order; another one does not go on.
  var rules = Self.currentRules
  var id: String
  var startedAt: Date
  var request: ExplainRequest
  var rights: TracingRights

  /// Whether the instructions of functions can be counted.
  var hasCounter: Bool

  /// The files of the programs; nil where they are not known.
  var programs: [KeptFile?]
  var host: HostFacts
  var receipts: [ControlReceipt]
  var launchlabVersion = LaunchlabVersion.current

  static let currentRules = 3
}

/// A file that must not change while its program is launched.
struct KeptFile: Hashable, Codable, Sendable {
  var path: String
  var bytes: Int64

  /// When it was last changed, in nanoseconds since 1970.
  var changedAt: Int64

  /// What is at a path now; nil for nothing.
  init?(at path: String) {
    let file = FilePath(URL(filePath: path).resolvingSymlinksInPath().path)
    guard let status = DiskUse.status(of: file), let time = DiskUse.changedAt(file) else {
      return nil
    }
    self.path = path
    bytes = Int64(status.st_size)
    changedAt = time
  }
}

/// A launch as it is kept: what an explanation needs of it.
struct KeptLaunch: Codable, Sendable {
  var arm: Arm

  /// What was read from the clock since the launch before.
  var clock: [Nanoseconds]
  var preparation: Preparation?
  var outcome: Outcome
  var launch: Nanoseconds?
  var figures: Figures
  var flags: [LaunchFlag]
  var disturbances: [Disturbance]

  /// What a runtime printed of its modules, on launches that ask for it; nil where that was cut off.
  var output: Data?

  /// Without events where they are in a file, whose name is given.
  var timeline: LaunchTimeline?
  var timelineFile: String?

  /// Its path is the name of a file, which is there until its functions are named.
  var profile: ProfileRecording?
  var counts: InstructionCounts?

  /// The timeline with its events.
  ///
  /// - Parameter directory: That of the log.
  /// - Returns: Nil where there is none, or its file is not whole.
  func timeline(in directory: String) -> LaunchTimeline? {
    guard var timeline, let timelineFile else { return timeline }
    guard let bytes = HostTree().bytes(at: "\(directory)/\(timelineFile)"),
      let file = TimelineFile(bytes, process: timeline.process)
    else { return nil }
    timeline.events = file.events
    return timeline
  }
}

/// The log of an explanation as it was read.
package struct ExplanationRecord {
  let path: String
  let start: ExplanationStart

  /// How long launches may go on.
  private(set) var timeLimit: Nanoseconds

  /// Those of complete blocks, in order.
  private(set) var launches: [KeptLaunch] = []

  /// The readings of the clock after the last launch, of an explanation that has ended.
  private(set) var lastReadings: [Nanoseconds] = []

  /// What the reader must know of the lab, of an explanation that has ended; nil of others.
  private(set) var notes: [Diagnostic]?

  /// By the name of the file that was recorded.
  private(set) var profiles: [String: LaunchProfile] = [:]

  /// What was said of naming functions.
  private(set) var namingNotes: [String] = []

  /// What was said of stages; nil where that was not asked yet.
  private(set) var stages: [StageDifference]?

  /// The length of what is gone on with, in bytes.
  private(set) var length: Int

  var directory: String { (path as NSString).deletingLastPathComponent }

  /// Reads a log, up to its last complete block.
  ///
  /// - Parameter path: The file.
  /// - Throws: ``WorkflowError`` for what is no log, or one of other rules.
  package init(path: String) throws {
    let (start, lines) = try EventLog<ExplanationEvent>.read(.explanation, at: path) { event in
      if case .started(let start) = event { start } else { nil as ExplanationStart? }
    }
    self.path = path
    self.start = start
    timeLimit = start.request.timeLimit
    length = lines[0].end
    var launches: [KeptLaunch] = []
    // A block with a launch whose events are not there, as after a power failure, ends the log.
    lines: for (event, end) in lines.dropFirst() {
      notes = nil
      switch event {
      case .started: break
      case .limited(let limit): timeLimit = limit
      case .launched(let launch):
        guard launch.timeline == nil || launch.timeline(in: directory) != nil else { break lines }
        launches.append(launch)
        continue
      case .counted(let counts):
        if !launches.isEmpty { launches[launches.count - 1].counts = counts }
      case .block: break
      case .named(let numbers, let file, let notes):
        // What cannot be read any more is named again from what was recorded, or is missing.
        if let bytes = HostTree().bytes(at: "\(directory)/\(file)") {
          add(bytes, of: numbers.compactMap { launches.indices.contains($0) ? launches[$0] : nil })
        }
        namingNotes += notes
      case .staged(let found): stages = found
      case .ended(let clock, let notes):
        lastReadings = clock
        self.notes = notes
      }
      self.launches = launches
      length = end
    }
  }

  private mutating func add(_ bytes: [UInt8], of launches: [KeptLaunch]) {
    let recordings = launches.compactMap(\.profile)
    guard let found = StackReader.profiles(in: bytes, of: recordings) else { return }
    for (recording, profile) in zip(recordings, found) { profiles[recording.path] = profile }
  }

  /// The first file that has changed since; nil for none.
  var changedProgram: String? {
    start.programs.compactMap(\.self).first { KeptFile(at: $0.path) != $0 }?.path
  }
}

/// A laboratory whose launches are kept in a log, and which gives those that are in it already before it
/// makes others.
///
/// An explanation that is computed on it again asks the same as it did before, and so comes to the
/// same. A launch of an arm is the next one of that arm that is kept, whatever was launched between.
final class LoggedLaboratory: LaunchLaboratory {
  let host: HostFacts
  let receipts: [ControlReceipt]

  private var laboratory: (any LaunchLaboratory)?
  private let log: EventLog<ExplanationEvent>?
  private let path: String
  let id: String

  /// The launches that were not asked for yet, by their arm, each with its place in the clock.
  private var kept: [Arm: ArraySlice<(launch: KeptLaunch, place: Int)>] = [:]
  private let profiles: [String: LaunchProfile]
  private let namingNotes: [String]

  /// What is kept of stages; nil for nothing.
  let keptStages: [StageDifference]?

  /// The readings of the clock that are kept, and how many of them were given.
  private let clock: [Nanoseconds]
  private var given = 0

  /// What is added to the clock of the laboratory, so that it goes on where the kept one ended.
  private var offset: Nanoseconds?

  /// The readings that no launch was written with yet.
  private var readings: [Nanoseconds] = []

  /// The numbers of launches that are in the log, by the file that was recorded of them.
  private var numbers: [String: Int] = [:]
  private var count = 0

  /// That of the launch that comes next, if it is not kept.
  private var preparation: Preparation?

  /// Whether launches are made, and not only given again.
  private var isLive = false

  /// The block of launches, which begins for the laboratory with the first that is not kept.
  private var block = BlockState.none

  private enum BlockState { case none, asked, begun }

  var directory: String { (path as NSString).deletingLastPathComponent }

  /// Begins a log.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  init(
    _ laboratory: any LaunchLaboratory,
    startingAt path: String,
    with start: ExplanationStart
  ) throws {
    log = try EventLog(.explanation, startingAt: path, with: .started(start))
    self.laboratory = laboratory
    self.path = path
    (id, host, receipts) = (start.id, laboratory.host, laboratory.receipts)
    (clock, profiles, namingNotes, keptStages) = ([], [:], [], nil)
  }

  /// Gives the launches of a log.
  ///
  /// - Parameters:
  ///   - record: The log.
  ///   - laboratory: Where further ones are made; nil for none, as of an explanation that has ended.
  ///   - timeLimit: A new limit of the time of all launches.
  /// - Throws: ``WorkflowError`` where the log cannot be written to.
  init(
    _ record: ExplanationRecord,
    goingOnOn laboratory: (any LaunchLaboratory)? = nil,
    timeLimit: Nanoseconds? = nil
  ) throws {
    self.laboratory = laboratory
    path = record.path
    (id, host, receipts) = (record.start.id, record.start.host, record.start.receipts)
    (profiles, namingNotes) = (record.profiles, record.namingNotes)
    keptStages = record.stages
    var clock: [Nanoseconds] = []
    for (number, launch) in record.launches.enumerated() {
      clock += launch.clock
      kept[launch.arm, default: []].append((launch, clock.count))
      if let recorded = launch.profile?.path { numbers[recorded] = number }
    }
    count = record.launches.count
    self.clock = clock + (laboratory == nil ? record.lastReadings : [])
    log =
      laboratory == nil
      ? nil : try EventLog(.explanation, resumingAt: path, length: record.length)
    if log != nil { for name in record.profiles.keys { remove(name) } }
    if let timeLimit { try log?.append(.limited(timeLimit)) }
  }

  // MARK: - As a laboratory

  var notes: [Diagnostic] { laboratory?.notes ?? [] }

  var now: Nanoseconds {
    if !isLive, given < clock.count {
      defer { given += 1 }
      return clock[given]
    }
    guard let laboratory else { return clock.last ?? .zero }
    let reading = laboratory.now
    let offset = offset ?? (clock.last ?? reading) - reading
    self.offset = offset
    readings.append(reading + offset)
    return reading + offset
  }

  func prepare(_ arm: Arm) throws -> Preparation {
    if let next = kept[arm]?.first { return next.launch.preparation ?? Preparation() }
    try begin()
    preparation = try laboratory?.prepare(arm)
    return preparation ?? Preparation()
  }

  func launch(_ arm: Arm) throws -> LaunchResult {
    if let next = kept[arm]?.popFirst() {
      given = max(given, next.place)
      return result(of: next.launch)
    }
    try begin()
    guard var result = try laboratory?.launch(arm) else { throw exhausted }
    try keep(&result, of: arm)
    return result
  }

  private func begin() throws {
    guard laboratory != nil else { throw exhausted }
    isLive = true
    guard block == .asked else { return }
    try laboratory?.beginBlock()
    block = .begun
  }

  func beginBlock() { block = .asked }

  func endBlock() throws {
    defer { block = .none }
    guard block == .begun else { return }
    try laboratory?.endBlock()
    try log?.append(.block, isDurable: false)
  }

  func stopWaiting() { laboratory?.stopWaiting() }

  func close() { laboratory?.close() }

  private var exhausted: MissingLaunch { MissingLaunch(id: id) }

  /// Whether launches for modules are kept; nil where they can be made.
  var hasKeptModules: Bool? {
    laboratory == nil ? kept.keys.contains { $0.kind == .modules } : nil
  }

  private func result(of launch: KeptLaunch) -> LaunchResult {
    var result = LaunchResult(
      outcome: launch.outcome,
      launch: launch.launch,
      figures: launch.figures,
      flags: launch.flags,
      disturbances: launch.disturbances
    )
    if let output = launch.output {
      result.output.stderr = CapturedStream(head: Array(output), totalBytes: Int64(output.count))
    }
    result.timeline = launch.timeline(in: directory)
    result.profile = launch.profile
    result.profile?.path = launch.profile.map { "\(directory)/\($0.path)" } ?? ""
    result.functions = launch.counts
    return result
  }

  // MARK: - What is kept

  /// Writes a launch, and gives its files a place in the directory of the log.
  private func keep(_ result: inout LaunchResult, of arm: Arm) throws {
    guard let log else { return }
    var launch = KeptLaunch(
      arm: arm,
      clock: readings,
      preparation: preparation,
      outcome: result.outcome,
      launch: result.launch,
      figures: result.figures,
      flags: result.flags,
      disturbances: result.disturbances,
      output: arm.kind == .modules ? result.output.stderr.whole : nil,
      timeline: result.timeline,
      profile: result.profile
    )
    if let file = result.timelineFile {
      launch.timelineFile = try move(file, to: "\(count).timeline")
      launch.timeline?.events = []
    }
    if let recorded = result.profile?.path {
      let name = try move(recorded, to: "\(count).profile")
      launch.profile?.path = name
      result.profile?.path = "\(directory)/\(name)"
      numbers[name] = count
    }
    try log.append(.launched(launch), isDurable: false)
    (readings, preparation) = ([], nil)
    count += 1
  }

  private func move(_ file: String, to name: String) throws -> String {
    try place(name) { place in
      // One of a block that was cut off.
      try? FileManager.default.removeItem(atPath: place)
      try FileManager.default.moveItem(atPath: file, toPath: place)
    }
    return name
  }

  /// That of the store beside the log.
  var storeDirectory: String {
    (((directory as NSString).deletingLastPathComponent) as NSString).deletingLastPathComponent
  }

  private func place(_ name: String, _ body: (String) throws -> Void) throws {
    let place = "\(directory)/\(name)"
    do {
      try body(place)
    } catch {
      throw WorkflowError.cannotWrite(path: place, reason: HostError.reason(of: error, at: place))
    }
  }

  /// Keeps what was counted of the launch before.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func keep(_ counts: InstructionCounts) throws { try log?.append(.counted(counts)) }

  /// Names the functions of launches that were sampled, unless they have names already.
  ///
  /// - Parameter recordings: As ``launch(_:)`` gave them.
  /// - Returns: As ``StackReader/profiles(of:)``.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func profiles(
    of recordings: [ProfileRecording]
  ) async throws -> (profiles: [LaunchProfile?], notes: [String]) {
    func name(_ recording: ProfileRecording) -> String { recording.path.lastPathPart }
    let unnamed = recordings.filter { profiles[name($0)] == nil }
    let read = await StackReader().answer(of: unnamed)
    let named = Dictionary(
      zip(unnamed.map(name), read.profiles),
      uniquingKeysWith: { first, _ in first }
    )
    if let log, let bytes = read.bytes, let first = unnamed.first.flatMap({ numbers[name($0)] }) {
      let file = "\(first).stacks"
      try place(file) { try Data(bytes).write(to: URL(filePath: $0), options: .atomic) }
      let launches = unnamed.compactMap { numbers[name($0)] }
      try log.append(.named(launches: launches, file: file, notes: read.notes))
      // They hold what was on the stacks of the programs.
      for recording in unnamed { remove(name(recording)) }
    }
    return (
      recordings.map { profiles[name($0)] ?? named[name($0)] ?? nil }, namingNotes + read.notes
    )
  }

  /// Keeps what was said of stages.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func keep(_ stages: [StageDifference]) throws { try log?.append(.staged(stages)) }

  /// Writes that the result is known.
  ///
  /// - Parameter notes: What the reader must know of the lab.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func end(_ notes: [Diagnostic]) throws {
    guard let log else { return }
    try log.append(.ended(clock: readings, notes: notes))
    // Those that could not be named, and those of launches that were made again.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasSuffix(".profile") { remove(name) }
  }

  private func remove(_ name: String) {
    try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
  }

  /// Lets others go on with the log.
  func closeFile() { log?.close() }
}

/// A launch is asked for that is not in the log, and none is made.
struct MissingLaunch: LabError {
  let id: String

  var exitCode: LabExitCode { .couldNotMeasure }

  var diagnostics: [Diagnostic] {
    WorkflowError.cannotGoOn(.explanation, id: id, reason: "its log has too few launches")
      .diagnostics
  }
}

extension Error {
  /// Whether it only costs what launches of a kind of their own would have said: what becomes of them
  /// on a laboratory, and that they are not in a log for that reason.
  var isOfLaunch: Bool {
    if let error = self as? HostError { return error != .interrupted }
    return self is MissingLaunch || self is TargetFailure
  }
}

extension CapturedStream {
  /// All bytes; nil where some in the middle were not kept.
  fileprivate var whole: Data? {
    let bytes = head + tail
    return Int64(bytes.count) == totalBytes ? Data(bytes) : nil
  }
}
