import Testing

@testable import History
@testable import LaunchCore

@Suite struct ProofRequestTests {
  static func night(_ artifacts: [String: String]) -> Night {
    Night(
      run: "r",
      startedAt: NightlyHistory.date(0),
      fingerprint: "host",
      artifacts: artifacts.mapValues { Artifact(path: "/p", digest: $0, bytes: 1) }
    )
  }

  @Test func `a script is another build when the file that the command names is`() {
    let old = Self.night(["app": "python", "app[1]": "one", "application": "x"])
    let same = Self.night(["app": "python", "app[1]": "one", "application": "y"])
    let new = Self.night(["app": "python", "app[1]": "two"])
    #expect(old.isSameBuild(as: same, of: "app"))
    #expect(!old.isSameBuild(as: new, of: "app"))
    #expect(!Self.night([:]).isSameBuild(as: Self.night([:]), of: "app"))
    #expect(new.isBuild("two", of: "app"))
    #expect(!new.isBuild("x", of: "app"))
  }

  /// Steps of three targets, each with its first night of the new level.
  static func stepped(_ onsets: [Int]) -> NightlyHistory {
    let names = onsets.indices.map { "t\($0)" }
    var nights = NightlyHistory(targets: names)
    for night in 0..<24 {
      let medians = zip(names, onsets).map { name, onset in
        (name, SuspicionTests.quiet[night % 20] + (night >= onset ? 40 : 0))
      }
      nights.add(Dictionary(uniqueKeysWithValues: medians))
    }
    return nights
  }

  @Test func `no series is compared with a build more than 3 nights before its own`() {
    let proofs = Self.stepped([23, 20, 17]).verdicts.proofs
    let places = proofs.map(\.good.run)
    #expect(proofs.count == 2)
    #expect(places.contains(NightlyHistory.run(16)))
    #expect(proofs.allSatisfy { !($0.series.count == 3) })
  }

  /// Steps of targets, one every four nights, that nothing has settled; what is faster is further off than
  /// what is slower.
  static func suspected(_ isWorse: [Bool]) -> NightlyHistory {
    let names = isWorse.indices.map { "t\($0)" }
    var nights = NightlyHistory(targets: names)
    let last = 24 + 4 * isWorse.count
    for night in 0...last {
      let medians = isWorse.indices.map { place in
        let isNew = night >= last - 1 - 4 * place
        let step = isNew ? isWorse[place] ? 40.0 : -120 : 0
        return (names[place], SuspicionTests.quiet[night % 20] + step)
      }
      nights.add(Dictionary(uniqueKeysWithValues: medians))
      if night >= 20, night < last { nights.conclude { _ in nil } }
    }
    return nights
  }

  @Test(arguments: [[false, false, true], [false, true, false], [true, false, false]])
  func `a regression is proved before improvements, also when both are known`(
    _ isWorse: [Bool]
  ) throws {
    let nights = Self.suspected(isWorse)
    #expect(nights.alerts.map(\.state) == [.suspected, .suspected, .suspected])
    let slower = try #require(isWorse.firstIndex(of: true))
    let proofs = nights.verdicts.proofs
    #expect(proofs.count == 2)
    #expect(proofs.first?.series.map(\.target) == ["t\(slower)"])
  }

  @Test func `the second comparison of a regression is made before those of improvements`() {
    var nights = NightlyHistory(targets: ["t0", "t1", "t2"])
    for night in 0..<24 {
      let level = SuspicionTests.quiet[night % 20]
      var medians = ["t0": level, "t1": level, "t2": level]
      // So the baselines of the three end with other nights.
      if night == 18 || night == 19 { medians["t2"] = nil }
      if night == 19 { medians["t1"] = nil }
      nights.add(night == 23 ? ["t0": 270, "t1": 280, "t2": 440] : medians)
    }
    let requests = nights.conclude(.same)
    #expect(requests.map { $0.series.map(\.target) } == [["t0", "t1", "t2"], ["t2"], ["t0"]])
  }

  @Test func `no series is compared with a build of its own bad nights`() {
    var nights = Self.stepped([23, 21])
    // The first target had a regression that was mended two nights before.
    var alert = LifeCycleTests.regressed(.regression).alerts[0]
    alert.series = NightlyHistory.key("t0")
    alert.state = .recovered
    alert.onset = NightlyHistory.run(20)
    alert.events[0].criteria = []
    alert.events.append(alert.events[0])
    alert.events[1].state = .recovered
    alert.events[1].run = NightlyHistory.run(22)
    nights.alerts = [alert]
    let compared = Set(nights.verdicts.proofs.map { $0.series.map(\.target) })
    #expect(compared == [["t0"], ["t1"]])
  }

  /// Nights that scatter by 10 %, the newest 5 % worse than the median.
  static func loud(tree: String? = nil) -> NightlyHistory {
    var nights = NightlyHistory()
    for night in 0..<24 { nights.add([[360, 400, 440][night % 3]]) }
    nights.add([NightlyHistory.target: 420], tree: tree)
    return nights
  }

  @Test(arguments: [Verdict.regression, .same, .inconclusive, .improvement])
  func `a change that the scatter hides is found by comparing builds`(verdict: Verdict) {
    var nights = Self.loud()
    #expect(nights.verdicts.judgements.allSatisfy { !$0.isSuspicious })

    let requests = nights.conclude(verdict)

    // The newest nights are no part of the baseline.
    #expect(requests.map(\.good.run) == [NightlyHistory.run(20)])
    let isFound = verdict == .regression
    #expect(nights.alerts.map(\.isRed) == (isFound ? [true] : []))
    #expect(nights.alerts.map(\.lastGood) == (isFound ? [NightlyHistory.run(20)] : []))
  }

  @Test func `compares no build with itself, and no better night, without a suspicion`() {
    #expect(Self.loud(tree: "tree-20").verdicts.proofs.isEmpty)
    var better = Self.loud()
    better.add([380])
    #expect(better.verdicts.proofs.isEmpty)
    var quiet = NightlyHistory()
    for night in 0..<24 { quiet.add([night % 2 == 0 ? 398 : 402]) }
    quiet.add([409])
    #expect(quiet.verdicts.judgements.allSatisfy { !$0.isHidden })
  }
}
