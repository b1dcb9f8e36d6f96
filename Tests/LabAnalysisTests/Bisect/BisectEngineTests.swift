import Foundation
import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct BisectEngineTests {
  @Test func `names the change with its size, its share and its builds`() throws {
    var range = ScriptedRange(count: 40, steps: [23: 0.05])
    let answer = range.bisect()
    #expect(answer.outcome == .found)
    let culprit = try #require(answer.culprits.first)
    #expect(culprit.revisions == 23...23)
    #expect(culprit.parentBuild == 22)
    #expect(culprit.build == 23)
    #expect(culprit.effect.lower < 0.05 && culprit.effect.upper > 0.05)
    #expect(culprit.probability >= 0.95)
    #expect(try abs(#require(culprit.share) - 1) < 0.2)
    #expect(answer.interval == nil)
  }

  @Test func `gives every launched build a level that holds the true one`() {
    var range = ScriptedRange(count: 40, steps: [23: 0.05])
    let answer = range.bisect()
    #expect(answer.levels.map(\.revision) == range.launched.keys.sorted())
    #expect(answer.levels.first?.level == LogInterval(estimate: 0, lower: 0, upper: 0))
    for level in answer.levels {
      #expect(abs(level.level.estimate - range.levels[level.revision]) < 0.01)
      #expect(level.rounds == range.launched[level.revision])
      #expect((level.probabilityBad ?? 0 > 0.9) == (level.revision >= 23))
    }
  }

  @Test func `never builds a revision that cannot be the change`() {
    var range = ScriptedRange(count: 40, steps: [21: 0.05])
    for revision in 1...40 where !revision.isMultiple(of: 3) { range.weights[revision] = 0 }
    let answer = range.bisect()
    #expect(answer.culprits.map(\.revisions) == [21...21])
    // 20 equals 18, and 23 equals 21; the last one of equals is built.
    #expect(answer.culprits.map(\.parentBuild) == [20])
    #expect(answer.culprits.map(\.build) == [23])
    #expect(range.built.allSatisfy { $0 == 0 || $0 == 40 || $0 % 3 == 2 })
  }

  @Test func `weighs revisions, and gives those without weight no probability`() {
    var engine = BisectEngine(weights: [9, 1, 0, 3], parameters: BisectParameters())
    #expect(engine.posterior == [0, 0.25, 0, 0.75])
    #expect(engine.next() == .build(0))
  }

  @Test func `refuses without any work where no revision can be the change`() {
    var range = ScriptedRange(count: 4, steps: [:])
    range.weights = [1, 0, 0, 0, 0]
    #expect(range.bisect().outcome == .refused(.same))
    #expect(range.built.isEmpty)
  }

  @Test func `does not launch a build that equals its neighbour`() throws {
    var range = ScriptedRange(count: 64, steps: [50: 0.05])
    for revision in 0...45 { range.digests[revision] = "good" }
    for revision in 46...49 { range.digests[revision] = "other" }
    for revision in 50...64 { range.digests[revision] = "bad" }
    let answer = range.bisect()
    let culprit = try #require(answer.culprits.first)
    #expect(culprit.revisions == 50...50)
    #expect(range.digests[culprit.parentBuild] == "other")
    #expect(range.digests[culprit.build] == "bad")
    #expect(Set(range.launched.keys.compactMap { range.digests[$0] }).count == 3)
    #expect(range.launched.count == 3)
  }

  @Test func `refuses ends that are the same build`() {
    var range = ScriptedRange(count: 8, steps: [:])
    range.digests = [0: "a", 8: "a"]
    #expect(range.bisect().outcome == .refused(.same))
    #expect(range.launched.isEmpty)
  }

  @Test func `says that an end cannot be built or launched`() {
    var unbuilt = ScriptedRange(count: 8, steps: [3: 0.1])
    unbuilt.broken = [8]
    #expect(unbuilt.bisect().outcome == .failed(end: 8))
    var silent = ScriptedRange(count: 8, steps: [3: 0.1])
    silent.unlaunchable = [0]
    #expect(silent.bisect().outcome == .failed(end: 0))
  }

  @Test func `takes revisions that cannot be launched as broken ones`() {
    var range = ScriptedRange(count: 32, steps: [17: 0.1])
    range.unlaunchable = [15, 16, 17]
    let answer = range.bisect()
    #expect(answer.culprits.map(\.revisions) == [15...18])
    #expect(answer.culprits.map(\.parentBuild) == [14])
  }

  @Test func `foresees what is built next, and what is left`() {
    var range = ScriptedRange(count: 64, steps: [20: 0.05])
    var engine = BisectEngine(weights: range.weights, parameters: BisectParameters())
    #expect(engine.ahead(of: 0, count: 4) == [64, 32, 16, 48])
    var left: [Double] = []
    var wasForeseen = true
    var foreseen: [Int] = []
    _ = range.bisect(&engine) { engine in
      left.append(engine.progress.buildsLeft)
      if case .build(let revision) = engine.action {
        if revision != 0 { wasForeseen = wasForeseen && foreseen.contains(revision) }
        foreseen = engine.ahead(of: revision, count: 3)
        #expect(!foreseen.contains(revision))
      }
    }
    #expect(wasForeseen)
    #expect(abs((left.first ?? 0) - 8) < 1)
    #expect(left.last == 0)
    #expect(engine.progress.phase == .done)
  }
}
