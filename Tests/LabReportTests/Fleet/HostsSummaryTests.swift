import Foundation
import Rendering
import Testing

@testable import History
@testable import LaunchCore

/// The newest nights of a host that launches a server, one a day, the last on 2026-11-21.
struct SampleHost {
  static let last = Date(timeIntervalSince1970: 1_795_230_000)

  var name: String
  var kind = "kind-one"
  var identity: String?

  /// What tonight is off the level of the host, in percent, by series; nil for no value.
  var tonight: [SeriesKey: Double?]

  /// How many of the newest nights are off like that.
  var off = 3

  /// How many nights come before tonight.
  var before = 30

  /// How many of the newest nights lack.
  var missing = 0

  /// The first night that is compared with tonight, counted from the oldest one; nil for the oldest.
  var start: Int?

  var status = RunRecord.Status.complete
  var alerts: [Alert] = []

  init(_ number: Int, _ percent: Double, cold: Double? = nil) {
    name = "bench-\(number)"
    tonight = [Self.key(): percent]
    if let cold { tonight[Self.key(.rebootCold)] = cold }
  }

  static func key(_ state: LaunchState = .warm, target: String = "server") -> SeriesKey {
    SeriesKey(scenario: "redis", target: target, state: state, metric: .launch, fingerprint: "any")
  }

  static let scenario = Scenario(
    name: "redis",
    targets: [Target(name: "server", command: ["true"], directory: "/")],
    states: [.warm, .rebootCold],
    launches: 20,
    directory: "/",
    regression: RegressionRule(metrics: [.launch])
  )

  private func night(_ index: Int) -> Night {
    Night(
      run: "\(name)-\(index)",
      startedAt: Self.last - Double(before - index) * 86_400,
      status: index == before ? status : .complete,
      fingerprint: kind,
      identity: identity
    )
  }

  private func trend(_ key: SeriesKey, _ percent: Double?, _ nights: [Night]) -> SeriesTrend {
    let steps = [0, 0.5, -0.5, 0.25, -0.25]
    let number = name.utf8.last.map(Int.init) ?? 0
    let shift = 2 * number
    var points = nights.enumerated().map { index, night in
      let isOff = index > before - off
      let change = isOff ? percent ?? 0 : steps[(index + shift) % 5] * Double(10 + number % 8) / 10
      let level = index < start ?? 0 ? 9e8 : 4e8 + 2e7 * Double(shift % 10)
      let median = level * (1 + change / 100)
      return SeriesPoint(run: night.run, startedAt: night.startedAt, n: 20, median: median)
    }
    if missing == 0, percent == nil || status != .complete { points.removeLast() }
    return SeriesTrend(
      key: key,
      points: points,
      breaks: start.map { [SeriesBreak(index: $0, reason: .machine, text: "disk")] } ?? [],
      assessment: SeriesAssessment(tonight: points.last, outcome: .quiet)
    )
  }

  var host: HostsSummary.Host { HostsSummary.Host(name, summary) }

  var summary: TrendSummary {
    let nights = (0...(before - missing)).map(night)
    let newest = nights[nights.count - 1]
    return TrendSummary(
      scenario: Self.scenario,
      tonight: newest,
      nights: nights,
      series: tonight.map { trend($0.key, $0.value, nights) },
      alerts: alerts,
      run: RunRecord(
        id: newest.run,
        startedAt: newest.startedAt,
        status: newest.status,
        plan: Plan(scenario: Self.scenario, seed: 1, arms: [], blockCount: 1),
        host: HostFacts(architecture: "x86_64", kernel: "6.1", fingerprint: kind),
        tool: "1"
      ),
      launches: 40
    )
  }
}

@Suite struct HostsSummaryTests {
  static func summary(_ hosts: [SampleHost]) -> HostsSummary {
    HostsSummary("redis", of: hosts.map(\.host))
  }

  /// Hosts `bench-1` and so on, with what tonight is off in percent.
  static func hosts(_ tonight: [Double]) -> [SampleHost] {
    tonight.enumerated().map { SampleHost($0 + 1, $1) }
  }

  static func text(_ hosts: [SampleHost]) -> String {
    HostsText(summary(hosts), style: TextStyle(width: .max)).rendered()
  }

  static func firstLine(_ hosts: [SampleHost]) -> String {
    String(text(hosts).split(separator: "\n")[0])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let hosts: [SampleHost]
    let line: String

    var testDescription: String { name }
  }

  static var cases: [Case] {
    var late = hosts([3, 3, 3, 3, 3])
    late[4].missing = 2
    var new = hosts([3, 3, 3, 3])
    new[0].start = 28
    var young = hosts([3, 3, 3, 3])
    for index in young.indices { young[index].before = 3 }
    var broken = hosts([3, 3, 3, 3, 3])
    broken[0].start = 20
    var spike = hosts([0, 9, 0, 0, 0])
    spike[1].off = 1
    var first = hosts([2.8, 2.8, 2.8, 2.8, 2.8])
    for index in first.indices { first[index].off = 1 }
    var large = hosts([5, 5, 5, 5, 5])
    for index in large.indices { large[index].off = 1 }
    return [
      Case(
        name: "a common step",
        hosts: hosts([3, 3.1, 3.2, 3.1, 3]),
        line: "suspected regression of code: server warm launch +3.1 %, 5 of 5 hosts agree"
      ),
      Case(
        name: "a common step for the better, but on one host",
        hosts: hosts([-3, -3.1, -3.2, -3.1, 0]),
        line:
          "suspected improvement of code: server warm launch −3.1 %, 4 of 5 hosts agree, not bench-5"
      ),
      Case(name: "nothing", hosts: hosts([0, 0, 0, 0, 0]), line: "nothing changed"),
      Case(name: "one night of one host", hosts: spike, line: "no common change suspected"),
      Case(
        name: "the first night of a small common step",
        hosts: first,
        line: "not settled: server warm launch +2.8 % tonight, "
          + "with 0 of 5 hosts in agreement over the last 3 nights"
      ),
      Case(
        name: "the first night of a large one",
        hosts: large,
        line: "suspected regression of code: server warm launch +5.0 %, 5 of 5 hosts agree"
      ),
      Case(
        name: "three hosts",
        hosts: hosts([9, 9, 9]),
        line: "too few hosts for a verdict together (3 of 4 that it takes)"
      ),
      Case(
        name: "one of five without a night",
        hosts: late,
        line: "suspected regression of code: server warm launch +3.0 %, 4 of 4 hosts agree"
      ),
      Case(
        name: "a break on one host, 10 nights ago",
        hosts: broken,
        line: "suspected regression of code: server warm launch +3.0 %, 5 of 5 hosts agree"
      ),
      Case(
        name: "a break on one of four, 2 nights ago",
        hosts: new,
        line:
          "no verdict together yet: 3 of 4 hosts have the 5 earlier nights that it takes"
      ),
      Case(
        name: "four with three nights",
        hosts: young,
        line:
          "no verdict together yet: 0 of 4 hosts have the 5 earlier nights that it takes"
      ),
    ]
  }

  @Test(arguments: cases)
  func `says in one line what the hosts say`(test: Case) {
    let count = test.hosts.count
    #expect(Self.firstLine(test.hosts) == "redis over \(count) hosts: \(test.line)")
  }
}

extension HostsSummaryTests {
  /// Five hosts, of which the third has become slower three nights ago.
  static var oneMachine: [SampleHost] { hosts([0, 0, 8, 0, 0]) }

  @Test func `a host that differs from the others is named, and the code is not suspected`() {
    let kind = Self.summary(Self.oneMachine).kinds[0]
    #expect(kind.pools.map(\.verdict) == [.machine(["bench-3"])])
    #expect(kind.lone.isEmpty)
  }

  @Test func `hosts of two kinds are pooled apart`() {
    var hosts = Self.hosts([3, 3, 3, 3, 3, 0, 0, 0, 0])
    for index in 5..<9 { hosts[index].kind = "kind-two" }
    let summary = Self.summary(hosts)
    #expect(summary.kinds.map(\.members.count) == [5, 4])
    #expect(summary.kinds.flatMap(\.pools).map(\.verdict) == [.suspicion(.worse), .quiet])
    #expect(
      Self.text(hosts) == """
        redis over 5 hosts of kind kind-one: suspected regression of code: \
        server warm launch +3.0 %, 5 of 5 hosts agree
          next: a suspicion is not a proof: a comparison of both builds on the same night settles it
        redis over 4 hosts of kind kind-two: nothing changed

        """
    )
  }

  @Test func `a kind whose newest night is an older one has its day`() {
    var hosts = Self.hosts([0, 0])
    hosts[1].kind = "kind-two"
    hosts[1].missing = 4
    #expect(
      Self.text(hosts).contains(
        "redis over 1 host of kind kind-two, 2026-11-17: too few hosts for a verdict together"
      )
    )
  }

  @Test(arguments: [
    (RunRecord.Status.failed, "run failed"), (.interrupted, "run interrupted"),
  ])
  func `a host whose run has no result is told`(status: RunRecord.Status, reason: String) {
    var hosts = Self.hosts([0, 0, 0, 0, 0])
    hosts[4].status = status
    #expect(
      Self.text(hosts)
        == "redis over 5 hosts: nothing changed\n  missed tonight: bench-5 (\(reason))\n"
    )
  }

  @Test func `a host far beyond the common change is named beside it`() {
    let kind = Self.summary(Self.hosts([3, 3, 12, 3, 3])).kinds[0]
    #expect(kind.findings.count == 2)
    #expect(kind.named == ["bench-3"])
  }

  @Test func `hosts of one name are told apart by their identity`() {
    var hosts = Self.hosts([0, 0])
    for index in hosts.indices {
      hosts[index].name = "bench"
      hosts[index].identity = "\(index)a2b3c4d5e6f"
    }
    let names = Self.summary(hosts).kinds[0].members.map(\.name)
    #expect(names == ["bench (0a2b3c4d)", "bench (1a2b3c4d)"])
  }

  @Test func `a control that moved too is told`() {
    var hosts = Self.hosts([3, 3, 3, 3, 3])
    for index in hosts.indices {
      hosts[index].tonight[SampleHost.key(target: Arm.controlTarget)] = 4
    }
    #expect(
      Self.firstLine(hosts)
        == "redis over 5 hosts: suspected regression of code or all machines: "
        + "server warm launch +3.0 %, 5 of 5 hosts agree; the control moved too: +4.0 %"
    )
  }

  @Test func `a proof on hosts of their own confirms it`() {
    var hosts = Self.hosts([3, 3, 3, 3, 3])
    hosts[1].alerts = [
      Alert(
        number: 1,
        kind: .step,
        series: SampleHost.key(),
        direction: .worse,
        state: .confirmed,
        cause: .code,
        onset: "bench-2-30",
        lastGood: nil,
        before: 4e8,
        after: 4.12e8,
        proof: Proof(
          run: "p",
          baseline: "a",
          candidate: "b",
          good: "a",
          bad: "b",
          scope: .build,
          pairs: 40,
          ratio: 1.03,
          low: 1.02,
          high: 1.04,
          confidence: 0.95,
          effectLimit: 0.02,
          verdict: .regression
        ),
        events: []
      )
    ]
    #expect(Self.text(hosts).hasSuffix("5 of 5 hosts agree; confirmed by a proof on bench-2\n"))
  }

  @Test func `the newest run of a day counts`() {
    let hosts = Self.hosts([3, 3, 3, 3, 3]).map { host in
      var summary = host.summary
      var again = summary.series[0].points[30]
      again.median /= 1.03
      again.startedAt += 60
      summary.series[0].points.append(again)
      return HostsSummary.Host(host.name, summary)
    }
    let kinds = HostsSummary("redis", of: hosts).kinds
    #expect(kinds.flatMap(\.pools).map(\.verdict) == [.quiet])
  }
}

extension HostsSummaryTests {
  @Test func `the label of a fleet names the night, whatever the day`() {
    let hosts = Self.hosts([3, 3, 3, 3, 3]).map { host in
      var summary = host.summary
      // The clock of one host is two days off.
      let late = host.name == "bench-2" ? 2 * 86_400.0 : 0
      for (place, night) in summary.nights.enumerated() {
        let day = night.startedAt.utcDay
        summary.nights[place].slot = FleetSlot(night: day, host: "slot-\(host.name)")
        summary.nights[place].startedAt += late
      }
      for place in summary.series[0].points.indices {
        summary.series[0].points[place].startedAt += late
      }
      summary.tonight = summary.nights[summary.nights.count - 1]
      return HostsSummary.Host(host.name, summary)
    }
    #expect(hosts.map(\.night) == Array(repeating: "2026-11-21", count: 5))
    #expect(hosts[1].slotHost == "slot-bench-2")
    let kind = HostsSummary("redis", of: hosts).kinds[0]
    #expect(kind.tonight == "2026-11-21" && kind.missed.isEmpty)
    #expect(kind.pools.map(\.pool.count) == [5])
  }

  @Test func `a host that was named on three nights is quarantined, and has no say`() {
    var hosts = Self.hosts([0, 0, 8, 0, 0])
    hosts[2].off = 5
    let kind = Self.summary(hosts).kinds[0]
    #expect(kind.pools.map(\.verdict) == [.quiet])
    #expect(kind.pools[0].pool.map(\.host) == ["bench-1", "bench-2", "bench-4", "bench-5"])
    #expect(kind.ranking.count == 4)
    #expect(
      Self.text(hosts) == """
        redis over 5 hosts: nothing changed
          quarantined: bench-3 since 2026-11-20 (named on 4 nights)
          next: find out what changed on bench-3: run `launchlab doctor` there

        """
    )
  }

  @Test func `of four hosts one is named, and not quarantined`() {
    var hosts = Self.hosts([0, 0, 8, 0])
    hosts[2].off = 5
    let kind = Self.summary(hosts).kinds[0]
    #expect(kind.quarantined.isEmpty)
    #expect(kind.pools.map(\.verdict) == [.machine(["bench-3"])])
    #expect(kind.pools[0].pool.count == 4)
    // Of two hosts the one that has been off for longer.
    hosts = Self.hosts([0, 0, 0, 8, 30])
    (hosts[3].off, hosts[4].off) = (9, 6)
    #expect(Self.summary(hosts).kinds[0].quarantined.map(\.host) == ["bench-4"])
  }

  @Test func `a series of fewer hosts keeps a verdict together`() throws {
    var hosts = Self.hosts([0, 0, 8, 0, 0])
    for index in hosts.indices {
      hosts[index].off = 5
      hosts[index].tonight[SampleHost.key(target: Arm.controlTarget)] = index == 4 ? nil : 0
    }
    let kind = Self.summary(hosts).kinds[0]
    #expect(kind.quarantined.map(\.host) == ["bench-3"])
    #expect(kind.pools[0].pool.count == 4)
    #expect(kind.controls[0].pool.map(\.host) == ["bench-1", "bench-2", "bench-3", "bench-4"])
    #expect(kind.controls[0].verdict != .tooFewHosts)
  }

  @Test func `two scenarios leave four hosts together`() {
    func summary(_ name: String, odd: Int, off: Int, of count: Int) -> HostsSummary {
      var hosts = Self.hosts((1...count).map { $0 == odd ? 8 : 0 })
      for index in hosts.indices { hosts[index].off = off }
      return HostsSummary(
        name,
        of: hosts.map { sample in
          var host = sample.host
          host.slotHost = sample.name
          return host
        }
      )
    }
    func dispensable(of count: Int, working: Int) -> [String] {
      let summaries = [
        summary("redis", odd: 2, off: 5, of: count), summary("nginx", odd: 3, off: 8, of: count),
      ]
      #expect(summaries.allSatisfy { $0.kinds[0].quarantined.count == 1 })
      return summaries.dispensable(of: (1...working).map { "bench-\($0)" }).map(\.host)
    }
    #expect(dispensable(of: 6, working: 6) == ["bench-3", "bench-2"])
    #expect(dispensable(of: 5, working: 5) == ["bench-3"])
    // The others are away.
    #expect(dispensable(of: 6, working: 4) == [])
  }

  @Test func `a host that stayed as it was is not quarantined`() {
    var hosts = Self.hosts([8, 8, 8, 8, 0])
    for index in hosts.indices { hosts[index].off = 6 }
    let kind = Self.summary(hosts).kinds[0]
    #expect(kind.quarantined.isEmpty)
  }

  @Test func `JSON has all that is known`() throws {
    var hosts = Self.example
    hosts[1].off = 6
    hosts[1].tonight[SampleHost.key(.rebootCold)] = 9
    let text = HostsJSON([Self.summary(hosts)]).rendered()
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    )
    #expect(document["schema"] as? String == "launchlab.hosts/1")
    let scenarios = try #require(document["scenarios"] as? [[String: Any]])
    let kind = try #require((scenarios[0]["kinds"] as? [[String: Any]])?.first)
    #expect(
      (kind["hosts"] as? [[String: Any]])?.last?["missed"] as? String == "last night 2026-11-19"
    )
    let quarantined = try #require((kind["quarantined"] as? [[String: Any]])?.first)
    #expect(quarantined["host"] as? String == "bench-2")
    let pool = try #require((kind["pools"] as? [[String: Any]])?.first)
    #expect(pool["count"] as? Int == 4)
    #expect((pool["hosts"] as? [[String: Any]])?.count == 5)
    #expect((pool["peers"] as? [[String: Any]])?.count == 5)
  }

  @Test func `a terminal shows a few lines`() {
    #expect(
      Self.text(Self.example) == """
        redis over 6 hosts: suspected regression of code: server warm launch +3.0 %, 4 of 5 hosts \
        agree, not bench-5
          also: machine: bench-3 differs: server reboot-cold launch +6.0 % against the other hosts
          missed tonight: bench-6 (last night 2026-11-19)
          next: a suspicion is not a proof: a comparison of both builds on the same night settles it

        """
    )
    #expect(
      Self.text(Self.oneMachine) == """
        redis over 5 hosts: machine: bench-3 differs: server warm launch +8.0 % against the other \
        hosts
          next: find out what changed on bench-3: run `launchlab doctor` there

        """
    )
  }

  @Test func `Markdown has the verdict first, then every host`() {
    #expect(
      HostsMarkdown(Self.summary(Self.example)).rendered() == """
        # redis over 6 hosts, 2026-11-21

        - **Verdict:** suspected regression of code: **server warm launch** +3.0 %, 4 of 5 hosts \
        agree, not bench-5
        - **Also:** machine: bench-3 differs: **server reboot-cold launch** +6.0 % against the other \
        hosts
        - **Missed tonight:** bench-6 (last night 2026-11-19)
        - **Next:** a suspicion is not a proof: a comparison of both builds on the same night \
        settles it

        ## The hosts together

        | Series                    | Change | Verdict              | Agree                              | Differ  |
        | ------------------------- | -----: | -------------------- | ---------------------------------- | ------- |
        | server warm launch        | +3.0 % | suspected regression | bench-1, bench-2, bench-3, bench-4 | bench-5 |
        | server reboot-cold launch |  0.0 % | machine: bench-3     | –                                  | bench-3 |

        ## Each host tonight

        | Host         | server warm launch | server reboot-cold launch |
        | ------------ | -----------------: | ------------------------: |
        | bench-1      |             +3.0 % |                     0.0 % |
        | bench-2      |             +3.4 % |                     0.0 % |
        | bench-3      |             +2.8 % |                    +6.0 % |
        | bench-4      |             +3.1 % |                     0.0 % |
        | bench-5      |             +0.2 % |                     0.0 % |
        | bench-6      |                  – |                         – |
        | **together** |             +3.0 % |                     0.0 % |

        Changes of tonight's medians against each host's own baseline; the last row is their pooled \
        change. –: no value. new: fewer than 5 earlier nights. What is said of a machine is \
        from its newest nights, not from tonight alone.

        ## Steadiness of the hosts

        | Host    | Scatter | Disturbed nights |
        | ------- | ------: | ---------------: |
        | bench-1 |   0.276 |            0.0 % |
        | bench-2 |   0.291 |            0.0 % |
        | bench-3 |   0.301 |            0.0 % |
        | bench-4 |   0.319 |            0.0 % |
        | bench-5 |   0.343 |            0.0 % |

        The scatter is the standard deviation of a host's nights against the other hosts, as a \
        multiple of the smallest change that matters.

        """
    )
  }

  @Test func `names cannot break out of their place`() {
    var hosts = Self.oneMachine
    hosts[2].name = "a|b\n# *x* \u{1B}[31m"
    let summary = HostsSummary("<b>\n|", of: hosts.map(\.host))
    let markdown = HostsMarkdown(summary).rendered()
    #expect(!markdown.contains("<b>") && !markdown.contains("a|b") && !markdown.contains("\u{1B}"))
    #expect(markdown.split(separator: "\n").allSatisfy { !$0.hasPrefix("# *") })
    let text = HostsText(summary, style: TextStyle(width: .max)).rendered()
    #expect(!text.contains("\u{1B}") && text.split(separator: "\n").count == 2)
  }

  /// A common step of a series, one night of one host in another one, and a host without a night.
  static var example: [SampleHost] {
    var hosts = [(3, 0), (3.4, 0), (2.8, 6), (3.1, 0), (0.2, 0), (3, 0)].enumerated()
      .map { SampleHost($0 + 1, $1.0, cold: $1.1) }
    hosts[5].missing = 2
    return hosts
  }
}
