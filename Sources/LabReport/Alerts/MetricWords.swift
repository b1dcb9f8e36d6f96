import LabModel

/// What people call a metric, and a change of it.
enum MetricWords {
  /// The name in a sentence, such as `peak RSS`.
  static func name(of metric: Metric) -> String {
    switch metric {
    case .cpuTime: "CPU time"
    case .peakRSS: "peak RSS"
    case .peakRSSTree: "peak RSS of the tree"
    default: metric.rawValue.replacing("_", with: " ")
    }
  }

  /// What a larger and a smaller value is called.
  static func comparative(of metric: Metric) -> (more: String, less: String) {
    switch metric {
    case .launch, .spawn: ("slower", "faster")
    case .userTime, .systemTime, .cpuTime: ("longer", "shorter")
    case .peakRSS, .peakRSSTree: ("larger", "smaller")
    case .bytesRead, .minorFaults, .majorFaults, .voluntarySwitches, .involuntarySwitches:
      ("more", "fewer")
    }
  }
}
