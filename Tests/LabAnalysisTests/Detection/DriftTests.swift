import Testing

@testable import History
@testable import LaunchCore

@Suite struct DriftTests {
  /// Nights that rise by a share in all, with a scatter of half a percent.
  static func rising(_ share: Double, count: Int = 60) -> [Double] {
    (0..<count).map { index in
      let noise = [0, 2, -2, 1, -1][index % 5] as Double
      return 400 * (1 + share * Double(index) / Double(count)) + noise
    }
  }

  @Test func `a slow rise is proved against the build of then`() throws {
    var nights = NightlyHistory()
    nights.add(Self.rising(0.15))
    let check = try #require(nights.verdicts.trends[0].drifts.first)
    #expect(check.against == "30 nights ago")
    #expect(check.isBeyond)
    #expect(check.nights.count == 7)
    let drift = nights.verdicts.drift(of: nights.verdicts.judgements[0])
    #expect(drift.wanted == check)
    nights.conclude(.regression)
    #expect(nights.alerts.contains { $0.kind == .drift && $0.isRed })
    let count = nights.alerts.count { $0.kind == .drift }
    nights.add([460])
    nights.conclude(.regression)
    #expect(nights.alerts.count { $0.kind == .drift } == count)
  }

  @Test func `a drift of the machine is asked for again after 7 nights`() {
    var nights = NightlyHistory()
    nights.add(Self.rising(0.15))
    nights.conclude(.same)
    #expect(nights.alerts.filter { $0.kind == .drift }.map(\.state) == [.refuted])
    #expect(nights.alerts.filter { $0.kind == .drift }.map(\.cause) == [.machine])
    var asked: [Int] = []
    for index in 0..<8 {
      nights.add([461 + Double(index)])
      if nights.conclude(.same).contains(where: { $0.kind == .drift }) { asked.append(index) }
    }
    #expect(asked == [6])
  }

  @Test func `steady nights do not drift`() {
    var nights = NightlyHistory()
    nights.add(Self.rising(0))
    #expect(nights.verdicts.trends[0].drifts.allSatisfy { !$0.isBeyond })
  }

  @Test func `a step that has an alert is no drift`() throws {
    var nights = NightlyHistory()
    nights.add(Self.rising(0, count: 50) + [440])
    nights.conclude(.regression)
    nights.add([441, 440, 439, 440, 441, 440, 441])
    let check = try #require(nights.verdicts.trends[0].drifts.first)
    #expect(check.ratio > 1.09)
    #expect(abs(check.unexplained - 1) < 0.01)
    #expect(!check.isBeyond)
  }

  @Test(arguments: ["1970-01-11", "night-1010", "commit-tree-10"])
  func `a release is a date, a run or a commit`(_ anchor: String) throws {
    var nights = NightlyHistory()
    nights.scenario.releases = [Release(name: "2.1", anchor: anchor)]
    nights.add(Self.rising(0.15))
    let check = try #require(nights.verdicts.trends[0].drifts.last)
    #expect(check.against == "release 2.1")
    #expect(check.reference == NightlyHistory.run(10))
  }

  @Test func `a red drift does not end because the nights of then are slow by now`() {
    var nights = NightlyHistory()
    nights.add(Self.rising(0.15))
    nights.conclude(.regression)
    for index in 0..<100 {
      nights.add([460 + Double(index % 3)])
      nights.conclude(.same)
    }
    #expect(nights.verdicts.trends[0].drifts.allSatisfy { !$0.isBeyond })
    #expect(nights.alerts.filter { $0.kind == .drift }.map(\.isRed) == [true])
  }

  @Test func `a red drift ends when the newest nights are as good as those of then`() {
    var nights = NightlyHistory()
    nights.add(Self.rising(0.15))
    nights.concludeDrift(.regression)
    for _ in 0..<8 {
      nights.add([425])
      nights.conclude(.improvement)
    }
    #expect(nights.alerts.filter { $0.kind == .drift }.map(\.state) == [.recovered])
  }

  @Test func `a drift the other way does not settle an open suspicion`() throws {
    var nights = NightlyHistory()
    nights.add(Self.rising(0.15))
    nights.conclude(.inconclusive)
    var alert = try #require(nights.alerts.first { $0.kind == .drift })
    #expect(alert.state == .suspected)
    #expect(alert.direction == .worse)
    nights = NightlyHistory()
    nights.add(Self.rising(-0.15))
    nights.alerts = [alert]
    nights.add([341])
    nights.conclude(.improvement)
    alert = try #require(nights.alerts.first)
    #expect(alert.state == .refuted)
    #expect(!alert.isRed)
  }
}
