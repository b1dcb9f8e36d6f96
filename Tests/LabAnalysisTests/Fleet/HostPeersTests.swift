import Testing

@testable import History
@testable import LaunchCore
@testable import LaunchStatistics

@Suite struct HostPeersTests {
  /// Hosts of which the first is off by a share since some nights.
  static func series(
    _ hosts: Int,
    off: Double,
    since nights: Int = 3,
    before: Int = 31
  ) -> [HostSeries] {
    (0..<hosts).map { host in
      var values = HostPoolTests.quiet(host, nights: before + nights)
      if host == 0 { for night in before..<before + nights { values[night] *= 1 + off } }
      return HostPoolTests.host(host, values)
    }
  }

  static func pool(_ series: [HostSeries], seriesCount: Int = 1) -> HostPool {
    HostPool(
      SimulatedFleet.key,
      of: series,
      tonight: series.first?.nights.last?.night ?? "",
      seriesCount: seriesCount
    )
  }

  @Test func `names a host that is off the others on the last nights`() throws {
    for (hosts, off) in [(5, 0.08), (5, -0.08), (4, 0.08)] {
      let pool = Self.pool(Self.series(hosts, off: off))
      #expect(pool.verdict == .machine(["h0"]))
      #expect(pool.dissenting == ["h0"])
      let shift = try #require(pool.peers.first?.shift)
      #expect(abs(shift - off / 0.02) < 0.3)
    }
    #expect(Self.pool(Self.series(5, off: 0.08, since: 1)).verdict == .quiet)
    #expect(Self.pool(Self.series(5, off: 0.015)).verdict == .quiet)
  }

  @Test func `two hosts can be off at once`() {
    var series = Self.series(7, off: 0.08)
    series[3] = HostPoolTests.host(3, HostPoolTests.quiet(3, nights: 31) + [600, 600, 600])
    #expect(Self.pool(series).verdict == .machine(["h0", "h3"]))
  }

  @Test(arguments: 1...3)
  func `fewer than 4 hosts name none`(hosts: Int) {
    let pool = Self.pool(Self.series(hosts, off: 0.5))
    #expect(pool.peers.count == hosts)
    #expect(pool.peers.allSatisfy { $0.limit == nil && !$0.isNamed })
    #expect(pool.verdict == [.tooFewHosts, .differs, .differs][hosts - 1])
  }

  @Test func `the limit is that of the formula`() throws {
    let pool = Self.pool(Self.series(5, off: 0), seriesCount: 20)
    let peer = pool.peers[1]
    let n = Double(peer.nights - peer.disturbed)
    #expect(peer.nights == 28)
    let quantile = StudentT.quantile(1 - 0.001 / 100, degreesOfFreedom: n - 1)
    let limit = quantile * peer.deviation * (1 / n + Double.pi / 6).squareRoot()
    #expect(abs(try #require(peer.limit) - max(1, limit)) < 1e-12)
  }

  @Test func `a change of all hosts names none`() {
    let series = (0..<6).map { host in
      let quiet = HostPoolTests.quiet(host, nights: 34)
      return HostPoolTests.host(
        host,
        quiet.enumerated().map { $0 < 31 ? $1 : 1.05 * $1 }
      )
    }
    let pool = Self.pool(series)
    #expect(pool.verdict == .suspicion(.worse))
    #expect(pool.peers.allSatisfy { !$0.isNamed })
  }

  @Test func `of equal hosts only the margin matters`() {
    var series = (0..<5).map { HostPoolTests.host($0, Array(repeating: 400, count: 34)) }
    #expect(Self.pool(series).peers.allSatisfy { $0.limit == 1 && $0.shift == 0 && !$0.isNamed })
    for night in 31...33 { series[2].nights[night].median = 4.1e8 }
    #expect(Self.pool(series).verdict == .machine(["h2"]))
  }

  @Test func `more than 32 hosts are looked at for 14 nights`() {
    #expect(Self.pool(Self.series(33, off: 0.08)).verdict == .quiet)
    #expect(Self.pool(Self.series(33, off: 0.08, since: 8)).verdict == .machine(["h0"]))
    #expect(Self.pool(Self.series(32, off: 0.08)).verdict == .machine(["h0"]))
  }

  @Test func `a quarantined host is compared, and not with`() {
    var series = Self.series(4, off: 0.08)
    series[0].isQuarantined = true
    let pool = Self.pool(series)
    #expect(pool.peers.map(\.isNamed) == [true, false, false, false])
    #expect(pool.peers.map { $0.limit != nil } == [true, false, false, false])
    #expect(pool.verdict == .tooFewHosts)
  }

  @Test func `missed nights are left out`() {
    var series = Self.series(6, off: 0.08)
    series[0].nights.removeSubrange(20..<24)
    series[1].nights.removeAll { $0.night == SimulatedFleet.label(32) }
    series[2].nights.removeLast()
    let pool = Self.pool(series)
    #expect(pool.verdict == .machine(["h0"]))
    #expect(pool.peers.map(\.host) == ["h0", "h1", "h3", "h4", "h5"])
    #expect(pool.peers.first?.nights == 24)
  }

  @Test func `ranks hosts by their scatter, then by disturbed nights`() {
    var series = Self.series(5, off: 0)
    for night in series[1].nights.indices {
      series[1].nights[night].median += night.isMultiple(of: 2) ? 9e6 : -9e6
    }
    for night in [4, 9] { series[3].nights[night].median *= 1.3 }
    let peers = Self.pool(series).peers
    let ranking = HostStability.ranking(peers + peers)
    #expect(Set(ranking.map(\.host)) == ["h0", "h1", "h2", "h3", "h4"])
    #expect(ranking.last?.host == "h1")
    #expect(ranking.first { $0.host == "h3" }?.disturbed == 2.0 / 28)
    let equal = (0..<3).map { HostPoolTests.host($0, Array(repeating: 400, count: 34)) }
    #expect(HostStability.ranking(Self.pool(equal).peers).map(\.host) == ["h0", "h1", "h2"])
  }
}

@Suite struct HostStandingTests {
  /// `x` for a night on which the host was named, `.` for another one.
  static func standing(_ nights: String) -> HostStanding {
    var standing = HostStanding(host: "h0")
    for (night, mark) in nights.enumerated() {
      standing.add(SimulatedFleet.label(night), isNamed: mark == "x")
    }
    return standing
  }

  @Test(
    arguments: [
      ("", nil), ("xx", nil), ("xxx", 2), ("x..x...x", 7), ("xx.......x", nil), ("xx......x", 8),
      ("xxx......", 2), ("xxx.......", nil), ("xxx......x......", 2), ("xxx.......xx", nil),
    ] as [(String, Int?)]
  )
  func `three named nights quarantine a host, seven quiet ones end it`(
    nights: String,
    since: Int?
  ) {
    #expect(Self.standing(nights).quarantinedSince == since.map(SimulatedFleet.label))
  }

  @Test func `a night counts once`() {
    var standing = Self.standing("xx")
    standing.add(SimulatedFleet.label(1), isNamed: true)
    #expect(standing == Self.standing("xx"))
  }

  @Test func `the newest nights alone tell who is quarantined`() throws {
    func standings(_ off: Double, since nights: Int, hosts: Int = 5) -> [HostStanding] {
      [HostStanding]([HostPeersTests.pool(HostPeersTests.series(hosts, off: off, since: nights))])
    }
    #expect(standings(0, since: 3).isEmpty)
    // The median of three nights is off from the second one on.
    #expect(standings(0.08, since: 3).map(\.namedNights.count) == [2])
    let standing = try #require(standings(-0.08, since: 6).first)
    #expect(standing.host == "h0" && standing.namedNights.count == 5)
    #expect(standing.quarantinedSince == SimulatedFleet.label(31 + 3))
    #expect(standings(0.08, since: 9, hosts: 3).isEmpty)
    #expect(standings(0.08, since: 14, hosts: 40).first?.quarantinedSince != nil)
  }

  @Test func `a host is free again after seven quiet nights`() {
    func since(_ quiet: Int) -> String?? {
      var series = HostPeersTests.series(5, off: 0)
      for (host, one) in series.enumerated() {
        var values = HostPoolTests.quiet(host, nights: 40 + quiet)
        if host == 0 { for night in 31..<36 { values[night] *= 1.08 } }
        series[host] = HostPoolTests.host(host, values)
        series[host].host = one.host
      }
      return [HostStanding]([HostPeersTests.pool(series)]).first.map(\.quarantinedSince)
    }
    // Off on the nights 31 to 35, named on 32 to 36, and quiet since 37.
    #expect(since(3) == SimulatedFleet.label(34))
    #expect(since(4) == nil)
  }

  @Test func `a host that stayed as it was counts as quiet`() {
    let series = (0..<6).map { host in
      let quiet = HostPoolTests.quiet(host, nights: 40)
      return HostPoolTests.host(
        host,
        quiet.enumerated().map { $0 < 31 || host == 2 ? $1 : 1.05 * $1 }
      )
    }
    #expect([HostStanding]([HostPeersTests.pool(series)]).isEmpty)
  }

  @Test func `a host in quarantine is compared with the others, and has no say`() {
    let pool = HostPeersTests.pool(HostPeersTests.series(6, off: 0.08))
    let left = pool.quarantining(["h0"])
    #expect(pool.verdict == .machine(["h0"]) && left.verdict == .quiet)
    #expect(left.hosts.count == 6 && left.pool.count == 5)
    #expect(left.peers[0].isNamed && left.peers[0].isQuarantined)
  }
}
