package import LaunchCore
package import Rendering

/// Launches as a trace, which Perfetto, speedscope and the Firefox Profiler open.
///
/// The stages of a launch nest on one track; libraries, initializers, and what else is known have
/// tracks of their own, and other programs are processes of their own. Every launch begins at 0.
package struct ChromeTrace: JSONDocument {
  private let launches: [LaunchStages]
  private let command: [String]

  package init(_ launches: [LaunchStages], command: [String]) {
    self.launches = launches
    self.command = command
  }

  package var value: JSONValue {
    var processes = TraceProcesses()
    var events: [JSONValue] = []
    for (index, launch) in launches.enumerated() {
      events += self.events(of: launch, number: index + 1, &processes)
    }
    return TraceEvent.document(events, command: ShellQuoting.text(command))
  }

  private func events(
    of launch: LaunchStages,
    number: Int,
    _ processes: inout TraceProcesses
  ) -> [JSONValue] {
    let name = launch.program ?? command.first ?? "target"
    let pid = processes.number(for: launch.pid)
    var process = TraceProcess(pid, name: "launch \(number): \(name)", order: number)
    process.add(launch: launch)
    let others = launch.others.flatMap { program in
      let pid = processes.number(for: program.pid)
      var other = TraceProcess(
        pid,
        name: "\(program.program) of launch \(number)",
        order: number
      )
      other.add(program: program)
      return other.events
    }
    return process.events + others
  }
}

/// Numbers for the processes of all launches, which may have had the same one after another.
struct TraceProcesses {
  private var used: Set<Int> = []

  /// The process's own number, or the next free one above 4194304, the most of Linux.
  mutating func number(for pid: Int32?) -> Int {
    var number = pid.map(Int.init) ?? 4_194_305
    if used.contains(number) { number = 4_194_305 }
    while used.contains(number) { number += 1 }
    used.insert(number)
    return number
  }
}

extension TraceProcess {
  fileprivate mutating func add(launch: LaunchStages) {
    let parts = launch.launch.children.filter { $0.kind == .part }
    addTracks("launch", frame(launch.launch, parts))
    add(tracksOf: parts)
    let details = launch.launch.children.filter { $0.kind == .detail }
    addDetails(details.filter { $0.start != nil })
    let printed = launch.launch.children.filter { $0.kind != .excluded && $0.start == nil }
    addTracks("printed", TraceSlices.synthetic(printed.filter { $0.kind == .detail }))
    addTracks("main to ready (order unknown)", TraceSlices.division(of: launch))
    addTracks("processes", (launch.processes ?? []).compactMap { slice(of: $0, in: launch) })
  }

  private func slice(of process: LaunchProcess, in launch: LaunchStages) -> TraceSlice? {
    guard let end = process.end ?? launch.launch.duration else { return nil }
    let name = process.program.split(separator: "/").last.map(String.init) ?? "?"
    return TraceSlices.slice(
      Stage(
        name: "\(process.isExecuted ? name : "fork of \(name)") [\(process.pid)]",
        start: process.start,
        duration: end - process.start,
        source: launch.collector
      )
    )
  }

  fileprivate mutating func add(program: ProgramStages) {
    addTracks("stages", program.stages.filter { $0.kind == .part }.compactMap(TraceSlices.slice))
    add(tracksOf: program.stages)
    addDetails(program.stages.filter { $0.kind == .detail })
  }

  /// The launch and the stages that sum to it, down to those of libraries.
  private func frame(_ launch: Stage, _ parts: [Stage]) -> [TraceSlice] {
    let below = parts.flatMap(\.children).filter { $0.kind == .part && $0.place == nil }
    return ([launch] + parts + below).compactMap(TraceSlices.slice)
  }

  private mutating func add(tracksOf parts: [Stage]) {
    let loaded = parts.filter { $0.name == StageName.load }.flatMap(\.children)
    addTracks("libraries", loaded.compactMap(TraceSlices.slice))
    let windows = parts.filter { $0.name == StageName.initializers }.flatMap(\.children)
    let libraries = windows.flatMap(\.children).filter { $0.kind == .part && $0.place != nil }
    addTracks("initializers by library", libraries.compactMap(TraceSlices.slice))
    let initializers = libraries.flatMap(\.children).flatMap(nested)
    addTracks("initializers", initializers.compactMap(TraceSlices.slice))
    addDetails((parts + windows).flatMap(\.children).filter { $0.kind == .detail })
  }

  private func nested(_ stage: Stage) -> [Stage] { [stage] + stage.children.flatMap(nested) }

  private mutating func addDetails(_ details: [Stage]) {
    let all = details.flatMap(nested)
    addTracks(
      "marks, tasks and other programs",
      all.filter { !isInstant($0) }.compactMap(TraceSlices.slice)
    )
    addTracks("marks", all.filter(isInstant).compactMap(TraceSlices.slice))
  }

  private func isInstant(_ stage: Stage) -> Bool {
    stage.source == .marks && stage.duration == .zero && stage.children.isEmpty
  }

  /// Adds slices on tracks of a name: as many as are needed for them to nest.
  private mutating func addTracks(_ name: String, _ slices: [TraceSlice]) {
    for (index, track) in TraceSlices.tracks(of: slices).enumerated() {
      add(index == 0 ? name : "\(name) \(index + 1)", track)
    }
  }
}

extension TraceSlice {
  /// The time of a stage; its place is synthetic where only its duration is known.
  fileprivate init(
    _ stage: Stage,
    from start: Nanoseconds,
    to end: Nanoseconds,
    isSynthetic: Bool = false
  ) {
    self.init(stage.name, category: stage.source.rawValue, from: start, to: end)
    if let place = stage.place { details.append((name: "place", value: JSONValue(place: place))) }
    if !stage.flags.isEmpty {
      details.append((name: "flags", value: JSONValue(flags: stage.flags)))
    }
    if stage.duration != end - start {
      details.append((name: "total_ns", value: JSONValue(stage.duration?.count)))
    }
    if isSynthetic { details.append((name: "synthetic_offset", value: .bool(true))) }
  }
}

/// Slices that nest on every track, as the format asks for.
private enum TraceSlices {
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
    return TraceSlice(stage, from: start, to: end)
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
      return TraceSlice(stage, from: cursor, to: cursor + duration, isSynthetic: true)
    }
  }
}
