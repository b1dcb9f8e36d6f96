import LabModel

extension CounterEvent {
  /// What one value of the event named `name` counts; events not known count occurrences.
  static func unit(of name: String) -> Metric.Unit {
    switch Self(rawValue: name) {
    case .taskClock, .cpuClock: .nanoseconds
    default: .count
    }
  }
}
