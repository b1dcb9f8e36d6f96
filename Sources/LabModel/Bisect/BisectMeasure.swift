/// What a bisection measures of each launch.
package enum BisectMeasure: Hashable, Codable, Sendable {
  /// Something that every plain launch gives.
  case metric(Metric)

  /// An event that is counted on launches with counters.
  case counter(CounterEvent)

  /// The time of a stage by its path, such as `fixup` or `init.libraries`, in nanoseconds.
  case stage(String)

  /// A number that collectors count, such as `libraries`, `relocations` or `page_ins`.
  case tally(String)

  /// The name used on the command line, in JSON and in reports.
  package var name: String {
    switch self {
    case .metric(let metric): metric.rawValue
    case .counter(let event): event.rawValue
    case .stage(let path), .tally(let path): path
    }
  }

  /// What one value counts.
  package var unit: Metric.Unit {
    switch self {
    case .metric(let metric): metric.unit
    case .stage: .nanoseconds
    case .counter(.taskClock), .counter(.cpuClock): .nanoseconds
    case .counter, .tally: .count
    }
  }
}

/// How instructions or other events are counted.
package enum CountingMethod: String, Codable, Sendable {
  /// By the processor, in the kernel's part too.
  case hardware

  /// By valgrind, in user mode only, children included.
  case valgrind

  /// By the kernel.
  case software
}
