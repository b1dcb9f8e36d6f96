package import LaunchCore
package import Rendering

/// Launches as a file that speedscope opens: one evented profile per launch.
///
/// Slices that overlap without nesting, and stages of which only the duration is known, are in
/// profiles of their own beside that of their launch.
///
/// Source: `src/lib/file-format-spec.ts` of speedscope: events are in the order of their times, and
/// every frame that is opened is closed before the one around it.
package struct Speedscope: JSONDocument {
  private let launches: [LaunchStages]
  private let command: [String]

  package init(_ launches: [LaunchStages], command: [String]) {
    self.launches = launches
    self.command = command
  }

  package var value: JSONValue {
    var frames = SpeedscopeFrames()
    var profiles: [JSONValue] = []
    for (index, launch) in launches.enumerated() {
      profiles += self.profiles(of: launch, number: index + 1, &frames)
    }
    return [
      "$schema": "https://www.speedscope.app/file-format-schema.json",
      "name": .string(ShellQuoting.text(command)),
      "activeProfileIndex": .integer(0),
      "exporter": .string("launchlab@\(LaunchlabVersion.current)"),
      "shared": ["frames": .array(frames.values)],
      "profiles": .array(profiles),
    ]
  }

  private func profiles(
    of launch: LaunchStages,
    number: Int,
    _ frames: inout SpeedscopeFrames
  ) -> [JSONValue] {
    let name = "launch \(number)"
    let tracks = TraceSlices.tracks(of: timed(launch.launch))
    var profiles = tracks.enumerated().map { index, track in
      profile(index == 0 ? name : "\(name), beside it \(index)", track, &frames)
    }
    let printed = TraceSlices.synthetic(launch.launch.children.filter { $0.kind == .detail })
    if !printed.isEmpty {
      profiles.append(profile("\(name), printed (order unknown)", printed, &frames))
    }
    let division = TraceSlices.division(of: launch)
    if !division.isEmpty {
      profiles.append(profile("\(name), main to ready (order unknown)", division, &frames))
    }
    for program in launch.others {
      for track in TraceSlices.tracks(of: program.stages.flatMap(timed)) {
        profiles.append(profile("\(program.program) of \(name)", track, &frames))
      }
    }
    return profiles
  }

  /// A stage and everything below it that has a time.
  private func timed(_ stage: Stage) -> [TraceSlice] {
    [TraceSlices.slice(stage)].compactMap(\.self) + stage.children.flatMap(timed)
  }

  private func profile(
    _ name: String,
    _ track: [TraceSlice],
    _ frames: inout SpeedscopeFrames
  ) -> JSONValue {
    var events: [JSONValue] = []
    var open: [(frame: Int, end: Nanoseconds)] = []
    var last = Nanoseconds.zero
    func close() {
      let frame = open.removeLast()
      events.append(event("C", frame.frame, frame.end))
      last = max(last, frame.end)
    }
    for slice in track {
      while let end = open.last?.end, end <= slice.start { close() }
      let frame = frames.index(of: slice.stage)
      events.append(event("O", frame, slice.start))
      open.append((frame, slice.end))
    }
    while !open.isEmpty { close() }
    return [
      "type": "evented", "name": .string(name), "unit": "nanoseconds", "startValue": .integer(0),
      "endValue": .integer(last.count), "events": .array(events),
    ]
  }

  private func event(_ type: String, _ frame: Int, _ time: Nanoseconds) -> JSONValue {
    ["type": .string(type), "frame": JSONValue(frame), "at": .integer(time.count)]
  }
}

/// The frames that profiles share, each once.
private struct SpeedscopeFrames {
  private(set) var values: [JSONValue] = []
  private var indices: [Key: Int] = [:]

  private struct Key: Hashable {
    var name: String
    var file: String?
  }

  mutating func index(of stage: Stage) -> Int {
    let key = Key(name: stage.name, file: stage.place?.file)
    if let index = indices[key] { return index }
    let file = key.file.map { [(name: "file", value: JSONValue.string($0))] } ?? []
    values.append(.object([(name: "name", value: .string(key.name))] + file))
    indices[key] = values.count - 1
    return values.count - 1
  }
}

/// A piece of time on a track of a trace.
struct TraceSlice {
  var start: Nanoseconds
  var end: Nanoseconds
  var stage: Stage

  /// Whether its place on the track is made up, because only its duration is known.
  var isSynthetic = false
}

/// Slices that nest on every track, as formats of traces ask for.
enum TraceSlices {
  /// Puts slices on as few tracks as needed for slices that overlap to nest; O(n log n) for few
  /// tracks.
  ///
  /// - Returns: The slices of each track by their beginning, outer ones before inner ones.
  static func tracks(of slices: [TraceSlice]) -> [[TraceSlice]] {
    let sorted = slices.enumerated()
      .sorted { left, right in
        (left.element.start, right.element.end, left.offset)
          < (right.element.start, left.element.end, right.offset)
      }
      .map(\.element)
    var tracks: [[TraceSlice]] = []
    var open: [[Nanoseconds]] = []
    for slice in sorted {
      let track = open.indices.first { fits(slice, &open[$0]) }
      if let track {
        tracks[track].append(slice)
        open[track].append(slice.end)
      } else {
        tracks.append([slice])
        open.append([slice.end])
      }
    }
    return tracks
  }

  /// Whether a slice lies within the innermost of the open ones that have not ended before it.
  private static func fits(_ slice: TraceSlice, _ open: inout [Nanoseconds]) -> Bool {
    while let end = open.last, end <= slice.start { open.removeLast() }
    return open.last.map { slice.end <= $0 } ?? true
  }

  /// The time that a stage spans: its own, or from its beginning to the end of its last child.
  ///
  /// The initializers of a library may lie apart, so that their sum is shorter than that.
  static func slice(_ stage: Stage) -> TraceSlice? {
    guard let start = stage.start, let duration = stage.duration else { return nil }
    let ends = stage.children.compactMap { child in
      child.start.flatMap { start in child.duration.map { start + $0 } }
    }
    let end = max(start + duration, stage.place == nil ? start + duration : ends.max() ?? start)
    return TraceSlice(start: start, end: end, stage: stage)
  }

  /// What `main_to_ready` is divided into, laid end to end.
  static func division(of launch: LaunchStages) -> [TraceSlice] {
    let main = launch.launch.children.first { $0.name == StageName.mainToReady }
    let parts = main?.children.filter { $0.kind == .part } ?? []
    return synthetic(parts, from: main?.start ?? .zero)
  }

  /// Stages that have no start, laid end to end in their order.
  static func synthetic(_ stages: [Stage], from start: Nanoseconds = .zero) -> [TraceSlice] {
    var cursor = start
    return stages.compactMap { stage in
      guard stage.start == nil, let duration = stage.duration, duration > .zero else { return nil }
      defer { cursor = cursor + duration }
      return TraceSlice(start: cursor, end: cursor + duration, stage: stage, isSynthetic: true)
    }
  }
}
