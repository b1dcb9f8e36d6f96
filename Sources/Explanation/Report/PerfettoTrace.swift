import LaunchCore
package import Rendering
import Stages

/// A traced launch of each program as a Chrome trace, which Perfetto opens.
///
/// Each process of a launch is one there, and each thread has a track: own code and system calls, with
/// the waits in them below. The critical path has a track of its own, whose slices add up to the
/// launch, and every wake-up within the launch is an arrow. Every launch begins at 0.
package struct PerfettoTrace: JSONDocument {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  package var layout: JSONText.Layout { .line }

  package var value: JSONValue {
    var events: [JSONValue] = []
    var numbers = Numbers()
    for (side, arm) in result.sides {
      guard let traced = arm.traced else { continue }
      let reader = result.explanation.reading.reader
      var launch = TracedLaunchEvents(LaunchTracks(traced), of: arm, &numbers) {
        ExplanationWords.name(of: reader.name(of: $0, in: side))
      }
      launch.add(&numbers)
      events += launch.events
    }
    let commands = result.arms.map { ShellQuoting.text($0.command) }
    return TraceEvent.document(events, command: commands.joined(separator: "; "))
  }

  /// The last numbers that were given in a file.
  struct Numbers {
    var process = 0
    var flow = 0
  }
}

/// The events of one launch.
private struct TracedLaunchEvents {
  private(set) var events: [JSONValue] = []
  private let tracks: LaunchTracks
  private let nameOf: (LaunchActor) -> String

  /// By thread.
  private var places: [(process: Int, thread: Int)] = []
  private let criticalProcess: Int

  init(
    _ tracks: LaunchTracks,
    of arm: ExplanationResult.Arm,
    _ numbers: inout PerfettoTrace.Numbers,
    nameOf: @escaping (LaunchActor) -> String
  ) {
    self.tracks = tracks
    self.nameOf = nameOf
    numbers.process += 1
    criticalProcess = numbers.process
    let title = "\(arm.name): \(ShellQuoting.text(arm.command))"
    events += TraceEvent.naming(process: criticalProcess, title, order: criticalProcess)
    events += TraceEvent.naming(thread: 1, of: criticalProcess, "critical path")
    var processes = [0: criticalProcess]
    var threads = [criticalProcess: 1]
    for thread in tracks.threads {
      if processes[thread.process] == nil {
        numbers.process += 1
        processes[thread.process] = numbers.process
        let name = "\(arm.name): \(nameOf(thread.actor))"
        events += TraceEvent.naming(process: numbers.process, name, order: numbers.process)
      }
      let process = processes[thread.process] ?? criticalProcess
      threads[process, default: 0] += 1
      let place = (process: process, thread: threads[process] ?? 1)
      places.append(place)
      events += TraceEvent.naming(thread: place.thread, of: process, nameOf(thread.actor))
    }
  }

  /// Adds the slices, and then the arrows, since an arrow is bound to a slice that was read before it.
  mutating func add(_ numbers: inout PerfettoTrace.Numbers) {
    for segment in tracks.criticalPath {
      let name = "\(nameOf(segment.actor)): \(ExplanationWords.name(of: segment.activity))"
      add(
        name,
        "critical path",
        segment.start..<segment.end,
        (criticalProcess, 1),
        arguments(of: segment.activity)
      )
    }
    for (thread, place) in zip(tracks.threads, places) {
      for stretch in thread.stretches {
        add(
          [stretch.call, stretch.object].compactMap(\.self).joined(separator: " ").orOwnCode,
          stretch.call == nil ? "own code" : "system call",
          stretch.start..<stretch.end,
          place,
          []
        )
        for pause in stretch.pauses {
          let waker = pause.waker.map { nameOf(tracks.threads[$0].actor) }
          let name = ExplanationWords.name(of: pause.activity)
          let arguments = arguments(of: pause.activity, waker: waker)
          add(name, "wait", pause.start..<pause.end, place, arguments)
        }
      }
    }
    for (thread, place) in zip(tracks.threads, places) {
      for pause in thread.stretches.flatMap(\.pauses) {
        guard let waker = pause.waker else { continue }
        numbers.flow += 1
        addArrow(numbers.flow, from: places[waker], to: place, at: pause.end)
      }
    }
  }

  private mutating func add(
    _ name: String,
    _ category: String,
    _ time: Range<Nanoseconds>,
    _ place: (process: Int, thread: Int),
    _ arguments: [(name: String, value: JSONValue)]
  ) {
    events.append(
      TraceEvent.slice(
        name,
        category: category,
        from: time.lowerBound,
        to: time.upperBound,
        process: place.process,
        thread: place.thread,
        .object(arguments)
      )
    )
  }

  private mutating func addArrow(
    _ number: Int,
    from waker: (process: Int, thread: Int),
    to woken: (process: Int, thread: Int),
    at time: Nanoseconds
  ) {
    for (phase, place) in [("s", waker), ("f", woken)] {
      events.append([
        "name": "wakes", "cat": "wake-up", "ph": .string(phase), "id": JSONValue(number),
        "ts": TraceEvent.microseconds(time), "pid": JSONValue(place.process),
        "tid": JSONValue(place.thread), "bp": "e",
      ])
    }
  }

  private func arguments(
    of activity: Activity,
    waker: String? = nil
  ) -> [(name: String, value: JSONValue)] {
    var outside: String?
    if case .wait(_, _, let name) = activity { outside = name }
    return [("object", activity.object), ("woken by", waker ?? outside)].compactMap { name, value in
      value.map { (name: name, value: .string($0)) }
    }
  }
}

extension String {
  fileprivate var orOwnCode: String { isEmpty ? "own code" : self }
}
