package import LaunchCore
package import Rendering

/// A piece of time on the track of a trace; an instant where it has no length.
package struct TraceSlice {
  package var name: String
  package var category: String
  package var start: Nanoseconds
  package var end: Nanoseconds

  /// What else is known of it.
  package var details: [(name: String, value: JSONValue)]

  package init(
    _ name: String,
    category: String,
    from start: Nanoseconds,
    to end: Nanoseconds,
    _ details: [(name: String, value: JSONValue)] = []
  ) {
    self.name = name
    self.category = category
    self.start = start
    self.end = end
    self.details = details
  }
}

/// A process of a trace, with a track for each of its threads.
///
/// Perfetto, speedscope and the Firefox Profiler read the same names, slices and instants from it. A slice
/// is an event for its begin and one for its end. Speedscope would add begin and duration of a single
/// event, and never close the slice around it where their rounded sum is later than the end of that one.
///
/// Source: "Trace Event Format" of the Chromium project, `src/import/trace-event.ts` of speedscope,
/// `src/profile-logic/import/chrome.ts` of firefox-devtools/profiler.
package struct TraceProcess {
  package let number: Int
  package private(set) var events: [JSONValue] = []
  private var threads = 0

  /// - Parameters:
  ///   - number: One that no other process of the file has.
  ///   - name: What it is called.
  ///   - order: Its place among the others.
  package init(_ number: Int, name: String, order: Int) {
    self.number = number
    addNames("process", thread: 0, name, order: order)
  }

  /// Adds a thread.
  ///
  /// - Parameters:
  ///   - name: What it is called.
  ///   - slices: They nest, and are in the order of their beginning, outer ones before inner ones.
  /// - Returns: Its number.
  @discardableResult
  package mutating func add(_ name: String, _ slices: [TraceSlice]) -> Int {
    threads += 1
    addNames("thread", thread: threads, name, order: threads)
    var open: [TraceSlice] = []
    for slice in slices {
      while let inner = open.last, inner.end <= slice.start { addEnd(of: open.removeLast()) }
      let details: [(name: String, value: JSONValue)] =
        slice.details.isEmpty ? [] : [("args", .object(slice.details))]
      if slice.start == slice.end {
        // Speedscope may read the end of a slice without length before its begin.
        add("i", slice, at: slice.start, details + [(name: "s", value: JSONValue.string("t"))])
      } else {
        add("B", slice, at: slice.start, details)
        open.append(slice)
      }
    }
    while let inner = open.popLast() { addEnd(of: inner) }
    return threads
  }

  /// Adds the end of a slice, with arguments that no begin has.
  ///
  /// Of an end and a begin at the same time, speedscope reads the begin first if name and arguments are the
  /// same, as where a function is called twice in a row.
  private mutating func addEnd(of slice: TraceSlice) {
    add("E", slice, at: slice.end, [("args", .object([]))])
  }

  private mutating func add(
    _ phase: String,
    _ slice: TraceSlice,
    at time: Nanoseconds,
    _ more: [(name: String, value: JSONValue)]
  ) {
    let members: [(name: String, value: JSONValue)] = [
      ("name", .string(slice.name)), ("cat", .string(slice.category)), ("ph", .string(phase)),
      ("ts", TraceEvent.microseconds(time)), ("pid", JSONValue(number)),
      ("tid", JSONValue(threads)),
    ]
    events.append(.object(members + more))
  }

  private mutating func addNames(_ kind: String, thread: Int, _ name: String, order: Int) {
    let members: [(name: String, value: JSONValue)] = [
      ("name", .string(name)), ("sort_index", JSONValue(order)),
    ]
    for member in members {
      events.append([
        "name": .string("\(kind)_\(member.name)"), "ph": "M", "pid": JSONValue(number),
        "tid": JSONValue(thread), "args": .object([member]),
      ])
    }
  }
}

/// A trace file, and the times in it.
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

  /// Microseconds that read back as the same nanoseconds, rounded or cut off.
  ///
  /// Perfetto multiplies by 1000 and, in older versions, cuts off what follows the point (its file
  /// `json_utils.cc`), so that 1.001 would become 1000 ns.
  package static func microseconds(_ time: Nanoseconds) -> JSONValue {
    let number = Double(time.count) / 1_000
    return .number(Int64(clamping: number * 1_000) < time.count ? number.nextUp : number)
  }
}
