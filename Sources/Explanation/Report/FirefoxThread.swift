import LaunchCore
import Rendering
import Stages

/// A thread of a profile: its samples and its markers.
struct FirefoxThread {
  private let name: String

  /// The number of its process in the file, and what that is called.
  private let process: String

  /// Whether its name stands for that of its process.
  private let isFirst: Bool

  /// Whether each sample has a time that it took, and not only an instant.
  private let isTraced: Bool

  private var samples: [(time: Nanoseconds, stack: Int64, weight: Nanoseconds)] = []
  private var markers: [Marker] = []

  private struct Marker {
    var name: Int64
    var time: Range<Nanoseconds>
    var state: StateBars.State?
    var data: JSONValue
  }

  private init(_ name: String, of process: String, isFirst: Bool, isTraced: Bool) {
    self.name = name
    self.process = process
    self.isFirst = isFirst
    self.isTraced = isTraced
  }

  /// Those of a traced launch, its critical path first.
  ///
  /// - Parameters:
  ///   - tracks: What the threads did.
  ///   - arm: What the program is called.
  ///   - first: The number of the first one among all threads of the file.
  ///   - tables: Those of the file.
  ///   - nameOf: What an actor is called.
  /// - Returns: One more than the launch has threads.
  static func traced(
    _ tracks: LaunchTracks,
    _ arm: String,
    first: Int,
    _ tables: inout FirefoxTables,
    nameOf: (LaunchActor) -> String
  ) -> [Self] {
    let process = "\(arm), traced"
    var critical = Self("\(arm): critical path", of: process, isFirst: true, isTraced: true)
    for segment in tracks.criticalPath {
      critical.add(segment, by: nameOf(segment.actor), &tables)
    }
    return [critical]
      + tracks.threads.map { track in
        var thread = Self(nameOf(track.actor), of: process, isFirst: false, isTraced: true)
        for stretch in track.stretches {
          thread.add(stretch, of: tracks, first: first + 1, &tables, nameOf: nameOf)
        }
        return thread
      }
  }

  private mutating func add(
    _ segment: PathSegment,
    by actor: String,
    _ tables: inout FirefoxTables
  ) {
    let state = StateBars.State(segment.activity)
    let name = ExplanationWords.name(of: segment.activity)
    let object = segment.activity.object
    let frames = [(actor, nil), (name, state)] + (object.map { [($0, state)] } ?? [])
    samples.append((segment.start, tables.stack(frames), segment.duration))
    var data: [(name: String, value: JSONValue)] = [("type", "CriticalPath")]
    if let object { data.append(("object", .string(object))) }
    markers.append(
      Marker(
        name: tables.string("\(actor): \(name)"),
        time: segment.start..<segment.end,
        state: state,
        data: .object(data)
      )
    )
  }

  private mutating func add(
    _ stretch: LaunchTracks.Stretch,
    of tracks: LaunchTracks,
    first: Int,
    _ tables: inout FirefoxTables,
    nameOf: (LaunchActor) -> String
  ) {
    let frames = stretch.frames
    let running = tables.stack(frames)
    var time = stretch.start
    func run(until end: Nanoseconds) -> [(Nanoseconds, Int64, Nanoseconds)] {
      time < end ? [(time, running, end - time)] : []
    }
    if let call = stretch.call {
      var data: [(name: String, value: JSONValue)] = [("type", "SystemCall")]
      if let object = stretch.object { data.append(("object", .string(object))) }
      markers.append(
        Marker(
          name: tables.string(call),
          time: stretch.start..<stretch.end,
          state: .call,
          data: .object(data)
        )
      )
    }
    for pause in stretch.pauses {
      samples += run(until: pause.start)
      let state = StateBars.State(pause.activity)
      let name = ExplanationWords.name(of: pause.activity)
      let stack = tables.stack(frames + [(name, state)])
      samples.append((pause.start, stack, pause.end - pause.start))
      time = pause.end
      markers.append(
        Marker(
          name: tables.string(name),
          time: pause.start..<pause.end,
          state: state,
          data: Self.data(of: pause, in: tracks, first: first, &tables, nameOf: nameOf)
        )
      )
    }
    samples += run(until: stretch.end)
  }

  /// Who ended a wait, with what that thread did then.
  private static func data(
    of pause: LaunchTracks.Pause,
    in tracks: LaunchTracks,
    first: Int,
    _ tables: inout FirefoxTables,
    nameOf: (LaunchActor) -> String
  ) -> JSONValue {
    var data: [(name: String, value: JSONValue)] = [("type", "Wait")]
    if let object = pause.activity.object {
      data.append(("object", .string(object)))
    }
    if let waker = pause.waker {
      let thread = tracks.threads[waker]
      data += [
        ("waker", .string(nameOf(thread.actor))), ("thread", JSONValue(first + waker)),
        (
          "cause",
          [
            "tid": JSONValue(first + waker), "time": milliseconds(pause.end),
            "stack": JSONValue(
              thread.stretch(before: pause.end).map { tables.stack($0.frames) }
            ),
          ]
        ),
      ]
    } else if case .wait(_, _, let waker?) = pause.activity {
      data.append(("waker", .string(waker)))
    }
    return .object(data)
  }

  /// Those of a sampled launch, in the order of their first samples.
  static func sampled(
    _ profile: LaunchProfile,
    _ arm: String,
    _ tables: inout FirefoxTables,
    nameOf: (LaunchActor) -> String
  ) -> [Self] {
    let actors = ProfileActors(profile)
    var threads: [Self] = []
    var places: [Int32: Int] = [:]
    for sample in profile.samples
    where sample.waited == nil && (profile.begin...profile.ready).contains(sample.time) {
      if places[sample.thread] == nil {
        places[sample.thread] = threads.count
        let name = actors.actor(of: sample).map(nameOf) ?? "unknown thread"
        let isFirst = threads.isEmpty
        threads.append(
          Self(
            isFirst ? "\(arm): sampled, \(name)" : name,
            of: "\(arm), sampled",
            isFirst: isFirst,
            isTraced: false
          )
        )
      }
      let frames =
        sample.user.map { frame in
          let known = CodeFrame(file: frame.file.lastPathPart, function: frame.function)
          return (ExplanationWords.name(of: known), StateBars.State.own, known.file)
        }
        + sample.kernel.map { ($0, StateBars.State.call, "[kernel]") }
      let stack = tables.stack(frames)
      threads[places[sample.thread] ?? 0].samples.append(
        (sample.time - profile.begin, stack, profile.period)
      )
    }
    return threads
  }

  // MARK: - JSON

  func value(number: Int) -> JSONValue {
    let shown = markers.sorted { $0.time.lowerBound < $1.time.lowerBound }
    return [
      "processType": "default",
      "processStartupTime": .integer(0),
      "processShutdownTime": .null,
      "registerTime": .integer(0),
      "unregisterTime": .null,
      "pausedRanges": [],
      "showMarkersInTimeline": .bool(isTraced),
      "name": .string(name),
      "isMainThread": .bool(isFirst),
      "processName": .string(process),
      "pid": .string(process),
      "tid": JSONValue(number),
      "samples": [
        "time": .array(samples.map { Self.milliseconds($0.time) }),
        "stack": .array(samples.map { $0.stack < 0 ? .null : .integer($0.stack) }),
        "weight": isTraced ? .array(samples.map { Self.milliseconds($0.weight) }) : .null,
        "weightType": isTraced ? "tracing-ms" : "samples",
        "length": JSONValue(samples.count),
      ],
      "markers": [
        "name": .integers(shown.map(\.name)),
        "startTime": .array(shown.map { Self.milliseconds($0.time.lowerBound) }),
        "endTime": .array(shown.map { Self.milliseconds($0.time.upperBound) }),
        // Each has a beginning and an end.
        "phase": .integers(shown.map { _ in 1 }),
        "category": .integers(shown.map { FirefoxCategory.number(of: $0.state) }),
        "data": .array(shown.map(\.data)),
        "length": JSONValue(shown.count),
      ],
    ]
  }

  static func milliseconds(_ time: Nanoseconds) -> JSONValue {
    .number(Double(time.count) / 1_000_000)
  }
}

extension LaunchTracks.Stretch {
  /// As a stack: the system call and what it works on, or own code.
  fileprivate var frames: [(String, StateBars.State?)] {
    guard let call else { return [(StateBars.State.own.rawValue, .own)] }
    return [(call, .call)] + (object.map { [($0, .call)] } ?? [])
  }
}
