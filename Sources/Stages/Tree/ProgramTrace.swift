import LaunchCore

/// What one program of one process did during a launch; times are since the launch began.
struct ProgramTrace {
  var pid: Int32

  /// Its path; empty when no program was seen to begin in the process.
  var name: String

  /// When it was first seen to run; nil for a process that was never seen to begin a program.
  var began: Nanoseconds?

  /// Up to when the collector kept it from running after that.
  var heldUntil: Nanoseconds?

  /// When the process was seen to begin another program.
  var ended: Nanoseconds?

  /// Up to the ready instant, in the order of their times, without the beginning of the program.
  var events: [LaunchEvent] = []

  /// What happened after the ready instant only, or also then.
  var lateKinds: Set<LaunchEvent.Kind> = []

  /// When something of a kind happened first.
  func first(_ kind: LaunchEvent.Kind) -> Nanoseconds? {
    events.first { $0.kind == kind }?.time
  }

  /// The end of a stage that ends with a time, or with what came too late, or was not seen.
  func end(at time: Nanoseconds?, _ kind: LaunchEvent.Kind) -> StageSequence.End {
    time.map(StageSequence.End.seen) ?? (lateKinds.contains(kind) ? .late : .missing)
  }
}

/// The events of a launch, told apart by process and program.
struct LaunchTraces {
  /// In the order in which they were first seen.
  private(set) var programs: [ProgramTrace] = []

  /// How many events came after the ready instant.
  private(set) var lateEvents = 0

  /// How many events have a time from before the launch, which no event can have.
  private(set) var earlyEvents = 0

  /// When the launch was ready, since it began; nil when it was not, or the time is no later.
  let ready: Nanoseconds?

  private var current: [Int32: Int] = [:]

  /// Sorts the events of a launch; O(n log n).
  init(_ observation: StageObservation) {
    ready = observation.ready.flatMap { $0 < observation.begin ? nil : $0 - observation.begin }
    let begin = observation.begin
    let timely = observation.events.filter { $0.time >= begin }
    earlyEvents = observation.events.count - timely.count
    // Events of one time keep the order in which they were claimed.
    let order = timely.indices.sorted { (timely[$0].time, $0) < (timely[$1].time, $1) }
    for index in order {
      var event = timely[index]
      event.time = event.time - begin
      event.end = event.end.map { max($0, begin) - begin }
      add(event)
    }
  }

  private mutating func add(_ event: LaunchEvent) {
    if let ready, event.time > ready {
      lateEvents += 1
      guard let index = current[event.pid] else { return }
      if event.kind == .programBegan || event.kind == .executed {
        current[event.pid] = nil
      } else {
        programs[index].lateKinds.insert(event.kind)
      }
      return
    }
    if event.kind == .programBegan || event.kind == .executed {
      begin(event)
    } else if let index = current[event.pid] {
      programs[index].events.append(event)
    } else {
      current[event.pid] = programs.count
      programs.append(ProgramTrace(pid: event.pid, name: "", began: nil, events: [event]))
    }
  }

  private mutating func begin(_ event: LaunchEvent) {
    if let index = current[event.pid] { programs[index].ended = event.time }
    current[event.pid] = programs.count
    var program = ProgramTrace(pid: event.pid, name: event.text, began: event.time)
    program.heldUntil = event.end.flatMap { end in
      end >= event.time && ready.map { end <= $0 } ?? true ? end : nil
    }
    programs.append(program)
  }

  /// The last program that a process began, or the last one that is chosen.
  func lastProgram(of pid: Int32, matching chosen: ChosenProgram? = nil) -> Int? {
    programs.lastIndex { program in
      program.pid == pid && program.began != nil && chosen.map { $0.matches(program.name) } ?? true
    }
  }
}

/// The first process of a launch that ran a chosen program; times are since the launch began.
struct ChosenProcess {
  let pid: Int32

  /// The path of the executable.
  let program: String

  /// When the kernel executed it; nil where only the collector saw it.
  let start: Nanoseconds?

  /// When it ended, or the process executed another program; nil when that was after the ready
  /// instant, or was not seen.
  let end: Nanoseconds?

  /// What a reader must know, as sentences without a full stop.
  let notes: [String]

  /// Looks for the program in the kernel's records, and where there are none in what the collector saw.
  ///
  /// A process that executes the program more than once has it begin with the last time.
  init?(_ chosen: ChosenProgram, _ processes: [LaunchProcess]?, _ traces: LaunchTraces) {
    let runs =
      processes?.filter { $0.isExecuted && chosen.matches($0.program) }
      .map { (pid: $0.pid, program: $0.program, start: Optional($0.start), end: $0.end) }
      ?? traces.programs.filter { $0.began != nil && chosen.matches($0.name) }
      .map { (pid: $0.pid, program: $0.name, start: nil, end: $0.ended) }
    guard let first = runs.first, let run = runs.last(where: { $0.pid == first.pid }) else {
      return nil
    }
    (pid, program, start, end) = run
    let count = Set(runs.map(\.pid)).count
    notes =
      count > 1
      ? ["\(count) processes ran \(chosen.name): the stages are those of the first, \(run.pid)"]
      : []
  }
}

/// Stages that follow each other without a gap, so that they sum to the time they span.
struct StageSequence {
  /// Where a stage ends.
  enum End: Hashable {
    case seen(Nanoseconds)

    /// It was not seen, so that the stage cannot be told from the next.
    case missing

    /// It came after the ready instant.
    case late
  }

  private(set) var stages: [Stage] = []

  private let source: StageCollector
  private var cursor: Nanoseconds

  /// The stage whose end is still looked for.
  private var open: Int?

  private var isOver = false

  init(from start: Nanoseconds, source: StageCollector) {
    self.source = source
    cursor = start
  }

  /// Adds the next stage.
  ///
  /// A stage whose end is missing takes the time up to the next known end, flagged `merged`, and
  /// the ones after it up to there have no value.
  mutating func add(_ name: String, until end: End, ready: Nanoseconds? = nil) {
    guard !isOver else { return }
    switch end {
    case .seen(let time) where time >= cursor:
      close(name, at: time)
    case .late:
      if let ready { close(name, at: max(ready, cursor)) }
      isOver = true
    case .seen, .missing:
      append(name)
    }
  }

  private mutating func close(_ name: String, at time: Nanoseconds) {
    if let open {
      stages[open].duration = time - cursor
      stages[open].flags.append(.merged)
      append(name)
      self.open = nil
    } else {
      stages.append(Stage(name: name, start: cursor, duration: time - cursor, source: source))
    }
    cursor = time
  }

  /// Adds a stage without a value.
  private mutating func append(_ name: String) {
    if open == nil {
      open = stages.count
      stages.append(Stage(name: name, start: cursor, duration: nil, source: source))
    } else {
      stages.append(Stage(name: name, duration: nil, source: source, flags: [.unavailable]))
    }
  }

  /// The stages; one that was going on when the last event was seen is flagged `unfinished`.
  func finished() -> [Stage] {
    guard let open else { return stages }
    var stages = Array(stages.prefix(open + 1))
    stages[open].flags.append(.unfinished)
    return stages
  }
}
