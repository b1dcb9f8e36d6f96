import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct SeriesChainTests {
  @Test func `an earlier host counts up to the first night of tonight's, behind a break`() throws {
    var nights = NightlyHistory()
    nights.add([400, 401], host: "old")
    nights.add([300], host: "new")
    nights.add([402], host: "old")
    nights.add([301], host: "new")
    let chain = try #require(nights.verdicts.judgements.first?.chain)
    #expect(chain.key.fingerprint == "new")
    #expect(chain.points.map(\.run) == [0, 1, 2, 4].map(NightlyHistory.run))
    #expect(chain.breaks.map(\.index) == [2])
    #expect(chain.breaks.map(\.reason) == [.host])
  }

  @Test func `equal machines are not in one line, old nights that name none are of any of them`()
    throws
  {
    var nights = NightlyHistory()
    nights.add([400, 401, 402, 403, 404, 405])
    for (night, identity) in [nil, nil, "a", "b", "a", "b"].enumerated() {
      nights.nights[night].identity = identity
    }
    let chain = try #require(nights.verdicts.judgements.first?.chain)
    #expect(chain.points.map(\.run) == [0, 1, 3, 5].map(NightlyHistory.run))
    #expect(chain.breaks.isEmpty)
  }

  @Test func `a machine in place of an equal one begins a part`() throws {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet + [500, 501, 502])
    for night in nights.nights.indices {
      nights.nights[night].identity = night < 20 ? "a" : "b"
      nights.nights[night].hostName = night < 20 ? "old one" : "new\u{1B}one"
    }
    let trend = try #require(nights.verdicts.trends.first)
    #expect(trend.segments.map(\.range) == [0..<20, 20..<23])
    #expect(trend.breaks.map(\.text) == ["host old one → new\\u{1B}one"])
    #expect(trend.changes.isEmpty)
  }

  @Test func `values on both sides of a break are not compared`() throws {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet, host: "old")
    nights.add([500, 501, 502, 500, 501, 500], host: "new")
    let trend = try #require(nights.verdicts.trends.first)
    #expect(trend.segments.map(\.range) == [0..<20, 20..<26])
    #expect(trend.changes.isEmpty)
    #expect(trend.assessment.outcome == .quiet)
    #expect(trend.assessment.overSevenNights == nil)
    #expect(trend.assessment.overOneNight == 500.0 / 501)
  }

  @Test func `another program of the control breaks the control's series alone`() {
    var nights = NightlyHistory()
    for night in 0..<10 {
      nights.add(["app": 400, "control": 100], control: night < 6 ? "one" : "two")
    }
    let breaks = nights.verdicts.trends.map { $0.breaks.map(\.reason) }
    #expect(breaks == [[], [.control]])
  }

  @Test func `another display breaks the series of programs with windows, a night without none`()
    throws
  {
    var nights = NightlyHistory()
    nights.scenario.targets[0].ready = .window(WindowCondition(.frame))
    nights.add(Array(repeating: 400, count: 6))
    let headless = "x11, headless, 1920x1080"
    let displays = [nil, headless, headless, headless, nil, "x11, the session's, with a GPU"]
    for (night, display) in displays.enumerated() { nights.nights[night].display = display }
    let chain = try #require(nights.verdicts.judgements.first?.chain)
    #expect(chain.breaks.map(\.index) == [5])
    #expect(chain.breaks.map(\.reason) == [.display])
    #expect(chain.breaks.first?.text == "display \(headless) → x11, the session's, with a GPU")
    nights.scenario.targets[0].ready = .exit
    #expect(nights.verdicts.judgements.first?.chain.breaks.isEmpty == true)
  }

  @Test func `no value is carried over to a night without one`() throws {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet)
    nights.add([:])
    let missing = try #require(nights.verdicts.trends.first)
    #expect(missing.assessment.outcome == .missing)
    #expect(missing.points.count == 20)
    nights.add(["app": 400])
    let next = try #require(nights.verdicts.trends.first)
    #expect(next.assessment.overOneNight == nil)
    #expect(next.assessment.overSevenNights != nil)
  }

  @Test func `failed nights and nights after tonight are not looked at`() throws {
    var nights = NightlyHistory()
    nights.add(SuspicionTests.quiet)
    nights.add(["app": 900], status: .failed)
    nights.add([400])
    let before = NightVerdicts(nights.history, tonight: NightlyHistory.run(21))
    nights.add([700, 700, 700])
    let later = NightVerdicts(nights.history, tonight: NightlyHistory.run(21))
    #expect(before.trends == later.trends)
    #expect(before.trends[0].points.count == 21)
  }

  @Test func `finds the changes of a history and sorts the worst series first`() throws {
    var nights = NightlyHistory(targets: ["a", "b"])
    for night in 0..<40 {
      let noise = Double(night % 3)
      nights.add(["a": 400 + noise, "b": night < 20 ? 300 + noise : 330 + noise, "control": 10])
    }
    nights.add(["a": 500, "b": 330, "control": 10])
    let trends = nights.verdicts.trends
    #expect(trends.map(\.key.target) == ["a", "b", "control"])
    #expect(trends.map(\.role) == [.target, .target, .control])
    #expect(trends[0].assessment.outcome == .suspected)
    #expect(trends[1].changes.map(\.index) == [20])
  }
}
