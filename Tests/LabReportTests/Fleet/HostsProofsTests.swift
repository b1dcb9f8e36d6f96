import Foundation
import Rendering
import Testing

@testable import Comparison
@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

/// What is said of a suspicion of several hosts that was proved, and which proof is wanted.
@Suite struct HostsProofsTests {
  private static func key(kind: String = "kind-one") -> SeriesKey {
    var key = SampleHost.key()
    key.fingerprint = kind
    return key
  }

  /// Four hosts that have found about this ratio.
  private static func proof(_ ratio: Double) -> FleetProof? {
    FleetProof(
      [0.99, 1, 1.01, 1].enumerated().map { index, factor in
        let center = ratio * factor
        var host = HostRatio(
          host: "bench-\(index + 1)",
          pairs: 40,
          ratio: center,
          interval: Interval(low: center / 1.02, high: center * 1.02)
        )
        (host.good, host.bad) = ("1a2b3c4", "5d6e7f8")
        return host
      }
    )
  }

  private static func summary(
    _ tonight: [Double],
    _ ratio: Double,
    control: Double? = nil
  ) throws -> HostsSummary {
    var hosts = HostsSummaryTests.hosts(tonight)
    if let control {
      for index in hosts.indices {
        hosts[index].tonight[SampleHost.key(target: Arm.controlTarget)] = control
      }
    }
    let proof = try #require(Self.proof(ratio))
    let asked = hosts.map { sample in
      var host = sample.host
      host.rule.proofHosts = 4
      host.hasSource = true
      return host
    }
    return HostsSummary("redis", of: asked, proofs: [key(): [proof]])
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let tonight: [Double]
    let ratio: Double
    let text: String

    var testDescription: String { "\(tonight[0]), \(ratio)" }
  }

  static let cases = [
    Case(
      tonight: [3, 3.1, 3.2, 3.1, 3],
      ratio: 1.05,
      text: """
        redis over 5 hosts: regression of code: server warm launch +5.0 % (95 % interval +4.0 to +6.0 %), \
        proved on 4 hosts (160 pairs)
          next: find the commit: run `launchlab bisect 1a2b3c4..5d6e7f8 --scenario FILE`

        """
    ),
    Case(
      tonight: [-3, -3.1, -3.2, -3.1, -3],
      ratio: 0.95,
      text: """
        redis over 5 hosts: improvement of code: server warm launch −5.0 % (95 % interval −5.9 to −4.1 %), \
        proved on 4 hosts (160 pairs)

        """
    ),
    Case(
      tonight: [3, 3.1, 3.2, 3.1, 3],
      ratio: 1,
      text: """
        redis over 5 hosts: suspected regression: server warm launch +3.1 %, 5 of 5 hosts agree; not \
        confirmed by 160 pairs on 4 hosts: the machines or what surrounds the program

        """
    ),
    Case(
      tonight: [3, 3.1, 3.2, 3.1, 3],
      ratio: 1.02,
      text: """
        redis over 5 hosts: suspected regression of code: server warm launch +3.1 %, 5 of 5 hosts agree; 160 \
        pairs on 4 hosts do not settle it: +2.0 % (95 % interval +1.0 to +3.0 %)
          next: a proof of more pairs may settle it: raise `regression.proof` of the scenario

        """
    ),
    Case(
      tonight: [0, 0, 0, 0, 0],
      ratio: 1.05,
      text: "redis over 5 hosts: nothing changed\n"
    ),
  ]

  @Test(arguments: cases)
  func `says what a proof makes of a suspicion`(test: Case) throws {
    let summary = try Self.summary(test.tonight, test.ratio)
    #expect(HostsText(summary, style: TextStyle(width: .max)).rendered() == test.text)
  }

  @Test(arguments: [
    (true, ["1a2b3c4..5d6e7f8"], "fleet bisect fleet.yml 1a2b3c4..5d6e7f8 --scenario redis"),
    (true, ["1a2b3c4..5d6e7f8", "1a2b3c4..9a8b7c6"], nil),
    (true, [".."], nil),
    // Digests of executables.
    (false, ["1a2b3c4..5d6e7f8"], nil),
  ])
  func `says how to bisect between two commits that all hosts compared`(
    hasSource: Bool,
    builds: [String],
    command: String?
  ) throws {
    let hosts = Self.hosts([3, 3.1, 3.2, 3.1, 3], proofHosts: 4).map { host in
      var host = host
      host.hasSource = hasSource
      host.slotHost = host.name
      return host
    }
    let ratios = try #require(Self.proof(1.05)).hosts.enumerated().map { place, ratio in
      var ratio = ratio
      let ends = builds[place % builds.count].split(
        separator: "..",
        omittingEmptySubsequences: false
      )
      (ratio.good, ratio.bad) = (String(ends[0]), String(ends[1]))
      return ratio
    }
    let proof = try #require(FleetProof(ratios))
    let summary = HostsSummary("redis", of: hosts, proofs: [Self.key(): [proof]])
    let next = command.map { "find the commit: run `launchlab \($0)`" }
    #expect(summary.kinds[0].verdict.plain.hasPrefix("regression of code"))
    #expect(summary.kinds[0].next?.plain == next)
  }

  @Test func `a control that moved does not matter for what is proved`() throws {
    let summary = try Self.summary([3, 3, 3, 3, 3], 1.05, control: 4)
    #expect(
      summary.kinds[0].verdict.plain.hasPrefix("regression of code: server warm launch +5.0 %")
    )
    let open = try Self.summary([3, 3, 3, 3, 3], 1.02, control: 4)
    #expect(open.kinds[0].verdict.plain.contains("; the control moved too: +4.0 %; 160 pairs"))
  }

  @Test func `a machine that differs comes before a suspicion that is not confirmed`() throws {
    let summary = try Self.summary([3, 3, 12, 3, 3], 1)
    #expect(summary.kinds[0].findings.map { $0.plain.prefix(9) } == ["machine: ", "suspected"])
  }

  @Test func `a proof of another kind of hosts does not count`() throws {
    let proof = try #require(Self.proof(1.05))
    let hosts = HostsSummaryTests.hosts([3, 3, 3, 3, 3]).map(\.host)
    let summary = HostsSummary("redis", of: hosts, proofs: [Self.key(kind: "other"): [proof]])
    #expect(summary.kinds[0].verdict.plain.hasPrefix("suspected regression of code"))
  }

  @Test func `Markdown has the hosts of a proof`() throws {
    let markdown = HostsMarkdown(try Self.summary([3, 3.1, 3.2, 3.1, 3], 1.05)).rendered()
    #expect(
      markdown.contains(
        """
        | Series             | Change | Verdict           | Agree                                       | Differ |
        | ------------------ | -----: | ----------------- | ------------------------------------------- | ------ |
        | server warm launch | +3.1 % | proved regression | bench-1, bench-2, bench-3, bench-4, bench-5 | –      |

        ## Proof of server warm launch

        | Host         | Builds            | Pairs | Change |  95 % interval |
        | ------------ | ----------------- | ----: | -----: | -------------: |
        | bench-1      | 1a2b3c4 → 5d6e7f8 |    40 | +4.0 % | +1.9 to +6.0 % |
        | bench-2      | 1a2b3c4 → 5d6e7f8 |    40 | +5.0 % | +2.9 to +7.1 % |
        | bench-3      | 1a2b3c4 → 5d6e7f8 |    40 | +6.0 % | +4.0 to +8.2 % |
        | bench-4      | 1a2b3c4 → 5d6e7f8 |    40 | +5.0 % | +2.9 to +7.1 % |
        | **together** |                   |   160 | +5.0 % | +4.0 to +6.0 % |

        Beyond the scatter of their pairs, the changes of the hosts differ by a standard deviation (τ) of 0.0 %.

        ## Each host tonight
        """
      )
    )
  }

  /// The hosts with what the scenario says of proofs.
  private static func hosts(_ tonight: [Double], proofHosts: Int) -> [HostsSummary.Host] {
    HostsSummaryTests.hosts(tonight).map { sample in
      var host = sample.host
      host.rule.proofHosts = proofHosts
      host.rule.proofLaunches = 160
      return host
    }
  }

  struct Wanted: Sendable {
    let tonight: [Double]
    let proofHosts: Int
    let shares: [String]
  }

  @Test(arguments: [
    Wanted(
      tonight: [3, 3.1, 3.2, 3.1, 3],
      proofHosts: 4,
      shares: ["bench-1 40", "bench-2 40", "bench-3 40", "bench-4 40"]
    ),
    Wanted(tonight: [3, 3.1, 3.2, 3.1, 3], proofHosts: 2, shares: ["bench-1 80", "bench-2 80"]),
    Wanted(tonight: [3, 3.1, 3.2, 3.1, 3], proofHosts: 0, shares: []),
    Wanted(tonight: [0, 0, 0, 0, 0], proofHosts: 4, shares: []),
    // The second host is named.
    Wanted(tonight: [3, 12, 3, 3, 3], proofHosts: 2, shares: ["bench-1 80", "bench-3 80"]),
  ])
  func `asks the steadiest hosts for the proofs that lack`(test: Wanted) throws {
    let hosts = Self.hosts(test.tonight, proofHosts: test.proofHosts)
    let wanted = HostsSummary("redis", of: hosts).wantedProofs
    let shares = wanted.flatMap { $0.plan.shares.map { "\($0.host) \($0.pairs)" } }
    #expect(shares == test.shares)
    guard let first = wanted.first else { return }
    #expect(wanted.count == 1)
    #expect(first.series == [Self.key()])
    #expect(first.direction == .worse)
    #expect([first.night, first.lastGood] == ["2026-11-21", "2026-11-18"])
    let proof = try #require(Self.proof(1.02))
    let proved = HostsSummary("redis", of: hosts, proofs: [Self.key(): [proof]])
    #expect(proved.wantedProofs.isEmpty)
  }

  @Test(arguments: [
    ("2026-11-18", 1.05, false, true), ("2026-11-19", 1.05, true, false),
    ("2026-11-21", 1.05, true, false), ("2026-11-19", 1.02, false, true),
    ("2026-11-21", 1.02, false, false), ("2026-11-22", 1.05, false, true),
  ])
  func `a change is proved once, since the old level had ended`(
    night: String,
    ratio: Double,
    isProved: Bool,
    isWanted: Bool
  ) throws {
    let hosts = Self.hosts([3, 3.1, 3.2, 3.1, 3], proofHosts: 4)
    var proof = try #require(Self.proof(ratio))
    proof.night = night
    let summary = HostsSummary("redis", of: hosts, proofs: [Self.key(): [proof]])
    let verdict = summary.kinds[0].verdict.plain
    #expect(verdict.hasPrefix("regression of code") == isProved, "\(verdict)")
    #expect(verdict.hasSuffix(" on 2026-11-19") == (night == "2026-11-19"))
    #expect(summary.wantedProofs.isEmpty != isWanted)
  }

  /// Hosts that have been 3 % slower for some nights, or tonight by another share on top.
  private static func hosts(off nights: Int, tonight share: Double = 1) -> [HostsSummary.Host] {
    (1...5).map { number in
      var sample = SampleHost(number, 3)
      sample.off = nights
      var host = sample.host
      host.rule.proofHosts = 4
      host.rule.proofLaunches = 160
      for key in host.series.keys { host.series[key]?[0].median *= share }
      return host
    }
  }

  @Test func `a change that was proved stays so while the baseline has its old level`() throws {
    var proof = try #require(Self.proof(1.05))
    proof.night = "2026-11-12"
    let summary = HostsSummary("redis", of: Self.hosts(off: 10), proofs: [Self.key(): [proof]])
    #expect(summary.kinds[0].verdict.plain.hasPrefix("regression of code"))
    #expect(summary.wantedProofs.isEmpty)
    #expect(summary.suspectsCode)
    let first = try #require(HostsSummary("redis", of: Self.hosts(off: 10)).wantedProofs.first)
    #expect(first.lastGood == "2026-11-11")
  }

  @Test(arguments: [1.05, 1.02])
  func `a further change is no part of an earlier proof`(ratio: Double) throws {
    var proof = try #require(Self.proof(ratio))
    proof.night = "2026-11-18"
    let hosts = Self.hosts(off: 4, tonight: 1.05)
    let summary = HostsSummary("redis", of: hosts, proofs: [Self.key(): [proof]])
    #expect(summary.kinds[0].verdict.plain.hasPrefix("suspected regression of code"))
    #expect(summary.wantedProofs.map(\.lastGood) == ["2026-11-17"])
    #expect(summary.suspectsCode)
  }

  @Test func `a proof that a host has made for itself is none of the fleet`() throws {
    let proof = try #require(Self.proof(1))
    let hosts = Self.hosts([3, 3.1, 3.2, 3.1, 3], proofHosts: 0)
    let summary = HostsSummary("redis", of: hosts, proofs: [Self.key(): [proof]])
    #expect(summary.kinds[0].verdict.plain.hasPrefix("suspected regression of code"))
  }

  @Test func `hosts without a value tonight are not asked`() {
    var hosts = Self.hosts([3, 3, 3, 3, 3], proofHosts: 4)
    var late = SampleHost(1, 3)
    late.missing = 1
    hosts[0] = late.host
    hosts[0].rule = hosts[1].rule
    let wanted = HostsSummary("redis", of: hosts).wantedProofs
    #expect(
      wanted.map { $0.plan.shares.map(\.host).sorted() } == [
        ["bench-2", "bench-3", "bench-4", "bench-5"]
      ]
    )
    #expect(wanted.map { $0.plan.shares.map(\.pairs) } == [[40, 40, 40, 40]])
  }
}
