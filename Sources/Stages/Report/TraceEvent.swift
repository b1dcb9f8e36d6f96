package import LaunchCore
package import Rendering

/// The events of a Chrome trace, which Perfetto opens.
///
/// Source: "Trace Event Format" of the Chromium project; times are in microseconds with fractions.
package enum TraceEvent {
  /// A whole file.
  ///
  /// - Parameters:
  ///   - events: In any order; those of one instant in the order in which they are to be read.
  ///   - command: What was launched.
  /// - Returns: A value to be written.
  package static func document(_ events: [JSONValue], command: String) -> JSONValue {
    [
      "traceEvents": .array(events),
      "displayTimeUnit": "ms",
      "otherData": [
        "creator": .string("launchlab \(LaunchlabVersion.current)"), "command": .string(command),
      ],
    ]
  }

  /// Gives a process its name, and its place among the others.
  package static func naming(process: Int, _ name: String, order: Int) -> [JSONValue] {
    [
      metadata("process_name", process, 0, ["name": .string(name)]),
      metadata("process_sort_index", process, 0, ["sort_index": JSONValue(order)]),
    ]
  }

  /// Gives a thread its name, and its place by its number.
  package static func naming(thread: Int, of process: Int, _ name: String) -> [JSONValue] {
    [
      metadata("thread_name", process, thread, ["name": .string(name)]),
      metadata("thread_sort_index", process, thread, ["sort_index": JSONValue(thread)]),
    ]
  }

  /// A piece of time on the track of a thread; those of a thread have to nest.
  package static func slice(
    _ name: String,
    category: String,
    from start: Nanoseconds,
    to end: Nanoseconds,
    process: Int,
    thread: Int,
    _ arguments: JSONValue
  ) -> JSONValue {
    [
      "name": .string(name),
      "cat": .string(category),
      "ph": "X",
      "ts": microseconds(start),
      "dur": microseconds(end - start),
      "pid": JSONValue(process),
      "tid": JSONValue(thread),
      "args": arguments,
    ]
  }

  private static func metadata(
    _ name: String,
    _ process: Int,
    _ thread: Int,
    _ arguments: JSONValue
  ) -> JSONValue {
    [
      "name": .string(name), "ph": "M", "pid": JSONValue(process), "tid": JSONValue(thread),
      "args": arguments,
    ]
  }

  /// Microseconds that read back as the same nanoseconds, rounded or cut off.
  ///
  /// Perfetto multiplies by 1000 and, in older versions, cuts off what follows the point (its file
  /// `json_utils.cc`), so that 1.001 would become 1000 ns and slices would no longer nest.
  package static func microseconds(_ time: Nanoseconds) -> JSONValue {
    let number = Double(time.count) / 1_000
    return .number(Int64(clamping: number * 1_000) < time.count ? number.nextUp : number)
  }
}
