/// Follows all paths of a program through a text at once, the preferred first.
struct PatternMachine {
  private let program: PatternProgram
  private let symbols: [UInt32]

  /// The round in which each step was last reached: no step is followed twice at one place.
  private var reached: [Int]
  private var round = 0

  private var slots: [Int]
  private var stack: [Task] = []

  /// The paths at one place, each with its slots.
  private struct Paths {
    var steps: [Int] = []
    var slots: [Int] = []

    mutating func removeAll() {
      steps.removeAll(keepingCapacity: true)
      slots.removeAll(keepingCapacity: true)
    }
  }

  private enum Task {
    case follow(Int)

    /// Takes a slot back to what it was for the paths that are less preferred.
    case restore(slot: Int, place: Int)
  }

  init(_ program: PatternProgram, _ symbols: [UInt32]) {
    self.program = program
    self.symbols = symbols
    reached = [Int](repeating: 0, count: program.steps.count)
    slots = [Int](repeating: -1, count: program.slotCount)
  }

  /// The slots of the first match; nil when there is none.
  mutating func run() -> [Int]? {
    var found: [Int]?
    var current = Paths()
    var next = Paths()
    // The paths at a place, and those of a match that begins there, share its round.
    round = 1
    for place in 0...symbols.count {
      if found == nil {
        for index in slots.indices { slots[index] = -1 }
        follow(0, at: place, into: &current)
      }
      if found != nil, current.steps.isEmpty { break }
      round += 1
      if let match = advance(current, from: place, into: &next) { found = match }
      swap(&current, &next)
      next.removeAll()
    }
    return found
  }

  /// Moves every path over a symbol; a match ends those that are less preferred.
  private mutating func advance(
    _ current: Paths,
    from place: Int,
    into next: inout Paths
  ) -> [Int]? {
    let width = program.slotCount
    for index in current.steps.indices {
      let step = current.steps[index]
      switch program.steps[step] {
      case .match: return Array(current.slots[index * width..<(index + 1) * width])
      case .symbols(let set)
      where place < symbols.count && program.quick[set].contains(symbols[place]):
        for slot in 0..<width { slots[slot] = current.slots[index * width + slot] }
        follow(step + 1, at: place + 1, into: &next)
      default: break
      }
    }
    return nil
  }

  /// Adds the steps that are reached from one without passing a symbol.
  private mutating func follow(_ step: Int, at place: Int, into paths: inout Paths) {
    stack.append(.follow(step))
    while let task = stack.popLast() {
      switch task {
      case .restore(let slot, let place): slots[slot] = place
      case .follow(let step):
        guard reached[step] != round else { continue }
        reached[step] = round
        switch program.steps[step] {
        case .jump(let target): stack.append(.follow(target))
        case .split(let first, let second):
          stack.append(.follow(second))
          stack.append(.follow(first))
        case .save(let slot):
          stack.append(.restore(slot: slot, place: slots[slot]))
          slots[slot] = place
          stack.append(.follow(step + 1))
        case .assertion(let assertion):
          if holds(assertion, at: place) { stack.append(.follow(step + 1)) }
        case .symbols, .match:
          paths.steps.append(step)
          paths.slots.append(contentsOf: slots)
        }
      }
    }
  }

  private func holds(_ assertion: PatternAssertion, at place: Int) -> Bool {
    let isAfterWord = place > 0 && Self.isWord(symbols[place - 1])
    let isBeforeWord = place < symbols.count && Self.isWord(symbols[place])
    return switch assertion {
    case .start: place == 0
    case .end: place == symbols.count
    case .boundary: isAfterWord != isBeforeWord
    case .noBoundary: isAfterWord == isBeforeWord
    case .wordStart: !isAfterWord && isBeforeWord
    case .wordEnd: isAfterWord && !isBeforeWord
    }
  }

  private static func isWord(_ symbol: UInt32) -> Bool {
    Unicode.Scalar(symbol).map(SymbolSet.isWord) ?? false
  }
}
