import Foundation

@testable import History
@testable import LaunchCore

/// What whole nights are put together from.
extension SampleTrend {
  func row(_ night: Int, _ median: Double) -> MetricRow {
    MetricRow(
      run: run(night),
      arm: Arm(target: target, state: .warm),
      metric: .launch,
      version: 1,
      n: 40,
      mean: median * 1.01,
      median: median,
      medianAbsoluteDeviation: median * 0.01,
      minimum: median * 0.95,
      maximum: median * 1.4,
      p90: median * 1.06,
      p95: median * 1.11,
      intervalLow: median * 0.99,
      intervalHigh: median * 1.01
    )
  }

  func summary(
    _ trends: [SeriesTrend],
    alerts: [Alert] = [],
    budgets: [BudgetCheck] = []
  ) -> TrendSummary {
    let scenario = Scenario(
      name: scenarioName,
      targets: [Target(name: target, command: ["/usr/bin/app"], directory: "/home/ada/lab")],
      states: [.warm, .rebootCold],
      launches: 40,
      directory: "/home/ada/lab"
    )
    let plan = Plan(
      scenario: scenario,
      seed: 4_711,
      arms: [Arm(target: target, state: .warm)],
      blockCount: 40
    )
    let run = RunRecord(
      id: run(count - 1),
      startedAt: date(count - 1),
      finishedAt: date(count - 1).addingTimeInterval(300),
      status: .complete,
      plan: plan,
      host: SampleRun.host,
      controls: [
        ControlReceipt(
          name: "governor",
          wanted: "performance",
          before: "powersave",
          after: "performance",
          status: .applied
        )
      ],
      tool: "0.1.0"
    )
    return TrendSummary(
      scenario: scenario,
      tonight: nights[nights.count - 1],
      nights: nights,
      missed: missed,
      series: trends,
      alerts: alerts,
      budgets: budgets,
      run: run,
      launches: 480,
      disturbedLaunches: 4
    )
  }
}
