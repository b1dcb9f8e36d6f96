import Foundation
import LabTestSupport
import Testing

@testable import Bisection
@testable import LaunchCore
@testable import Measuring

@Suite(.temporaryDirectory)
struct BisectLoopTests {
  private let path = "\(TemporaryDirectory.path)/bisect/id/log.jsonl"

  /// A bisection before its first step.
  private func loop(of start: BisectStart) throws -> BisectLoop {
    BisectLoop(
      course: BisectCourse(start),
      log: try BisectLog(startingAt: path, with: start),
      now: { SampleNight.evening }
    )
  }

  /// Bisects in one go.
  private func whole(_ range: SimulatedRange) async throws -> BisectCourse {
    let start = range.start()
    var loop = try loop(of: start)
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    loop.log.close()
    return loop.course
  }

  @Test func `finds the planted change and confirms it`() async throws {
    let course = try await whole(SimulatedRange())

    let answer = try #require(course.end)
    #expect(answer.outcome == .found)
    #expect(answer.culprits.map(\.revisions) == [17...17])
    #expect(course.engine.builds <= 9)
  }

  @Test func `names the set that broken commits hide the change in`() async throws {
    let range = SimulatedRange(broken: [15, 16])

    let course = try await whole(range)

    #expect(course.end?.culprits.map(\.revisions) == [15...17])
    let ends = try BisectRecord(path: path).events.compactMap { event in
      if case .ended(let end) = event { end.endedAt } else { nil }
    }
    #expect(ends == [SampleNight.evening])
    #expect(course.failures[16] == "it does not build" || course.failures[15] != nil)
  }

  @Test func `treats what cannot be launched as broken`() async throws {
    let course = try await whole(SimulatedRange(unlaunchable: [16]))

    #expect(course.end?.culprits.map(\.revisions) == [16...17])
    #expect(course.failures[16] == "it ended with status 1")
  }

  @Test func `sets a build aside that cannot be launched any more`() async throws {
    let course = try await whole(SimulatedRange(unlaunchable: [16], unlaunchableFrom: 60))

    #expect(course.end?.culprits.map(\.revisions) == [16...17])
    #expect(course.launched.contains(16))
    #expect(try BisectReplay(path: path).summary().answer == course.end)
  }

  @Test func `ends among the rows of a comparison when the time is over`() async throws {
    let range = SimulatedRange()
    var parameters = BisectParameters()
    parameters.limits.seconds = 4.045
    var loop = try loop(of: range.start(parameters))
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }

    #expect(loop.course.end?.outcome == .inconclusive(.timeSpent))
    #expect(launcher.rows == 5)
    #expect(loop.course.engine.launches == 10)
    #expect(builder.timesLeft == [4.045, 4.045 - 2])
    #expect(try BisectReplay(path: path).summary().answer == loop.course.end)
  }

  @Test func `blames no commit for a build that the end of the time has ended`() async throws {
    var parameters = BisectParameters()
    parameters.limits.seconds = 7
    let range = SimulatedRange(broken: [12])
    var loop = try loop(of: range.start(parameters))
    var builder = SimulatedBuilder(range: range)
    builder.failureSeconds = 5
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }

    #expect(loop.course.end?.outcome == .inconclusive(.timeSpent))
    #expect(loop.course.failures.isEmpty)
    #expect(loop.course.seconds > 9)
    #expect(builder.built == [0, 24, 12])
    #expect(try BisectReplay(path: path).summary().answer == loop.course.end)
  }

  @Test func `counts the time of launches that were given up, and of builds ahead`() async throws {
    let range = SimulatedRange()
    var course = BisectCourse(range.start())
    func built(_ revision: Int, waited: Double? = nil) -> BisectEvent {
      .built(BisectBuilt(revision: revision, seconds: 2, waited: waited))
    }
    #expect(course.apply(built(0)) == nil)
    #expect(course.apply(built(24, waited: 1.5)) == nil)
    let row = BisectRow(arms: [0, 24], values: [5e6, 5e6], seconds: 0.25)
    #expect(course.apply(.row(row)) == nil)
    #expect(course.seconds == 5.75)
    #expect(course.apply(.unlaunchable(revision: 24, reason: "it is gone")) == nil)
    #expect(course.seconds == 5.75)
    #expect(course.secondsLeft == nil)
  }

  @Test func `knows the middle of the values of both ends`() async throws {
    let course = try await whole(SimulatedRange(noise: 0))

    let medians = try #require(course.medians)
    #expect(medians.good == 5e6)
    #expect(abs(medians.bad / 5e6 - exp(0.08)) < 1e-6)
  }

  @Test func `compares the CPU times of both ends, which decide nothing`() throws {
    var course = BisectCourse(SimulatedRange().start())
    for revision in [0, 24] {
      #expect(course.apply(.built(BisectBuilt(revision: revision, seconds: 1))) == nil)
    }
    for number in 0..<16 {
      #expect(course.processorTime == nil || number >= 8)
      let times = [2e6 + Double(number), 2.2e6]
      let row = BisectRow(
        arms: [0, 24],
        values: [5e6, 5e6 * (number.isMultiple(of: 2) ? 2 : 0.5)],
        processorTimes: times,
        seconds: 0.01
      )
      #expect(course.apply(.row(row)) == nil)
    }
    let found = try #require(course.processorTime)
    #expect(found.pairs == 16)
    #expect(found.isClear(0.05) && !found.isSame(within: 0.05))
    #expect(abs(found.difference.estimate - log(1.1)) < 0.001)
    #expect(course.engine.launches == 32)
  }

  @Test func `fails politely when an end cannot be launched`() async throws {
    let course = try await whole(SimulatedRange(unlaunchable: [24]))

    #expect(course.end?.outcome == .failed(end: 24))
  }

  @Test func `gives up when no launch of the ends is over in time`() async throws {
    let course = try await whole(SimulatedRange(hangs: true))

    #expect(course.end?.outcome == .failed(end: 0))
    #expect(course.timeouts == 6)
    #expect(try BisectReplay(path: path).summary().answer == course.end)
  }

  @Test(arguments: [
    #""revisions":[]"#, #""skips":[99]"#, #""minimumEffect":-1"#,
  ])
  func `refuses a start that cannot be`(part: String) async throws {
    _ = try await whole(SimulatedRange())
    let name = part.prefix { $0 != ":" }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let pattern = try Regex("\(name):(\\[[^\\]]*\\]|[0-9.]+)")
    let other = text.replacing(pattern, with: part, maxReplacements: 1)
    #expect(other != text)
    try other.write(toFile: path, atomically: true, encoding: .utf8)
    #expect {
      try BisectRecord(path: path)
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.first?.id == "bad-bisection"
    }
  }

  @Test func `goes on from any line as if it had never stopped`() async throws {
    let range = SimulatedRange(broken: [12])
    let course = try await whole(range)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n")
    let directory = "\(TemporaryDirectory.path)/cut"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for count in stride(from: 1, to: lines.count, by: 7) {
      let cut = "\(directory)/\(count).jsonl"
      let torn = String((lines[count]).dropLast(3))
      let kept = lines[..<count].joined(separator: "\n") + "\n" + torn
      try kept.write(toFile: cut, atomically: true, encoding: .utf8)

      let record = try BisectRecord(path: cut)
      var loop = BisectLoop(
        course: try BisectReplay.course(of: record),
        log: try BisectLog(resumingAt: cut, length: record.length),
        now: { SampleNight.evening }
      )
      var builder = SimulatedBuilder(range: range)
      let rows = record.events.count { if case .row = $0 { true } else { false } }
      var launcher = SimulatedLauncher(range: range, rows: rows)
      try await loop.run(builder: &builder, launcher: &launcher) { _ in }
      loop.log.close()

      #expect(loop.course.end == course.end)
      let resumed = try String(contentsOfFile: cut, encoding: .utf8).split(separator: "\n")
      #expect(resumed.dropLast() == lines.dropLast())
      let before = Set(
        record.events.compactMap { event -> Int? in
          if case .built(let built) = event { built.revision } else { nil }
        }
      )
      #expect(before.isDisjoint(with: builder.built))
    }
  }

  /// Limits that end a bisection too early, and those it goes on with.
  struct Limits: CustomTestStringConvertible, Sendable {
    let low: BisectLimits
    let high: BisectLimits
    let obstacle: BisectObstacle
    var testDescription: String { obstacle.rawValue }
  }

  @Test(arguments: [
    Limits(
      low: BisectLimits(launches: 50),
      high: BisectLimits(launches: 8000),
      obstacle: .launchesSpent
    ),
    Limits(low: BisectLimits(builds: 3), high: BisectLimits(builds: 40), obstacle: .buildsSpent),
    Limits(low: BisectLimits(seconds: 8), high: BisectLimits(seconds: 800), obstacle: .timeSpent),
  ])
  func `goes on with higher limits, and can be replayed`(limits: Limits) async throws {
    let range = SimulatedRange()
    var parameters = BisectParameters()
    parameters.limits = limits.low
    var loop = try loop(of: range.start(parameters))
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    #expect(loop.course.end?.outcome == .inconclusive(limits.obstacle))
    #expect(loop.course.hasEnded == false)
    loop.log.close()

    let record = try BisectRecord(path: path)
    var course = try BisectReplay.course(of: record)
    #expect(course.hasEnded)
    let log = try BisectLog(resumingAt: path, length: record.length)
    try log.append(.limited(limits.high))
    #expect(course.apply(.limited(limits.high)) == nil)
    var second = BisectLoop(course: course, log: log, now: { SampleNight.evening })
    try await second.run(builder: &builder, launcher: &launcher) { _ in }
    log.close()

    #expect(second.course.end?.culprits.map(\.revisions) == [17...17])
    #expect(Set(builder.built).count == builder.built.count)
    let replayed = try BisectReplay(path: path).summary()
    #expect(replayed.answer == second.course.end)
    #expect(replayed.start.parameters.limits == limits.high)
  }

  @Test func `takes other limits among the rows of a comparison`() async throws {
    let range = SimulatedRange()
    var loop = try loop(of: range.start())
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0, rowsUntilInterrupt: 5)
    await #expect(throws: Interruption.self) {
      try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    }
    var course = loop.course
    #expect(course.apply(.limited(BisectLimits(launches: 40))) == nil)
    #expect(course.rows.count == 5)
    #expect(course.action == .launch(arms: [0, 24], rows: 16))
    #expect(course.start.parameters.limits.launches == 40)
    #expect(course.apply(.limited(BisectLimits(launches: 0))) != nil)
    #expect(course.apply(.limited(BisectLimits(seconds: .nan))) != nil)
  }

  @Test func `fewer launches do not undo what was found`() throws {
    let limits = BisectLimits(launches: 4000, builds: 10)
    var change = BisectLimitChange()
    change.launches = 3999
    #expect(throws: WorkflowError.self) { try change.raised(from: limits) }
    change.launches = 8000
    change.builds = 9
    #expect(throws: WorkflowError.self) { try change.raised(from: limits) }
    change.builds = nil
    change.seconds = 60
    let raised = try change.raised(from: limits)
    #expect(raised == BisectLimits(launches: 8000, builds: 10, seconds: 60))
  }

  @Test func `gives processors back before every build`() async throws {
    let range = SimulatedRange()
    var loop = try loop(of: range.start())
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    #expect(launcher.closed == builder.built.count)
  }

  @Test(arguments: ["", " of another compiler"])
  func `builds again what is gone, and refuses what differs`(version: String) async throws {
    let range = SimulatedRange()
    var loop = try loop(of: range.start())
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0, rowsUntilInterrupt: 5)
    await #expect(throws: Interruption.self) {
      try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    }
    builder.gone = [24]
    builder.version = version
    builder.stamp = " of another day"
    launcher.rowsUntilInterrupt = .max
    if version.isEmpty {
      try await loop.run(builder: &builder, launcher: &launcher) { _ in }
      #expect(loop.course.end?.culprits.map(\.revisions) == [17...17])
      #expect(builder.built.count { $0 == 24 } == 2)
    } else {
      await #expect(throws: WorkflowError.self) {
        try await loop.run(builder: &builder, launcher: &launcher) { _ in }
      }
    }
  }

  @Test func `says its end once`() async throws {
    let range = SimulatedRange()
    _ = try await whole(range)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let record = try BisectRecord(path: path)
    var loop = BisectLoop(
      course: try BisectReplay.course(of: record),
      log: try BisectLog(resumingAt: path, length: record.length),
      now: { SampleNight.evening }
    )
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0)
    try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(builder.built.isEmpty)
  }

  @Test func `keeps the rows of an action that was interrupted`() async throws {
    let range = SimulatedRange()
    var loop = try loop(of: range.start())
    var builder = SimulatedBuilder(range: range)
    var launcher = SimulatedLauncher(range: range, rows: 0, rowsUntilInterrupt: 5)
    await #expect(throws: Interruption.self) {
      try await loop.run(builder: &builder, launcher: &launcher) { _ in }
    }

    let course = try BisectReplay.course(of: BisectRecord(path: path))

    #expect(course.rows.count == 5)
    #expect(course.action == .launch(arms: [0, 24], rows: 16))
  }

  @Test func `replays its own log, and refuses one that was changed`() async throws {
    let course = try await whole(SimulatedRange())
    let replayed = try BisectReplay(path: path).summary()
    #expect(replayed.answer == course.end)

    let text = try String(contentsOfFile: path, encoding: .utf8)
    let other = text.replacing(#""revision":12,"#, with: #""revision":13,"#, maxReplacements: 1)
    #expect(other != text)
    try other.write(toFile: path, atomically: true, encoding: .utf8)
    #expect {
      try BisectReplay(path: path).summary()
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.first?.id == "other-decision"
    }
  }

  @Test func `refuses a log that ends otherwise than its events say`() async throws {
    _ = try await whole(SimulatedRange())
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try text.replacing("[[17,17]]", with: "[[16,16]]")
      .write(toFile: path, atomically: true, encoding: .utf8)

    #expect {
      try BisectReplay(path: path).summary()
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.first?.id == "other-decision"
    }
  }

  @Test(arguments: ["", "{}\n", "no json\n", #"{"resumed":{"at":"2026-11-21T04:30:00Z"}}"# + "\n"])
  func `refuses what is no log`(text: String) throws {
    let path = "\(TemporaryDirectory.path)/log.jsonl"
    try text.write(toFile: path, atomically: true, encoding: .utf8)

    #expect {
      try BisectRecord(path: path)
    } throws: { error in
      (error as? WorkflowError)?.diagnostics.first?.id == "bad-bisection"
    }
  }
}
