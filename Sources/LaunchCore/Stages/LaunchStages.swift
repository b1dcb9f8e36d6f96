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

/// The code that stages are about, and the names that are found for it later.
extension LaunchStages {
  /// The places that a symbol can be looked for: each once, in the order they occur.
  package var codePlaces: [CodePlace] {
    var seen: Set<CodePlace> = []
    var places: [CodePlace] = []
    visitStages { stage in
      guard let place = stage.place, place.offset != nil, place.symbol == nil else { return }
      if seen.insert(place).inserted { places.append(place) }
    }
    return places
  }

  /// Gives code the names that were found for it; a place without one keeps its name.
  ///
  /// - Parameter symbols: Demangled symbols by ``codePlaces``.
  /// - Returns: The same stages with the symbols.
  package func naming(_ symbols: [CodePlace: String]) -> Self {
    guard !symbols.isEmpty else { return self }
    var named = self
    named.launch = launch.naming(symbols)
    for index in others.indices {
      named.others[index].stages = others[index].stages.map { $0.naming(symbols) }
    }
    return named
  }

  private func visitStages(_ visit: (Stage) -> Void) {
    launch.visit(visit)
    for program in others {
      for stage in program.stages { stage.visit(visit) }
    }
  }
}

extension Stage {
  /// Calls a function with the stage and everything below it, parents first.
  package func visit(_ visit: (Stage) -> Void) {
    visit(self)
    for child in children { child.visit(visit) }
  }

  func naming(_ symbols: [CodePlace: String]) -> Self {
    var named = self
    if let place, let symbol = symbols[place] {
      named.place?.symbol = symbol
      if name == place.name { named.name = symbol }
    }
    named.children = children.map { $0.naming(symbols) }
    return named
  }
}

extension CodePlace {
  /// The symbol, or the file's name and the offset in it, such as `libfoo.so.1+0x1a2b`.
  ///
  /// A file as a whole is named by its path.
  package var name: String {
    if let symbol { return symbol }
    guard let offset else { return file }
    return "\(fileName)+0x\(String(offset, radix: 16))"
  }

  /// The last component of the path, or all of it where there is none.
  package var fileName: String {
    file.split(separator: "/").last.map(String.init) ?? file
  }
}
