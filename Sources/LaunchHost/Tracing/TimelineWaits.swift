import CLaunchWire

/// Finds who woke the threads of a launch that was traced by ptrace, which does not see it.
///
/// The tracer gives what a thread waits for a key, and the same key to what wakes those who wait for
/// it: a process that ends for its parent's `wait4`, a write to a pipe for its reader, a
/// `futex` call for those who wait at its address. The last that did so before the wait was over woke
/// the thread; where nobody of the launch did, an interrupt did, or somebody who is not known.
struct TimelineWaits {
  /// What wakes by each key, in order of time.
  private var signals: [UInt64: [Signal]] = [:]

  /// The processes of threads that were started.
  private var processes: [Int32: UInt64] = [:]

  private struct Signal {
    var time: UInt64
    var thread: Int32
  }

  /// How long before the tracer saw a wait, in nanoseconds, it may have been over: the times of a
  /// thread between two stops are not known exactly.
  private static let slack: UInt64 = 20_000

  /// - Parameter records: Of a whole file, in order of time.
  init(of records: [TimelineReader.Record]) {
    for record in records {
      let values = record.head.values
      switch timeline_kind(UInt32(record.head.kind)) {
      case TIMELINE_FORK: processes[Int32(truncatingIfNeeded: values.0)] = values.1
      case TIMELINE_SIGNAL:
        signals[values.0, default: []]
          .append(Signal(time: record.head.time, thread: record.head.thread))
      default: break
      }
    }
  }

  /// Turns waits into what a kernel would have recorded: threads stop, and are woken.
  ///
  /// - Parameter records: Of a whole file, in order of time.
  /// - Returns: The same in order of time, without waits and what wakes.
  func resolved(_ records: [TimelineReader.Record]) -> [TimelineReader.Record] {
    var hasWaits = false
    let resolved = records.flatMap { record -> [TimelineReader.Record] in
      switch timeline_kind(UInt32(record.head.kind)) {
      case TIMELINE_WAIT:
        hasWaits = true
        return events(of: record)
      case TIMELINE_SIGNAL: return []
      default: return [record]
      }
    }
    return hasWaits ? TimelineReader.ordered(resolved) : resolved
  }

  private func events(of wait: TimelineReader.Record) -> [TimelineReader.Record] {
    let head = wait.head
    let (limit, end, key, other, flags) = head.values
    let signal =
      lastSignal(key, before: limit, of: head) ?? lastSignal(other, before: limit, of: head)
    var (stop, wake) = (wait, wait)
    stop.head.kind = UInt16(TIMELINE_SWITCH.rawValue)
    stop.head.values = (0, UInt64(TIMELINE_FROM) | flags, 0, 0, 0)
    wake.head.kind = UInt16(TIMELINE_WAKE.rawValue)
    if let signal {
      wake.head.time = max(signal.time, head.time)
      wake.head.values = (
        UInt64(UInt32(bitPattern: signal.thread)), processes[signal.thread] ?? 0,
        UInt64(TIMELINE_BY_THREAD.rawValue), 0, 0
      )
    } else {
      wake.head.time = max(end, head.time)
      wake.head.values = (0, 0, UInt64(TIMELINE_BY_INTERRUPT.rawValue), 0, 0)
    }
    return [stop, wake]
  }

  /// What another thread did for a key, as the last before a wait was over.
  private func lastSignal(_ key: UInt64, before limit: UInt64, of wait: timeline_record) -> Signal?
  {
    guard key != 0, let signals = signals[key] else { return nil }
    var (place, end) = (0, signals.count)
    while place < end {
      let middle = (place + end) / 2
      if signals[middle].time <= limit { place = middle + 1 } else { end = middle }
    }
    return signals[..<place].reversed().prefix { $0.time &+ Self.slack >= wait.time }
      .first { $0.thread != wait.thread }
  }
}
