package import LabModel

extension TrendSummary {
  /// The exit code that the verdicts of the night ask for.
  ///
  /// A red alert or a broken budget is a regression, unless somebody has acknowledged the budget's
  /// alert; a suspicion that nothing has settled, or a budget that the interval reaches across, is
  /// inconclusive.
  package var exitCode: LabExitCode {
    let budgets = budgets.map { check -> LabExitCode in
      switch check.outcome {
      case .broken: isAcknowledged(check.budget) ? .done : .regression
      case .undecided: .inconclusive
      case .kept, .unmeasured: .done
      }
    }
    let alerts = alerts.map { alert -> LabExitCode in
      if alert.isRed { return .regression }
      return alert.state == .suspected ? .inconclusive : .done
    }
    return (budgets + alerts).max() ?? .done
  }

  private func isAcknowledged(_ budget: Budget) -> Bool {
    alerts.contains { alert in
      alert.kind == .budget && alert.state == .acknowledged && budget.isOf(alert.series)
    }
  }
}
