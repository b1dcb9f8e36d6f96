package import LabModel

extension SettleGate {
  /// The limits that are not looked at, for want of a source, such as `no temperature sensor`.
  package func missing() -> [String] { sight.missing }

  /// What is waited for, and what of it cannot be seen here.
  package func receipt() -> ControlReceipt {
    let missing = missing()
    return ControlReceipt(
      name: ControlName.settle.rawValue,
      wanted: words { _ in true },
      after: sight.isBlind ? nil : words { $0 },
      status: sight.isBlind ? .unavailable : .applied,
      reason: missing.isEmpty ? nil : missing.joined(separator: "; ")
    )
  }

  /// The limits in words; of each it is asked whether it is named, given whether it is looked at.
  private func words(_ isNamed: (_ isSeen: Bool) -> Bool) -> String {
    let phrases = [
      limits.cpuIdle.map { ("cpu idle \(Words.percent($0))", sight.seesIdle) },
      limits.ioPressure.map { ("I/O pressure \(Words.percent($0))", sight.seesPressure) },
      limits.load.map { ("load \(Words.number($0))", sight.seesLoad) },
      limits.temperature.map { ("\(Words.number($0)) °C", sight.seesTemperature) },
    ]
    let named = phrases.compactMap(\.self).filter { isNamed($0.1) }.map(\.0)
    let seconds = Words.number(Double(limits.within.count) / 1e9)
    return (named + ["within \(seconds) s"]).joined(separator: ", ")
  }
}

/// How the receipts and the obstacles put numbers.
enum Words {
  /// A share with at most one decimal, such as `90 %`.
  static func percent(_ share: Double) -> String { "\(number(share * 100)) %" }

  /// A number with at most one decimal, such as `2.5` and `41`.
  static func number(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}
