import Testing

@testable import Bisection
@testable import LaunchCore

@Suite struct SimulationSettingsTests {
  @Test func `reads shares as percentages and as fractions, and keeps what is left out`() throws {
    let settings = try SimulationSettings(
      parsing:
        "n=128, effect=2.5%,cv=0.04,runs=7,seed=9,scenario=two,jitter=0.3%,broken=30%,launches=100"
    )
    #expect(settings.candidates == 128)
    #expect(settings.effect == 0.025)
    #expect(settings.noise == 0.04)
    #expect(settings.runs == 7 && settings.seed == 9)
    #expect(settings.scenario == .two)
    #expect(settings.broken == 0.3 && settings.launches == 100)
    #expect(settings.drift == 0.03 && settings.confidence == 0.95)
    #expect(try SimulationSettings(parsing: "") == SimulationSettings())
  }

  @Test func `reads sizes of a set, and a count on a quiet machine`() throws {
    let settings = try SimulationSettings(parsing: "sizes=5%:-0.03,counts=yes,bursts=10%,levels=1%")
    #expect(settings.scenario == .set && settings.sizes == [0.05, -0.03])
    #expect(settings.isExact && settings.noise == 0.0001 && settings.drift == 0)
    #expect(settings.bursts == 0.1 && settings.levels == 0.01)
  }

  struct Case: Sendable {
    let text: String
    let problem: String
    let remedy: String
  }

  @Test(arguments: [
    Case(text: "efect=5%", problem: "there is no setting `efect`", remedy: "write `effect`"),
    Case(
      text: "scenario=nul",
      problem: "there is no scenario `nul`",
      remedy: "write `null`"
    ),
    Case(
      text: "n=0",
      problem: "`n` cannot be `0`",
      remedy: "write a whole number from 1 to 65536"
    ),
    Case(
      text: "cv=fast",
      problem: "`cv` cannot be `fast`",
      remedy: "write a number from 0.0 to 1.0, or a percentage"
    ),
    Case(
      text: "counts=no",
      problem: "`counts` cannot be `no`",
      remedy: "write `counts=yes`"
    ),
    Case(
      text: "sizes=5%:much",
      problem: "`sizes` cannot be `much`",
      remedy: "write a number from -0.9 to 10.0, or a percentage"
    ),
    Case(text: "n", problem: "unknown setting `n`", remedy: "write it as `key=value`"),
    Case(text: "n=", problem: "unknown setting `n=`", remedy: "write it as `key=value`"),
  ])
  func `says what is wrong and what was meant`(test: Case) throws {
    let error = #expect(throws: SimulationError.self) {
      try SimulationSettings(parsing: test.text)
    }
    #expect(error?.diagnostics.map(\.problem) == [test.problem])
    #expect(error?.diagnostics.first?.remedy == test.remedy)
    #expect(error?.exitCode == .usage)
  }
}
