/// How one launch was spent, as one collector saw it.
package struct LaunchStages: Hashable, Codable, Sendable {
  /// What really collected, which may be another collector than the one asked for.
  package var collector: StageCollector

  /// The stage `launch`, whose parts sum to it.
  package var launch: Stage

  /// The instant `main` was about to run, since the `execve` request: the total pre-main time.
  package var preMain: Nanoseconds?

  /// The process that became ready.
  package var pid: Int32?

  /// The program that became ready.
  package var program: String?

  /// The other programs of the launch: wrappers before it, children beside it.
  package var others: [ProgramStages]

  /// Every program of the launch with its time, in the order they began; nil where the kernel's
  /// records of processes were not had, and in launches stored before.
  package var processes: [LaunchProcess]?

  /// Counts by name, such as `libraries`, `initializers` and `initializers_timed`.
  package var counters: [String: Int64]

  /// The pages that came into the page cache, of cold launches.
  package var pageIns: PageIns?

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(
    collector: StageCollector,
    launch: Stage,
    preMain: Nanoseconds? = nil,
    pid: Int32? = nil,
    program: String? = nil,
    others: [ProgramStages] = [],
    processes: [LaunchProcess]? = nil,
    counters: [String: Int64] = [:],
    pageIns: PageIns? = nil,
    notes: [String] = []
  ) {
    self.collector = collector
    self.launch = launch
    self.preMain = preMain
    self.pid = pid
    self.program = program
    self.others = others
    self.processes = processes
    self.counters = counters
    self.pageIns = pageIns
    self.notes = notes
  }
}

/// A program that a process of a launch executed, or that it went on with after a fork.
package struct LaunchProcess: Hashable, Codable, Sendable {
  package var pid: Int32

  /// The process that started it; nil for the first one.
  package var parent: Int32?

  /// Its path, as the kernel named it when it was mapped; empty when it was not seen.
  package var program: String

  /// Whether it was executed; otherwise the process was forked and is what its parent was.
  package var isExecuted: Bool

  /// When it was executed or forked, since the launch began.
  package var start: Nanoseconds

  /// When it ended or executed another program; nil when that was after the launch was ready.
  package var end: Nanoseconds?

  package init(
    pid: Int32,
    parent: Int32? = nil,
    program: String = "",
    isExecuted: Bool,
    start: Nanoseconds,
    end: Nanoseconds? = nil
  ) {
    self.pid = pid
    self.parent = parent
    self.program = program
    self.isExecuted = isExecuted
    self.start = start
    self.end = end
  }
}

/// The stages of one program that ran during a launch beside the one that became ready.
package struct ProgramStages: Hashable, Codable, Sendable {
  package var pid: Int32

  package var program: String

  /// Whether it was executed by the target's own process before the program that became ready.
  package var isWrapper: Bool

  /// `load`, `fixup`, `init` and what follows; starts are since the launch began.
  package var stages: [Stage]

  package init(pid: Int32, program: String, isWrapper: Bool, stages: [Stage]) {
    self.pid = pid
    self.program = program
    self.isWrapper = isWrapper
    self.stages = stages
  }
}
