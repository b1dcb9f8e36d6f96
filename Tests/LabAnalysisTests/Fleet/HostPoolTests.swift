import Testing

@testable import History
@testable import LaunchCore

@Suite struct HostPoolTests {
  /// Nights of a small scatter, another one for each host.
  static func quiet(_ host: Int, nights: Int = 30) -> [Double] {
    let steps = [0, 2, -2, 1, -1] as [Double]
    return (0..<nights).map { Double(400 + 50 * host) + steps[($0 + 2 * host) % 5] }
  }

  /// The quiet nights of hosts `h0`, `h1` and so on, and tonight in percent off 400, 450 and so on; a host
  /// without a value tonight is not a number.
  static func series(_ tonight: [Double], nights: Int = 30) -> [HostSeries] {
    tonight.enumerated().map { host, percent in
      let value = Double(400 + 50 * host) * (1 + percent / 100)
      return Self.host(host, quiet(host, nights: nights) + [value])
    }
  }

  /// Values in milliseconds, from the first night on.
  static func host(_ host: Int, _ values: [Double], first: Int = 0) -> HostSeries {
    HostSeries(
      host: "h\(host)",
      nights: values.enumerated().map { night, value in
        HostNight(night: SimulatedFleet.label(first + night), median: 1e6 * value)
      }
    )
  }

  static func pool(
    _ series: [HostSeries],
    night: Int = 30,
    rule: RegressionRule = RegressionRule(),
    alerts: [Alert] = []
  ) -> HostPool {
    HostPool(
      SimulatedFleet.key,
      of: series,
      tonight: SimulatedFleet.label(night),
      rule: rule,
      alerts: alerts
    )
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let tonight: [Double]
    let verdict: HostPool.Verdict
    var dissenting: [String] = []

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "no host", tonight: [], verdict: .tooFewHosts),
    Case(name: "one host off", tonight: [5], verdict: .tooFewHosts, dissenting: ["h0"]),
    Case(name: "two as they were", tonight: [0, 0], verdict: .tooFewHosts),
    Case(name: "one of two off", tonight: [5, 0], verdict: .differs, dissenting: ["h0"]),
    Case(name: "both off", tonight: [5, 5], verdict: .tooFewHosts, dissenting: ["h0", "h1"]),
    Case(
      name: "both off, in two directions",
      tonight: [5, -5],
      verdict: .differs,
      dissenting: ["h0", "h1"]
    ),
    Case(name: "one of three off", tonight: [0, 5, 0], verdict: .differs, dissenting: ["h1"]),
    Case(name: "four as they were", tonight: [0, 0, 0, 0], verdict: .quiet),
    Case(name: "four off", tonight: [5, 5, 5, 5], verdict: .suspicion(.worse)),
    Case(
      name: "three of four off",
      tonight: [5, 5, 5, 0],
      verdict: .suspicion(.worse),
      dissenting: ["h3"]
    ),
    Case(
      name: "two of four off: the median moves, but half of the hosts do not",
      tonight: [9, 9, 0, 0],
      verdict: .quiet,
      dissenting: ["h0", "h1"]
    ),
    Case(
      name: "all better, one without a change",
      tonight: [-5, -5, 0, -5, -5],
      verdict: .suspicion(.better),
      dissenting: ["h2"]
    ),
    Case(name: "one of five", tonight: [9, 0, 0, 0, 0], verdict: .quiet, dissenting: ["h0"]),
    Case(
      name: "four of six, exactly two thirds",
      tonight: [5, 5, 5, 5, 0, 0],
      verdict: .suspicion(.worse),
      dissenting: ["h4", "h5"]
    ),
    Case(name: "all within the limit", tonight: [1.9, 1.9, 1.9, 1.9], verdict: .quiet),
    Case(name: "all equal", tonight: [0, 0, 0, 0, 0], verdict: .quiet),
    Case(
      name: "a host without a value",
      tonight: [5, 5, 5, .nan],
      verdict: .tooFewHosts,
      dissenting: ["h0", "h1", "h2"]
    ),
  ]

  @Test(arguments: cases)
  func `judges hosts together`(test: Case) {
    let pool = Self.pool(Self.series(test.tonight))
    #expect(pool.verdict == test.verdict)
    #expect(pool.dissenting == test.dissenting)
  }

  @Test func `the pooled series is the median of deviations at the median level`() throws {
    let pool = Self.pool(Self.series([1, 2, 3, 4, 50]))
    let chain = try #require(pool.judgement?.chain)
    #expect(pool.level == 5e8)
    #expect(chain.points.count == 31)
    #expect(abs((chain.points.last?.median ?? 0) - 5.15e8) < 1)
    #expect(chain.points.last?.n == 5)
    #expect(abs((chain.points.last?.medianAbsoluteDeviation ?? 0) - 5e6) < 1)
    #expect(abs((pool.share ?? 0) - 0.03) < 0.003)
    #expect(pool.hosts.map { (100 * ($0.share ?? 0)).rounded() } == [1, 2, 3, 4, 50])
    #expect(abs((pool.share(ofMargins: 2) ?? 0) - 0.04) < 1e-12)
  }

  @Test func `a small change is a suspicion when the newest nights of most hosts agree`() {
    let off = [2.6, 2.6, 2.6, 2.6, 0]
    var series = Self.series(off)
    #expect(Self.pool(series).verdict == .quiet)
    for night in [31, 32] {
      for host in off.indices {
        series[host].nights.append(
          HostNight(
            night: SimulatedFleet.label(night),
            median: 1e6 * Double(400 + 50 * host) * (1 + off[host] / 100)
          )
        )
      }
    }
    #expect(Self.pool(series, night: 31).verdict == .suspicion(.worse))
    #expect(Self.pool(series, night: 32).dissenting == ["h4"])
  }

  @Test func `nights that a host has missed are left out, and no value is carried over`() throws {
    var series = Self.series([5, 5, 5, 5, 0])
    series[0].nights.removeSubrange(10..<14)
    series[1].nights.removeSubrange(11..<13)
    series[2].nights[12].median = .nan
    let pool = Self.pool(series)
    #expect(pool.verdict == .suspicion(.worse))
    // On these nights fewer than four of five have a value.
    let runs = try #require(pool.judgement?.chain.points.map(\.run))
    #expect(
      Set(SimulatedFleet.labels[...30]).subtracting(runs) == [11, 12].map(SimulatedFleet.label).set
    )
    #expect(pool.hosts[0].baseline.runs.count == 23)
  }

  @Test func `hosts join late, and break on nights of their own`() {
    var series = Self.series([5, 5, 5, 5, 5])
    series[3].nights.removeFirst(25)
    series[4].nights.removeFirst(26)
    series.append(Self.host(9, [400, 400]))
    let pool = Self.pool(series)
    #expect(pool.hosts.map(\.host) == ["h0", "h1", "h2", "h3"])
    #expect(pool.hosts.map(\.baseline.runs.count) == [27, 27, 27, 5])
    #expect(
      pool.absent == [
        AbsentHost(host: "h4", reason: .new), AbsentHost(host: "h9", reason: .missing),
      ]
    )
    #expect(pool.verdict == .suspicion(.worse))
  }

  @Test func `hosts with hardly a night in common have no pooled baseline`() {
    let series = (0..<4).map { host in
      Self.host(host, [Double(400 + host), 401, 402, 403, 404], first: 6 * host)
    }
    let tonight = series.map { one in
      var one = one
      one.nights.append(HostNight(night: SimulatedFleet.label(30), median: 5e8))
      return one
    }
    #expect(Self.pool(tonight).verdict == .new)
  }

  @Test func `later nights are not looked at`() {
    let series = Self.series([0, 0, 0, 0])
    #expect(Self.pool(series, night: 20).verdict == .quiet)
    #expect(Self.pool(series, night: 20).hosts[0].baseline.runs.count == 17)
    #expect(
      Self.pool(series, night: 31).absent.map(\.reason) == Array(repeating: .missing, count: 4)
    )
  }

  @Test func `a level of 0 is judged by the smallest change`() {
    let still = (0..<4).map { host in Self.host(host, Array(repeating: 0, count: 31)) }
    #expect(Self.pool(still).verdict == .quiet)
    let moved = (0..<4).map { Self.host($0, Array(repeating: 0, count: 30) + [1]) }
    let pool = Self.pool(moved)
    #expect(pool.verdict == .suspicion(.worse))
    #expect(pool.share == nil)
    #expect(pool.share(ofMargins: 1) == nil)
    #expect(pool.hosts[0].share == nil)
  }

  @Test func `a limit of a host counts for that host, and the floor for all`() {
    var series = Self.series([5, 5, 5, 5])
    series[0].effect = 0.2
    series[1].effect = 0.2
    #expect(Self.pool(series).verdict == .quiet)
    let rule = RegressionRule(floor: .milliseconds(100))
    #expect(Self.pool(Self.series([5, 5, 5, 5]), rule: rule).verdict == .quiet)
    #expect(
      Self.pool(Self.series([5, 5, 5, 5]), rule: RegressionRule(effect: 0)).verdict
        == .suspicion(.worse)
    )
  }

  @Test func `a quarantined host has no say`() {
    var series = Self.series([5, 5, 5, 5, 0, 0, 0])
    for host in 4...6 { series[host].isQuarantined = true }
    let pool = Self.pool(series)
    #expect(pool.verdict == .suspicion(.worse))
    #expect(pool.pool.count == 4)
    #expect(pool.dissenting.isEmpty)
  }

  @Test func `nights of an open alert enter no baseline`() {
    var series = Self.series([5, 5, 5, 5])
    for night in 31..<60 {
      for host in series.indices {
        let value = 1.05e6 * Double(400 + 50 * host)
        series[host].nights.append(HostNight(night: SimulatedFleet.label(night), median: value))
      }
    }
    #expect(Self.pool(series, night: 59).verdict == .quiet)
    let alert = Alert(
      number: 1,
      kind: .step,
      series: SimulatedFleet.key,
      direction: .worse,
      state: .confirmed,
      cause: .code,
      onset: SimulatedFleet.label(30),
      lastGood: SimulatedFleet.label(29),
      before: 4.75e8,
      after: 5e8,
      events: []
    )
    let pool = Self.pool(series, night: 59, alerts: [alert])
    #expect(pool.verdict == .suspicion(.worse))
    #expect(pool.judgement?.pending == alert)
  }

  @Test func `the false-discovery control looks at all pooled series`() {
    let quiet = (0..<40).map { _ in Self.pool(Self.series([0, 0, 0, 0])) }
    let off = Self.pool(Self.series([5, 5, 5, 5]))
    let few = Self.pool(Self.series([5, 0]))
    let controlled = (quiet + [off, few]).controllingFalseDiscoveries()
    #expect(controlled[40].judgement?.discovery?.n == 41)
    #expect(controlled[40].verdict == .suspicion(.worse))
    #expect(controlled[41].verdict == .differs)
    #expect(off.judgement?.discovery == nil)
  }
}

extension [String] {
  fileprivate var set: Set<String> { Set(self) }
}
