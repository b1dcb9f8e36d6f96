import LaunchCore

/// Puts the stages of one launch together.
struct StageTreeBuilder {
  private let observation: StageObservation
  private let traces: LaunchTraces

  /// The program that the stages are of, as an index of the traces: the chosen one, or that which
  /// became ready.
  private let main: Int?

  /// The process that runs the chosen program; nil where none is chosen, or none was seen.
  private let chosen: ChosenProcess?

  /// When the observation ends: the ready instant, or the last that was seen.
  private let end: Nanoseconds

  private let hasLoader: Bool?
  private var notes: [String]

  init(_ observation: StageObservation, processes: [LaunchProcess]?, hasLoader: Bool?) {
    self.hasLoader = hasLoader
    self.observation = observation
    traces = LaunchTraces(observation)
    notes = observation.notes
    let ready = observation.readyProcess.flatMap { [traces] in traces.lastProgram(of: $0) }
    if let program = observation.chosen {
      chosen = ChosenProcess(program, processes, traces)
      main = chosen.flatMap { [traces] in traces.lastProgram(of: $0.pid, matching: program) }
    } else {
      chosen = nil
      main = ready ?? traces.lastProgram(of: observation.process)
    }
    let seen = traces.programs.map { program in
      max(
        program.began ?? .zero,
        program.events.map { max($0.time, $0.end ?? .zero) }.max() ?? .zero
      )
    }
    end = traces.ready ?? seen.max() ?? .zero
    if let process = observation.readyProcess, ready == nil, chosen == nil, main != nil {
      notes.append(
        "process \(process) became ready, and began no program of its own: the stages are those of "
          + "the program it was copied from"
      )
    }
  }

  mutating func stages() -> LaunchStages {
    var launch = Stage(
      name: StageName.launch,
      start: .zero,
      duration: traces.ready,
      source: observation.collector
    )
    var preMain: Nanoseconds?
    if let main {
      let sight = ProgramSight(traces.programs[main], observation.collector, hasLoader: hasLoader)
      launch.children = mainStages(sight)
      preMain = sight.reachedMain.map { $0 - (chosen?.start ?? .zero) }
      notes += sight.notes + (chosen?.notes ?? [])
    } else if let chosen {
      launch.children = mainStages(nil)
      notes += chosen.notes + ["of \(chosen.program) only its beginning and its end were seen"]
    } else if let program = observation.chosen {
      notes.append("no process was seen to run \(program.name), so that the launch cannot be split")
    } else if traces.programs.isEmpty {
      notes.append(
        observation.collector == .marks
          ? "the target made no launch marks, so that the launch cannot be split"
          : "the launch could not be observed, so it is not split into stages"
      )
    }
    let copies = traces.programs.indices.filter(isShownCopy)
    for index in copies { addMarks(of: traces.programs[index], to: &launch) }
    let others = traces.programs.indices.filter { $0 != main && !copies.contains($0) }
      .map(otherProgram)
      .filter { $0.began != nil || !$0.stages.stages.isEmpty }
    addOthers(others, to: &launch)
    describeWhatIsMissing(launch)
    return LaunchStages(
      collector: observation.collector,
      launch: launch,
      preMain: preMain,
      pid: chosen?.pid ?? main.map { traces.programs[$0].pid } ?? observation.process,
      program: main.flatMap { traces.programs[$0].name.nonEmpty } ?? chosen?.program,
      others: others.map(\.stages),
      counters: counters,
      notes: notes
    )
  }

  /// The parts of the launch; nothing was seen of a program without a sight but when it ran.
  private func mainStages(_ sight: ProgramSight?) -> [Stage] {
    var sequence = StageSequence(from: .zero, source: observation.collector)
    if let chosen, chosen.start != .zero {
      sequence.add(StageName.launcher, until: chosen.start.map { .seen($0) } ?? .missing)
    }
    let last = chosen?.end ?? traces.ready
    if let sight {
      sight.add(to: &sequence, ready: last)
    } else {
      sequence.add(StageName.exec, until: .missing)
    }
    sequence.add(StageName.mainToReady, until: last.map { .seen($0) } ?? .missing)
    if chosen?.end != nil {
      sequence.add(StageName.afterProgram, until: traces.ready.map { .seen($0) } ?? .missing)
    }
    var stages = sequence.finished()
    sight?.fill(&stages, until: chosen?.end ?? end)
    return stages
  }

  private var counters: [String: Int64] {
    var counters =
      main.map { traces.programs[$0] }
      .map { ProgramSight($0, observation.collector).counters } ?? [:]
    counters["programs"] = Int64(traces.programs.count { $0.began != nil })
    counters["processes"] = Int64(Set(traces.programs.map(\.pid)).count)
    if traces.lateEvents > 0 { counters["late_events"] = Int64(traces.lateEvents) }
    if observation.lostEvents > 0 { counters["lost_events"] = Int64(observation.lostEvents) }
    return counters
  }
}

// MARK: - Other programs

extension StageTreeBuilder {
  private struct Other {
    var stages: ProgramStages
    var began: Nanoseconds?
    var ended: Nanoseconds?
    var reachedMain: Nanoseconds?
  }

  private func otherProgram(_ index: Int) -> Other {
    let trace = traces.programs[index]
    let sight = ProgramSight(trace, observation.collector)
    let mainBegan = chosen?.start ?? main.flatMap { traces.programs[$0].began }
    let isOwn =
      trace.pid == observation.process || trace.pid == main.map { traces.programs[$0].pid }
    let isBefore = trace.began.map { began in mainBegan.map { began <= $0 } ?? false } ?? false
    let isWrapper = isOwn && isBefore
    var stages: [Stage] = []
    if let began = trace.began {
      var sequence = StageSequence(from: began, source: observation.collector)
      sight.addLoaderStages(to: &sequence)
      if sight.reachedMain != nil {
        sequence.add("after main", until: trace.ended.map { .seen($0) } ?? .missing)
      }
      stages = sequence.finished()
      sight.fill(&stages, until: trace.ended ?? end)
    } else {
      stages = sight.marks(until: end)
    }
    let name = trace.name.nonEmpty ?? (trace.began == nil ? "(a copy of a process)" : "(unknown)")
    return Other(
      stages: ProgramStages(pid: trace.pid, program: name, isWrapper: isWrapper, stages: stages),
      began: trace.began,
      ended: trace.ended ?? (isWrapper ? mainBegan : nil),
      reachedMain: sight.reachedMain
    )
  }

  /// Shows other programs as details of the stage in which they began.
  ///
  /// A wrapper is there until it was replaced. Of the others the end is not seen, only their `main`.
  private func addOthers(_ others: [Other], to launch: inout Stage) {
    var index = 0
    for other in others.filter({ $0.began != nil }).sorted(by: {
      ($0.began ?? .zero) < ($1.began ?? .zero)
    }) {
      guard let began = other.began else { continue }
      while index + 1 < launch.children.count,
        launch.children[(index + 1)...].contains(where: { $0.start.map { $0 <= began } ?? false })
      { index += 1 }
      let isWrapper = other.stages.isWrapper
      let last = isWrapper ? other.ended : other.reachedMain
      let detail = Stage(
        name: isWrapper ? other.stages.program : "pre-main of \(other.stages.program)",
        kind: .detail,
        start: began,
        duration: last.map { $0 - began },
        source: observation.collector,
        flags: last == nil ? [.unfinished] : []
      )
      if launch.children.isEmpty {
        launch.children.append(detail)
      } else {
        launch.children[index].children.append(detail)
      }
    }
  }

  /// Whether a process without a program of its own is what became ready, or all there is.
  private func isShownCopy(_ index: Int) -> Bool {
    let trace = traces.programs[index]
    guard trace.began == nil else { return false }
    return trace.pid == observation.readyProcess || main == nil && trace.pid == observation.process
  }

  /// Shows what such a process said with the marks API under the last stage.
  private func addMarks(of trace: ProgramTrace, to launch: inout Stage) {
    let marks = ProgramSight(trace, observation.collector).marks(until: end)
    if let last = launch.children.lastIndex(where: { $0.start != nil }) {
      launch.children[last].children += marks
    } else {
      launch.children += marks
    }
  }
}

// MARK: - Notes

extension StageTreeBuilder {
  private mutating func describeWhatIsMissing(_ launch: Stage) {
    if traces.ready == nil { notes.append("the launch did not become ready, so it has no total") }
    if observation.lostEvents > 0 {
      notes.append("\(events(observation.lostEvents)) found no room; what they told is missing")
    }
    if traces.earlyEvents > 0 {
      notes.append("\(events(traces.earlyEvents)) of a time before the launch; left out")
    }
    if traces.lateEvents > 0 {
      notes.append("\(events(traces.lateEvents)) came after the ready instant; not counted")
    }
    for (index, stage) in launch.children.enumerated() where stage.flags.contains(.merged) {
      let next = launch.children[(index + 1)...].prefix { $0.flags.contains(.unavailable) }
      let names = next.map(\.name).joined(separator: " and ")
      notes.append("the end of \(stage.name) was not seen, so that it holds \(names) too")
    }
    if let main, let command = traces.programs[main].name.split(separator: "/").last,
      Self.executors.contains(String(command))
    {
      notes.append(
        "the last program that was seen is \(command): what it may have executed in its place, "
          + "where it cannot be followed, is counted to it"
      )
    }
  }

  private func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

  /// Programs that execute others, perhaps where the probe cannot follow: a static one, or with an
  /// empty environment.
  private static let executors: Set = [
    "ash", "bash", "busybox", "chroot", "dash", "doas", "env", "fish", "ksh", "nice", "nohup",
    "nsenter", "runuser", "setpriv", "setsid", "sh", "stdbuf", "su", "sudo", "taskset", "timeout",
    "unshare", "xargs", "zsh",
  ]
}

extension String {
  var nonEmpty: String? { isEmpty ? nil : self }
}
