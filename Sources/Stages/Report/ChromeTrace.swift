package import LaunchCore
package import Rendering

/// Launches as a Chrome trace, which Perfetto opens.
///
/// The stages of a launch nest on one track; libraries, initializers, and what else is known have
/// tracks of their own, and other programs are processes of their own. Every launch begins at 0.
///
/// Source: "Trace Event Format" of the Chromium project; times are in microseconds with fractions.
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
    var process = TraceProcess(pid: pid, name: "launch \(number): \(name)", order: number)
    process.add(launch: launch)
    let others = launch.others.flatMap { program in
      let pid = processes.number(for: program.pid)
      var other = TraceProcess(
        pid: pid,
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

/// The events of one process of a Chrome trace.
struct TraceProcess {
  private let pid: Int
  private(set) var events: [JSONValue] = []
  private var threads = 0

  init(pid: Int, name: String, order: Int) {
    self.pid = pid
    events = TraceEvent.naming(process: pid, name, order: order)
  }

  mutating func add(launch: LaunchStages) {
    let parts = launch.launch.children.filter { $0.kind == .part }
    add("launch", frame(launch.launch, parts))
    add(tracksOf: parts)
    let details = launch.launch.children.filter { $0.kind == .detail }
    addDetails(details.filter { $0.start != nil })
    let printed = launch.launch.children.filter { $0.kind != .excluded && $0.start == nil }
    add("printed", TraceSlices.synthetic(printed.filter { $0.kind == .detail }))
    add("main to ready (order unknown)", TraceSlices.division(of: launch))
    add("processes", (launch.processes ?? []).compactMap { slice(of: $0, in: launch) })
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

  mutating func add(program: ProgramStages) {
    add("stages", program.stages.filter { $0.kind == .part }.compactMap(TraceSlices.slice))
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
    add("libraries", loaded.compactMap(TraceSlices.slice))
    let windows = parts.filter { $0.name == StageName.initializers }.flatMap(\.children)
    let libraries = windows.flatMap(\.children).filter { $0.kind == .part && $0.place != nil }
    add("initializers by library", libraries.compactMap(TraceSlices.slice))
    add("initializers", libraries.flatMap(\.children).flatMap(nested).compactMap(TraceSlices.slice))
    addDetails((parts + windows).flatMap(\.children).filter { $0.kind == .detail })
  }

  private func nested(_ stage: Stage) -> [Stage] { [stage] + stage.children.flatMap(nested) }

  private mutating func addDetails(_ details: [Stage]) {
    let all = details.flatMap(nested)
    add(
      "marks, tasks and other programs",
      all.filter { !isInstant($0) }.compactMap(TraceSlices.slice)
    )
    let instants = all.filter(isInstant)
    guard !instants.isEmpty else { return }
    let thread = nextThread("marks")
    events += instants.compactMap { mark in
      mark.start.map { start in
        [
          "name": .string(mark.name), "cat": .string(mark.source.rawValue), "ph": "i",
          "ts": TraceEvent.microseconds(start), "pid": JSONValue(pid), "tid": JSONValue(thread),
          "s": "t",
        ]
      }
    }
  }

  private func isInstant(_ stage: Stage) -> Bool {
    stage.source == .marks && stage.duration == .zero && stage.children.isEmpty
  }

  // MARK: - Tracks

  /// Adds slices on tracks of a name: as many as are needed for them to nest.
  private mutating func add(_ name: String, _ slices: [TraceSlice]) {
    for (index, track) in TraceSlices.tracks(of: slices).enumerated() {
      let thread = nextThread(index == 0 ? name : "\(name) \(index + 1)")
      events += track.map { event($0, thread) }
    }
  }

  private mutating func nextThread(_ name: String) -> Int {
    threads += 1
    events += TraceEvent.naming(thread: threads, of: pid, name)
    return threads
  }

  private func event(_ slice: TraceSlice, _ thread: Int) -> JSONValue {
    TraceEvent.slice(
      slice.stage.name,
      category: slice.stage.source.rawValue,
      from: slice.start,
      to: slice.end,
      process: pid,
      thread: thread,
      arguments(slice)
    )
  }

  private func arguments(_ slice: TraceSlice) -> JSONValue {
    let stage = slice.stage
    var members: [(name: String, value: JSONValue)] = []
    if let place = stage.place { members.append((name: "place", value: JSONValue(place: place))) }
    if !stage.flags.isEmpty {
      members.append((name: "flags", value: JSONValue(flags: stage.flags)))
    }
    if stage.duration != slice.end - slice.start {
      members.append((name: "total_ns", value: JSONValue(stage.duration?.count)))
    }
    if slice.isSynthetic { members.append((name: "synthetic_offset", value: .bool(true))) }
    return .object(members)
  }
}
