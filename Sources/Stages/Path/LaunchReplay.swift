import LaunchCore

/// What the threads and processes of a launch did, followed from event to event.
///
/// Takes O(n log n) for n events.
struct LaunchReplay {
  private(set) var lives: [ThreadLife] = []
  private(set) var processes: [LaunchedProcess] = []
  private(set) var names = LaunchNames()
  private(set) var counts = LaunchCounts()
  private(set) var readyCalls: ReadyCalls

  /// When the launched process executed its program, and that program.
  private(set) var execution: (time: Int64, call: Int32, program: Int32)?

  private let begin: Int64
  private let ready: Int64
  private let launched: Int32
  private var currentLives: [Int32: Int] = [:]
  private var currentProcesses: [Int32: Int] = [:]
  private var threads = 0

  /// The paths that processes execute first, of each id in the order in which it is given.
  private var firstPrograms: [Int32: [String?]]

  /// The life that had the last event, since mostly it has the next one, too.
  private var recent: (thread: Int32, life: Int)?

  init(_ timeline: LaunchTimeline, readiness: Readiness, naming: ProgramNaming) {
    names.naming = naming
    let events = Self.ordered(timeline.events)
    firstPrograms = Self.firstPrograms(in: events)
    begin = timeline.begin.count
    ready = timeline.ready.count
    launched = timeline.process
    readyCalls = ReadyCalls(readiness, process: timeline.readyProcess)
    processes = [LaunchedProcess(id: launched)]
    currentProcesses[launched] = 0
    add(
      ThreadLife(role: .main, process: 0, parent: nil, start: .min, state: .unknown),
      thread: launched
    )
    for event in events { follow(event) }
    for life in lives.indices { lives[life].conclude() }
    countProcesses()
  }

  /// The events by time; those of one instant in the order in which they came.
  private static func ordered(_ events: [TimelineEvent]) -> [TimelineEvent] {
    let isOrdered = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
    if isOrdered { return events }
    let order = events.indices.sorted {
      (events[$0].time, $0) < (events[$1].time, $1)
    }
    return order.map { events[$0] }
  }

  /// What each process executes first; nil for one that only runs its parent's program.
  private static func firstPrograms(in events: [TimelineEvent]) -> [Int32: [String?]] {
    var programs: [Int32: [String?]] = [:]
    for event in events {
      switch event.kind {
      case .started(let thread, let process) where thread == process:
        programs[process, default: []].append(nil)
      case .executed(let path):
        guard let known = programs[event.thread], known[known.count - 1] == nil else { continue }
        programs[event.thread]?[known.count - 1] = path
      default: break
      }
    }
    return programs
  }

  // MARK: - Events

  private mutating func follow(_ event: TimelineEvent) {
    let time = event.time.count
    if case .started(let thread, let process) = event.kind {
      start(thread, process, by: event.thread, at: time)
      return
    }
    guard let life = life(of: event.thread) else { return }
    lives[life].eventTimes.append(time)
    let process = lives[life].process
    let program = processes[process].program
    switch event.kind {
    case .enteredCall(let call): enter(call, life, at: time)
    case .leftCall(let result): leave(result, life, at: time)
    case .switchedIn: lives[life].switchIn(at: time, program: program)
    case .preempted: lives[life].begin(.runnable, at: time, program: program)
    case .blocked(let isForDisk):
      lives[life].begin(.blocked(isForDisk: isForDisk), at: time, program: program)
    case .woken(let waker):
      let waker = self.waker(waker, of: life, at: time)
      lives[life].wake(by: waker, at: time, program: program)
    case .faulted(let address): fault(address, life, at: time)
    case .pagedIn(let pages): pageIn(pages, life, at: time)
    case .executed(let path): execute(path, life, at: time)
    case .ended: lives[life].sayEnd(at: time)
    case .started: break
    }
  }

  private mutating func life(of thread: Int32) -> Int? {
    if let recent, recent.thread == thread { return recent.life }
    guard let life = currentLives[thread] else { return nil }
    recent = (thread, life)
    return life
  }

  private mutating func add(_ life: ThreadLife, thread: Int32) {
    currentLives[thread] = lives.count
    recent = nil
    lives.append(life)
  }

  private mutating func start(
    _ thread: Int32,
    _ process: Int32,
    by starter: Int32,
    at time: Int64
  ) {
    guard let parent = life(of: starter) else {
      // The spawner starts the launch.
      if thread == launched, lives[0].isUntouched {
        lives[0].begin(.runnable, at: time, program: nil)
      }
      return
    }
    lives[parent].eventTimes.append(time)
    let isThread = thread != process
    let place = isThread ? currentProcesses[process] ?? lives[parent].process : processes.count
    if !isThread {
      currentProcesses[process] = place
      processes.append(LaunchedProcess(id: process, startedBy: processes[lives[parent].process]))
      if let queue = firstPrograms[process], let first = queue.first {
        firstPrograms[process] = Array(queue.dropFirst())
        if let first { processes[place].program = names.program(first) }
      }
      processes[place].isCounted = isCounted(time)
    } else if isCounted(time) {
      counts.add(.thread)
    }
    if isThread, place == 0 { threads += 1 }
    let role: ThreadLife.Role =
      !isThread
      ? .process(thread: 0) : place == 0 ? .thread(number: threads) : .process(thread: 1)
    var life = ThreadLife(
      role: role,
      process: place,
      parent: parent,
      start: time,
      state: .runnable
    )
    life.begin(.runnable, at: time, program: processes[place].program)
    life.startingCall = lives[parent].call?.name
    add(life, thread: thread)
  }

  private mutating func enter(_ entered: TimelineEvent.SystemCall, _ life: Int, at time: Int64) {
    let process = lives[life].process
    let name = names.call(entered.name)
    let rule = names.rule(of: name)
    var call = OpenCall(name: name, object: nil, rule: rule, arguments: entered.arguments)
    call.object = names.object(of: call, entered.text, in: &processes[process].resources)
    processes[process].resources.enter(call)
    if case .executes = rule.effect { processes[process].executing = life }
    if isCounted(time) { counts.add(.call(name: name, object: call.object)) }
    if let role = rule.role, isCounted(time) {
      let object = call.object.map { names.objects[Int($0)] }
      let said = ReadyCalls.Call(role: role, object: object, process: processes[process].id)
      readyCalls.enter(said, life: life, at: time)
    }
    lives[life].askedPages = call.askedPages
    lives[life].enter(call, at: time, program: processes[process].program)
  }

  private mutating func leave(_ result: Int64, _ life: Int, at time: Int64) {
    let process = lives[life].process
    readyCalls.leave(life: life, at: time)
    if let call = lives[life].call, result >= 0 {
      processes[process].resources.leave(call, result: result, names: &names)
    } else if let call = lives[life].call, call.rule.takesPath, isCounted(time),
      Self.missing.contains(result)
    {
      counts.add(.missing(name: call.name, object: call.object))
    }
    if processes[process].executing == life { processes[process].executing = nil }
    lives[life].leave(at: time, program: processes[process].program)
  }

  /// No such file or directory, and no directory where a path goes through.
  private static let missing: Set<Int64> = [-2, -20]

  private mutating func fault(_ address: UInt64, _ life: Int, at time: Int64) {
    let process = lives[life].process
    let object: Int32? =
      switch processes[process].resources.mapping(at: address) {
      case .some(let mapped): mapped
      case nil: names.mappedByExecution
      }
    lives[life].faultObject = object
    lives[life].askedPages = 1
    if lives[life].state == .unknown {
      lives[life].begin(.running, at: time, program: processes[process].program)
    }
    if isCounted(time) { counts.add(.fault(object: object)) }
  }

  /// Counts pages that came in for a call, or for the page that was touched last; those that a call
  /// writes were not read.
  private mutating func pageIn(_ pages: Int, _ life: Int, at time: Int64) {
    guard isCounted(time) else { return }
    var object = lives[life].faultObject
    if let call = lives[life].call {
      object = call.object
      if let source = call.rule.source {
        object = processes[lives[life].process].resources.object(of: call.argument(source))
      } else if call.rule.role == .writes {
        return
      }
    }
    let asked = min(pages, lives[life].askedPages)
    lives[life].askedPages -= asked
    counts.add(.pageIn(object: object), count: pages)
    counts.add(.readAhead(object: object), count: pages - asked)
  }

  private mutating func execute(_ path: String, _ caller: Int, at time: Int64) {
    let process = lives[caller].process
    let object = names.path(path)
    let program = names.program(path)
    processes[process].program = program
    processes[process].resources.execute()
    if time <= ready { processes[process].executed = program }
    if process == 0, execution == nil, time >= begin {
      execution = (time, names.execve.name, object)
      processes[0].resources.setStreams(names.streams)
    }
    let life = heir(of: caller, at: time)
    processes[process].executing = nil
    lives[life].execute(object, as: names.execve, at: time, program: program)
  }

  /// Gives the thread that goes on with the id of the first one of its process.
  ///
  /// When another thread than the first executes a program, it takes over the id of the first.
  private mutating func heir(of caller: Int, at time: Int64) -> Int {
    let process = lives[caller].process
    guard let other = processes[process].executing, other != caller, let call = lives[other].call
    else { return caller }
    var heir = ThreadLife(
      role: lives[caller].role,
      process: process,
      parent: other,
      start: time,
      state: .running
    )
    heir.call = call
    add(heir, thread: processes[process].id)
    return lives.count - 1
  }

  private mutating func waker(
    _ waker: TimelineEvent.Waker,
    of woken: Int,
    at time: Int64
  ) -> ThreadSpan.Waker {
    guard !waker.isInterrupt else { return .interrupt }
    guard let life = life(of: waker.thread), life != woken else {
      return .outside(name: names.word(waker.name))
    }
    lives[life].eventTimes.append(time)
    return .life(life)
  }

  private func isCounted(_ time: Int64) -> Bool { time >= begin && time <= ready }

  private mutating func countProcesses() {
    for process in processes where process.isCounted {
      counts.add(.process(program: process.executed))
    }
  }
}

/// A process of a launch.
struct LaunchedProcess {
  let id: Int32

  /// The name of what it runs: before it executes anything, of what it will execute first, or else
  /// that of its parent.
  var program: Int32?

  /// The name of what it executed last until the launch was ready.
  var executed: Int32?

  var resources = ProcessResources()

  /// The thread that entered a call to execute a program.
  var executing: Int?

  /// Whether it was started while the launch lasted.
  var isCounted = false

  init(id: Int32) { self.id = id }

  init(id: Int32, startedBy parent: Self) {
    self.id = id
    program = parent.program
    resources = parent.resources
  }
}
