/// The life of one thread, as a sequence of what it did.
struct ThreadLife {
  let role: Role

  /// Its place in the list of processes.
  let process: Int

  /// The thread that it was until its first instant: the one that started it.
  let parent: Int?

  /// Never empty, ascending by start, each until the start of the next.
  private(set) var spans: [ThreadSpan]

  /// When it ended; nil while it has not.
  private(set) var end: Int64?

  /// The times of the events that cost it time, ascending.
  var eventTimes: [Int64] = []

  /// The call that it is in.
  var call: OpenCall?

  /// The call of its parent that started it, which it leaves as if it had entered it.
  var startingCall: Int32?

  /// Whether it has entered or left a call.
  var hadCall = false

  /// What is mapped where it touched a page, since its last call.
  var faultObject: Int32?

  /// How many pages its call, or the page it touched, may still bring in that it asked for itself.
  var askedPages = 0

  /// Whether it was woken while it was about to wait.
  var wasWokenEarly = false

  private var saidEnd: Int64?

  enum Role: Hashable {
    case main
    case thread(number: Int)
    case process(thread: Int)
  }

  init(role: Role, process: Int, parent: Int?, start: Int64, state: ThreadSpan.State) {
    self.role = role
    self.process = process
    self.parent = parent
    spans = [ThreadSpan(start: start, state: state, program: nil)]
  }

  var state: ThreadSpan.State { spans[spans.count - 1].state }
  var isUntouched: Bool { spans.count == 1 && eventTimes.isEmpty }

  // MARK: - Events

  mutating func begin(_ state: ThreadSpan.State, at time: Int64, program: Int32?) {
    var span = ThreadSpan(start: time, state: state, program: program)
    span.call = call?.name
    span.object = call == nil && state.isBlocked ? faultObject : call?.object
    if spans[spans.count - 1].start == time {
      spans[spans.count - 1] = span
    } else {
      spans.append(span)
    }
  }

  mutating func wake(by waker: ThreadSpan.Waker, at time: Int64, program: Int32?) {
    switch state {
    case .blocked:
      spans[spans.count - 1].waker = waker
      begin(.runnable, at: time, program: program)
    case .running: wasWokenEarly = true
    case .unknown: begin(.runnable, at: time, program: program)
    case .runnable, .ended: break
    }
  }

  mutating func switchIn(at time: Int64, program: Int32?) {
    // It was woken before it had stopped: so it only waited for a processor.
    if state.isBlocked, wasWokenEarly { spans[spans.count - 1].state = .runnable }
    wasWokenEarly = false
    begin(.running, at: time, program: program)
  }

  mutating func enter(_ entered: OpenCall, at time: Int64, program: Int32?) {
    call = entered
    forgetWait()
    begin(.running, at: time, program: program)
  }

  mutating func leave(at time: Int64, program: Int32?) {
    if call == nil, !hadCall, let startingCall {
      for place in spans.indices where spans[place].call == nil { spans[place].call = startingCall }
    }
    call = nil
    forgetWait()
    begin(.running, at: time, program: program)
  }

  /// It goes on in the call that executes the program.
  mutating func execute(_ object: Int32, as execve: OpenCall, at time: Int64, program: Int32) {
    if case .executes? = call?.rule.effect {} else { call = execve }
    call?.object = object
    forgetWait()
    begin(.running, at: time, program: program)
  }

  private mutating func forgetWait() {
    hadCall = true
    faultObject = nil
    wasWokenEarly = false
  }

  /// Says that it ends; it goes on to run in the kernel until it stops for good.
  mutating func sayEnd(at time: Int64) { saidEnd = time }

  /// Decides when it ended, after its last event.
  mutating func conclude() {
    guard let saidEnd else { return }
    let last = spans[spans.count - 1]
    let end = last.state == .running ? max(saidEnd, last.start) : last.start
    guard end >= saidEnd else { return }
    begin(.ended, at: end, program: last.program)
    self.end = end
  }

  // MARK: - Look-up

  func eventCount(from start: Int64, to end: Int64) -> Int {
    firstEvent(at: end) - firstEvent(at: start)
  }

  private func firstEvent(at time: Int64) -> Int {
    var (low, high) = (0, eventTimes.count)
    while low < high {
      let middle = (low + high) / 2
      if eventTimes[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A system call that a thread is in.
struct OpenCall {
  let name: Int32
  var object: Int32?
  let rule: CallRule
  let arguments: [Int64]

  /// Gives 0 for one that was not recorded.
  func argument(_ place: Int) -> Int64 { place < arguments.count ? arguments[place] : 0 }

  /// How many pages it asks for of those that come in meanwhile.
  var askedPages: Int {
    switch rule.demand {
    case .all: .max
    case .length(let place): Int(clamping: max(0, argument(place)).addingPages / 4_096)
    case .none: 0
    }
  }
}

extension Int64 {
  fileprivate var addingPages: Int64 { self > .max - 4_095 ? self : self + 4_095 }
}

/// What a thread did without a break.
struct ThreadSpan {
  var start: Int64
  var state: State

  /// The name of what its process ran.
  var program: Int32?

  var call: Int32?
  var object: Int32?

  /// Who ended a wait.
  var waker: Waker?

  enum State: Hashable {
    case unknown
    case running
    case runnable
    case blocked(isForDisk: Bool)
    case ended

    var isBlocked: Bool {
      if case .blocked = self { true } else { false }
    }
  }

  enum Waker {
    case life(Int)
    case outside(name: Int32)
    case interrupt
  }
}

extension [ThreadSpan] {
  /// The place of the last span that starts before an instant; the spans are ascending.
  func lastPlace(before time: Int64) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].start < time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
