import Foundation
import Testing

@testable import History
@testable import LaunchCore

@Suite struct LifeCycleTests {
  static let quiet = SuspicionTests.quiet

  /// A history whose newest night is 10 % worse, concluded with a verdict.
  static func regressed(_ verdict: Verdict) -> NightlyHistory {
    var nights = NightlyHistory()
    nights.add(quiet + [440])
    nights.conclude(verdict)
    return nights
  }

  struct Proved: Sendable {
    let verdict: Verdict
    let state: Alert.State
    let cause: Alert.Cause
  }

  @Test(arguments: [
    Proved(verdict: .regression, state: .confirmed, cause: .code),
    Proved(verdict: .same, state: .refuted, cause: .unknown),
    Proved(verdict: .inconclusive, state: .suspected, cause: .unknown),
    Proved(verdict: .improvement, state: .refuted, cause: .unknown),
  ])
  func `a proof settles a suspicion in one event`(_ example: Proved) throws {
    let nights = Self.regressed(example.verdict)
    let alert = try #require(nights.alerts.first)
    #expect(nights.alerts.count == 1)
    #expect(alert.number == 1)
    #expect(alert.state == example.state)
    #expect(alert.cause == example.cause)
    #expect(alert.events.count == 1)
    #expect(alert.onset == NightlyHistory.run(20))
    #expect(alert.lastGood == NightlyHistory.run(19))
    #expect(alert.isRed == (example.verdict == .regression))
  }

  @Test func `a suspicion without any proof stays suspected, and its end is told of once`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet + [440])
    nights.conclude { _ in .impossible(reason: "the build is gone") }
    #expect(nights.alerts.map(\.state) == [.suspected])
    for value in [441.0, 400, 401, 400] {
      nights.add([value])
      nights.conclude { _ in nil }
    }
    #expect(nights.alerts.map(\.state) == [.refuted])
    #expect(nights.alerts[0].events.count == 2)
  }

  /// Nights after a quiet month, and the level that the alert of the newest one has.
  struct Level: Sendable {
    let nights: [Double]
    let after: Double
  }

  @Test(arguments: [
    Level(nights: [407, 800], after: 800),
    // The alert begins with a smaller change.
    Level(nights: [412, 800], after: 800),
    Level(nights: [412, 413, 800, 804], after: 802),
    Level(nights: [440, 441, 440], after: 440),
    Level(nights: [440, 600, 441], after: 441),
    Level(nights: [393, 200], after: 200),
    // One night of the old level ends nothing.
    Level(nights: [412, 800, 400], after: 800),
  ])
  func `an unproved alert is as large as the level of tonight`(_ example: Level) throws {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    nights.addConcluded(example.nights)
    let alert = try #require(nights.alerts.first)
    #expect(nights.alerts.count == 1 && alert.state == .suspected && alert.events.count == 1)
    #expect(alert.after == example.after * 1e6)
    let range = AlertRange(alert, nights: nights.nights)
    #expect(range.bad.night?.run == nights.nights.last?.run)
    #expect(range.good.night?.run == NightlyHistory.run(19))
  }

  @Test func `the range of an alert ends before its level was back`() throws {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    nights.addConcluded([407, 440, 441, 400, 401, 400])
    let alert = try #require(nights.alerts.first)
    #expect(alert.state == .refuted)
    let range = AlertRange(alert, nights: nights.nights)
    #expect(range.bad.night?.run == NightlyHistory.run(22))
  }

  @Test func `a confirmed regression keeps its baseline and stays red without new events`() {
    var nights = Self.regressed(.regression)
    for _ in 0..<40 {
      nights.add([440])
      #expect(nights.conclude(.same).isEmpty)
    }
    #expect(nights.alerts.count == 1)
    #expect(nights.alerts[0].events.count == 1)
    #expect(nights.alerts[0].isRed)
    #expect(nights.verdicts.trends[0].assessment.outcome == .regression)
    #expect(nights.verdicts.judgements[0].baseline?.runs.last == NightlyHistory.run(19))
  }

  @Test(arguments: [Verdict.same, .improvement, .inconclusive, .regression])
  func `ends when the old level is back, as fixed only with a proof`(_ verdict: Verdict) {
    var nights = Self.regressed(.regression)
    nights.add([400])
    #expect(nights.conclude(verdict).isEmpty)
    nights.add([401])
    let requests = nights.conclude(verdict)
    #expect(requests.map(\.good.run) == [NightlyHistory.run(19)])
    let isFixed = verdict == .same || verdict == .improvement
    #expect(nights.alerts.map(\.state) == [isFixed ? .fixed : .confirmed])
    nights.add([400])
    nights.conclude(verdict)
    let expected: Alert.State =
      isFixed ? .fixed : verdict == .inconclusive ? .recovered : .confirmed
    #expect(nights.alerts.map(\.state) == [expected])
    #expect(nights.alerts[0].events.count == (verdict == .regression ? 1 : 2))
  }

  @Test func `without a proof only nights beyond doubt end a confirmed regression`() throws {
    var nights = NightlyHistory()
    let scattered = [397.0, 404, 391, 408, 400, 395, 409, 402, 393, 405]
    nights.add(scattered + scattered + [430])
    nights.conclude(.regression)
    nights.alerts[0].proof?.low = 1.025
    // The change is +3 %, and its nights scatter by as much: one in three looks like the old level.
    for value in [412.0, 404, 403, 421, 407, 405, 418, 411, 402, 406, 420, 405] {
      nights.add([value])
      nights.conclude { _ in .impossible(reason: "the build is gone") }
    }
    #expect(nights.alerts.map(\.isRed) == [true])
    for value in scattered + scattered {
      nights.add([value])
      nights.conclude { _ in .impossible(reason: "the build is gone") }
    }
    let alert = try #require(nights.alerts.first)
    #expect(alert.state == .recovered)
    let end = try #require(alert.events.last?.criteria.first { $0.id == "level-returned" })
    #expect((end.n ?? 0) >= 3)
    #expect((end.value ?? 0) >= 9_999)
  }

  @Test func `a change that was mended in part does not end`() {
    var nights = Self.regressed(.regression)
    for index in 0..<20 {
      nights.add([412 + Double(index % 3)])
      nights.conclude(.inconclusive)
    }
    #expect(nights.alerts.map(\.isRed) == [true])
  }

  @Test func `a revert to the last good tree is a fix without launches`() {
    var nights = Self.regressed(.regression)
    nights.add(["app": 400], tree: "tree-19")
    nights.conclude { _ in .sameBuild }
    nights.add(["app": 400], tree: "tree-19")
    nights.conclude { _ in .sameBuild }
    #expect(nights.alerts.map(\.state) == [.fixed])
  }

  @Test func `nights of an ended regression are no baseline, and those before count again`() throws
  {
    var nights = Self.regressed(.regression)
    nights.add(Array(repeating: 440, count: 5))
    nights.add([400])
    nights.add([400])
    nights.conclude(.same)
    #expect(nights.alerts.map(\.state) == [.fixed])
    nights.add([401])
    let baseline = try #require(nights.verdicts.judgements.first?.baseline)
    #expect(Set(baseline.runs).isDisjoint(with: (20..<26).map(NightlyHistory.run)))
    #expect(abs(baseline.median - 400e6) < 1e6)
  }

  @Test func `an acknowledged regression moves the baseline and is no longer red`() {
    var nights = Self.regressed(.regression)
    nights.alerts[0].state = .acknowledged
    for _ in 0..<3 {
      nights.add([440])
      nights.conclude(.same)
    }
    #expect(nights.verdicts.judgements[0].baseline == nil)
    #expect(nights.verdicts.trends[0].assessment.outcome == .acknowledged)
    nights.add([441, 440, 439, 440, 441, 440])
    #expect(nights.verdicts.judgements[0].baseline?.runs.first == NightlyHistory.run(20))
    nights.add([480])
    nights.conclude(.regression)
    #expect(nights.alerts.map(\.state) == [.acknowledged, .confirmed])
    #expect(nights.alerts.map(\.number) == [1, 2])
  }

  @Test func `an improvement that brings the old level back fixes an acknowledged regression`() {
    var nights = Self.regressed(.regression)
    nights.alerts[0].state = .acknowledged
    nights.add([441, 440, 439, 440, 441, 440, 441, 439, 440, 441])
    nights.conclude(.same)
    nights.add([400])
    nights.conclude(.improvement)
    #expect(nights.alerts.map(\.state) == [.fixed, .confirmed])
    #expect(nights.alerts.map(\.direction) == [.worse, .better])
  }

  @Test func `an improvement is confirmed once, and becomes the baseline`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet + [360])
    nights.conclude(.improvement)
    #expect(nights.alerts.map(\.state) == [.confirmed])
    #expect(!nights.alerts[0].isRed)
    #expect(nights.verdicts.trends[0].assessment.outcome == .improvement)
    for index in 0..<12 {
      nights.add([360 + Double(index % 3)])
      #expect(nights.conclude(.regression).isEmpty)
    }
    #expect(nights.alerts[0].events.count == 1)
    #expect(nights.verdicts.trends[0].assessment.outcome == .quiet)
    nights.add([400])
    nights.conclude(.regression)
    #expect(nights.alerts.map(\.state) == [.confirmed, .confirmed])
  }

  @Test func `does not prove a refuted suspicion again on the same build`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    nights.add(["app": 440], tree: "new")
    #expect(nights.conclude(.same).count == 2)
    nights.add(["app": 441], tree: "new")
    #expect(nights.conclude(.regression).isEmpty)
    #expect(nights.alerts.map(\.state) == [.refuted])
    nights.add(["app": 442], tree: "newer")
    #expect(nights.verdicts.proofs.count == 1)
  }

  @Test func `a step that lasts while the build is the same is the machine, and breaks the series`()
  {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    for index in 0..<6 {
      nights.add(["app": 440 + Double(index % 2)], tree: "tree-19")
      nights.conclude { _ in .sameBuild }
    }
    #expect(nights.alerts.map(\.state) == [.confirmed])
    #expect(nights.alerts[0].cause == .machine)
    #expect(!nights.alerts[0].isRed)
    #expect(nights.alerts[0].events.map(\.state) == [.refuted, .confirmed])
    let trend = nights.verdicts.trends[0]
    #expect(trend.breaks.map(\.index) == [20])
    #expect(trend.breaks.map(\.reason) == [.machine])
    #expect(trend.assessment.outcome == .quiet)
  }

  @Test func `a control that moves too makes it the machine on the second night`() {
    var nights = NightlyHistory()
    for value in Self.quiet { nights.add(["app": value, "control": value / 4], control: "c") }
    nights.add(["app": 440, "control": 110], control: "c")
    nights.conclude(.same)
    #expect(nights.alerts.map(\.state) == [.refuted])
    nights.add(["app": 441, "control": 110], control: "c")
    nights.conclude(.same)
    #expect(nights.alerts.map(\.state) == [.confirmed])
    #expect(nights.alerts.map(\.cause) == [.machine])
    let ids = nights.alerts[0].events[1].criteria.map(\.id)
    #expect(ids.contains("control-moved"))
  }

  @Test func `a proof outweighs a control that moved`() {
    var nights = NightlyHistory()
    for value in Self.quiet { nights.add(["app": value, "control": value / 4], control: "c") }
    nights.add(["app": 440, "control": 110], control: "c")
    nights.conclude(.regression)
    #expect(nights.alerts.map(\.cause) == [.code])
  }

  @Test func `neither control nor floor raises an alert`() {
    var nights = NightlyHistory()
    for value in Self.quiet { nights.add(["control": value, "empty": value], control: "c") }
    nights.add(["control": 500, "empty": 500], control: "c")
    #expect(nights.conclude(.regression).isEmpty)
    #expect(nights.alerts.isEmpty)
  }

  @Test func `numbers go on from the highest known one`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet + [440])
    let changed = nights.verdicts.changedAlerts(proofs: [], at: Date(), nextNumber: 18)
    #expect(changed.map(\.id) == ["R-18"])
    nights.alerts = changed
    #expect(nights.verdicts.trends[0].assessment.outcome == .suspected)
    #expect(nights.verdicts.trends[0].assessment.alert == 18)
  }

  @Test func `asks for two comparisons at most, the worst first`() {
    let names = ["a", "b", "c"]
    var nights = NightlyHistory(targets: names)
    for value in Self.quiet { nights.add(["a": value, "b": value, "c": value]) }
    nights.add(["a": 430, "b": 500, "c": 300])
    let proofs = nights.verdicts.proofs
    #expect(proofs.count == 1)
    #expect(proofs[0].series.map(\.target) == names)
    #expect(proofs[0].good.run == NightlyHistory.run(19))
  }
}

extension LifeCycleTests {
  @Test func `a level that got worse is a suspicion where nothing can be proved`() throws {
    var nights = NightlyHistory()
    nights.add(Self.quiet + Self.quiet.map { $0 * 1.04 })
    let proved = try #require(nights.verdicts.trends.first)
    #expect(proved.assessment.outcome == .quiet)
    nights.isImported = true
    let imported = try #require(nights.verdicts.trends.first)
    #expect(imported.assessment.outcome == .suspected)
    #expect(imported.worseLevel(RegressionRule())?.index == Self.quiet.count)
    // A month later it is the usual level, and a way back is no suspicion.
    nights.add(Self.quiet.map { $0 * 1.04 })
    #expect(nights.verdicts.trends[0].assessment.outcome == .quiet)
    nights.add(Self.quiet)
    #expect(nights.verdicts.trends[0].assessment.outcome == .quiet)
  }

  @Test func `targets that are imported at different hours of a day are one night`() {
    var nights = NightlyHistory()
    nights.isImported = true
    for (day, value) in Self.quiet.enumerated() {
      nights.add(["app": value], day: Double(day))
      nights.add(["other": value], day: Double(day) + 0.2)
    }
    func outcomes() -> [String] {
      nights.verdicts.trends.map { "\($0.key.target) \($0.assessment.outcome)" }.sorted()
    }
    #expect(outcomes() == ["app quiet", "other quiet"])
    nights.add(["app": 400], day: Double(Self.quiet.count))
    #expect(outcomes() == ["app quiet", "other missing"])
    nights.isImported = false
    #expect(outcomes() == ["app quiet"])
  }

  @Test func `proves a suspicion again on another build, and keeps the newest proof`() {
    var nights = Self.regressed(.inconclusive)
    #expect(nights.alerts[0].proof?.bad == "commit-tree-20")
    nights.add([441])
    let verdicts = nights.verdicts
    #expect(verdicts.proofs.map(\.good.run) == [NightlyHistory.run(19)])
    #expect(verdicts.proofs.map(\.effort) == [2])
    nights.conclude(.inconclusive)
    #expect(nights.alerts[0].proof?.bad == "commit-tree-21")
    #expect(nights.alerts[0].events.count == 1)
    nights.add([442])
    nights.conclude(.regression)
    #expect(nights.alerts.map(\.state) == [.confirmed])
    #expect(nights.alerts[0].onset == NightlyHistory.run(20))
  }

  @Test func `a suspicion from before another host ends at the break`() {
    var nights = Self.regressed(.inconclusive)
    nights.add([200], host: "other")
    nights.conclude { _ in nil }
    #expect(nights.alerts.map(\.state) == [.refuted])
    #expect(nights.verdicts.trends[0].assessment.outcome == .new)
  }

  @Test func `a machine change that goes back at once is recovered, and is no break`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    for _ in 0..<3 {
      nights.add(["app": 440], tree: "tree-19")
      nights.conclude { _ in .sameBuild }
    }
    #expect(nights.alerts.map(\.cause) == [.machine])
    nights.add(["app": 400], tree: "tree-19")
    nights.conclude { _ in .sameBuild }
    nights.add(["app": 401], tree: "tree-19")
    nights.conclude { _ in .sameBuild }
    #expect(nights.alerts.map(\.state) == [.recovered])
    #expect(nights.verdicts.trends[0].breaks.isEmpty)
    #expect(nights.verdicts.trends[0].assessment.outcome == .quiet)
  }

  @Test func `a suspicion the other way is none of the refuted one`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet + [440])
    nights.conclude(.same)
    nights.add([441])
    nights.conclude(.same)
    nights.add([340])
    nights.conclude(.improvement)
    #expect(nights.alerts.map(\.state) == [.refuted, .confirmed])
    #expect(nights.alerts.map(\.direction) == [.worse, .better])
  }

  @Test func `that an older build was not the cause does not make it the machine`() {
    var nights = NightlyHistory()
    nights.add(Self.quiet)
    nights.add(["app": 440], tree: "new")
    nights.conclude(.same)
    nights.add(["app": 441], tree: "other")
    nights.conclude { _ in .impossible(reason: "the build is gone") }
    var same = nights
    nights.add(["app": 440], tree: "other")
    nights.conclude { _ in .impossible(reason: "the build is gone") }
    #expect(nights.alerts.map(\.cause) == [.unknown])
    same.add(["app": 440], tree: "new")
    same.conclude { _ in nil }
    #expect(same.alerts.map(\.cause) == [.machine])
  }

  @Test(arguments: [Verdict.regression, .inconclusive, .same])
  func `on the build that was proved worse, only another proof ends a red alert`(
    _ verdict: Verdict
  ) {
    var nights = Self.regressed(.regression)
    nights.add(["app": 407], tree: "tree-20")
    nights.conclude(verdict)
    nights.add(["app": 407], tree: "tree-20")
    #expect(nights.verdicts.proofs.count == 1)
    var unproved = nights
    unproved.conclude { _ in .impossible(reason: "the build is gone") }
    #expect(unproved.alerts.map(\.isRed) == [true])
    nights.conclude(verdict)
    #expect(nights.alerts.map(\.state) == [verdict == .same ? .fixed : .confirmed])
    nights.add(["app": 441], tree: "tree-20")
    nights.conclude(verdict)
    #expect(nights.alerts[0].isRed == (verdict != .same))
  }
}
