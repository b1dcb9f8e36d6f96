import Foundation
import LabModel
import Testing

@testable import LabAnalysis

@Suite struct ExactBisectTests {
  struct Case: Sendable {
    let scatter: Double
    let step: Double
  }

  @Test(arguments: [
    Case(scatter: 0, step: 0.02), Case(scatter: 0.0001, step: 0.012),
    Case(scatter: 0.001, step: 0.05), Case(scatter: 0.001, step: 0.012),
  ])
  func `decides each commit by one launch`(test: Case) {
    for change in [1, 13, 40, 63, 64] {
      var range = ScriptedRange(count: 64, steps: [change: test.step])
      range.noise = test.scatter
      let answer = range.bisect(BisectParameters(isExact: true))
      #expect(answer.culprits.map(\.revisions) == [change...change])
      let others = range.launched.filter { ![0, change - 1, change, 64].contains($0.key) }
      #expect(others.values.reduce(0, +) <= others.count + 2)
      #expect(range.built.count <= 9)
    }
  }

  @Test func `finds two changes of an exact measure`() {
    var range = ScriptedRange(count: 64, steps: [20: 0.03, 45: 0.05])
    range.noise = 0.0005
    let answer = range.bisect(BisectParameters(findsAll: true, isExact: true))
    #expect(answer.culprits.map(\.revisions) == [45...45, 20...20])
  }

  @Test func `refuses equal counts`() {
    var range = ScriptedRange(count: 64, steps: [:])
    range.noise = 0
    let answer = range.bisect(BisectParameters(isExact: true))
    #expect(answer.outcome == .refused(.same))
    #expect(range.launched.values.reduce(0, +) == 6)
  }

  @Test(arguments: [true, false])
  func `bears counts without any noise`(isExact: Bool) throws {
    let step = BisectMeasure.tally("libraries").logarithm(of: 41) - log(40)
    for change in [1, 20, 33] {
      var range = ScriptedRange(count: 33, steps: [change: step])
      range.noise = 0
      let answer = range.bisect(BisectParameters(isExact: isExact))
      #expect(answer.culprits.map(\.revisions) == [change...change])
      let culprit = try #require(answer.culprits.first)
      #expect(abs(culprit.effect.estimate - step) < 1e-9)
      #expect(answer.levels.allSatisfy { $0.level.upper.isFinite && $0.level.lower.isFinite })
    }
  }

  @Test func `counts nothing as a half`() {
    let measure = BisectMeasure.tally("page_ins")
    #expect(measure.logarithm(of: 0) == log(0.5))
    #expect(measure.logarithm(of: 2) == log(2))
  }
}
