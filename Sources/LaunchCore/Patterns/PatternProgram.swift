/// A pattern as steps of a machine that follows all its paths at once.
struct PatternProgram: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    /// Passes a symbol of the set with this number.
    case symbols(Int)

    case assertion(PatternAssertion)

    /// Goes on at both; the first is preferred.
    case split(Int, Int)

    case jump(Int)

    /// Keeps the place in a slot.
    case save(Int)

    case match
  }

  private(set) var steps: [Step] = []
  private(set) var sets: [SymbolSet] = []

  /// The sets once more, to be asked often.
  private(set) var quick: [QuickSet] = []

  /// How many places are kept: where each group begins and ends.
  let slotCount: Int

  /// The most steps of a pattern, also as the spawner has room for.
  static let limit = 1_000

  /// - Throws: ``PatternError`` for a pattern of too many steps.
  init(_ node: PatternNode, groupCount: Int) throws(PatternError) {
    slotCount = 2 * groupCount
    let size = Self.size(of: node) + 1
    guard size <= Self.limit else {
      let known = size < Self.unbounded ? "\(size)" : "millions of"
      throw PatternError(
        "it has \(known) steps once its repetitions are written out, and \(Self.limit) is the most",
        remedy: "lower the counts in {…}, or use * and +"
      )
    }
    append(node)
    steps.append(.match)
    quick = sets.map(QuickSet.init)
  }

  // MARK: - Size

  private static let unbounded = 1_000_000

  /// At least one for every node, so that writing out is bounded by it.
  private static func size(of node: PatternNode) -> Int {
    switch node {
    case .empty, .symbols, .assertion: return 1
    case .sequence(let parts): return capped(parts.map { size(of: $0) }.reduce(1, +))
    case .choice(let parts): return capped(parts.map { size(of: $0) + 2 }.reduce(1, +))
    case .group(_, let inner): return capped(size(of: inner) + 2)
    case .repetition(let inner, let least, let most, _):
      let once = size(of: inner)
      guard let most else { return capped(least * once + once + 2) }
      return capped(1 + least * once + (most - least) * (once + 1))
    }
  }

  private static func capped(_ size: Int) -> Int { min(size, unbounded) }

  // MARK: - Steps

  private mutating func append(_ node: PatternNode) {
    switch node {
    case .empty: break
    case .symbols(let set):
      let known = sets.firstIndex(of: set)
      steps.append(.symbols(known ?? sets.count))
      if known == nil { sets.append(set) }
    case .assertion(let assertion): steps.append(.assertion(assertion))
    case .sequence(let parts): for part in parts { append(part) }
    case .choice(let parts): append(choice: parts)
    case .group(let number, let inner):
      steps.append(.save(2 * number))
      append(inner)
      steps.append(.save(2 * number + 1))
    case .repetition(let inner, let least, let most, let isLazy):
      for _ in 0..<least { append(inner) }
      if let most {
        appendOptional(inner, times: most - least, isLazy: isLazy)
      } else {
        appendLoop(inner, isLazy: isLazy)
      }
    }
  }

  /// Adds a placeholder for a step, and returns its number.
  private mutating func reserve() -> Int {
    steps.append(.match)
    return steps.count - 1
  }

  private mutating func append(choice parts: [PatternNode]) {
    var ends: [Int] = []
    for part in parts.dropLast() {
      let split = reserve()
      append(part)
      ends.append(reserve())
      steps[split] = .split(split + 1, steps.count)
    }
    if let last = parts.last { append(last) }
    for end in ends { steps[end] = .jump(steps.count) }
  }

  private mutating func appendLoop(_ inner: PatternNode, isLazy: Bool) {
    let split = reserve()
    append(inner)
    steps.append(.jump(split))
    steps[split] = Self.split(split + 1, steps.count, isLazy: isLazy)
  }

  private mutating func appendOptional(_ inner: PatternNode, times: Int, isLazy: Bool) {
    var splits: [Int] = []
    for _ in 0..<times {
      splits.append(reserve())
      append(inner)
    }
    for split in splits { steps[split] = Self.split(split + 1, steps.count, isLazy: isLazy) }
  }

  private static func split(_ inside: Int, _ behind: Int, isLazy: Bool) -> Step {
    isLazy ? .split(behind, inside) : .split(inside, behind)
  }
}

/// A set of symbols that answers for ASCII at once.
struct QuickSet: Hashable, Sendable {
  private let set: SymbolSet
  private let low: UInt64
  private let high: UInt64

  init(_ set: SymbolSet) {
    self.set = set
    func bits(_ first: UInt32) -> UInt64 {
      (0..<64).reduce(0) { $0 | (set.contains(first + $1) ? 1 << UInt64($1) : 0) }
    }
    low = bits(0)
    high = bits(64)
  }

  func contains(_ symbol: UInt32) -> Bool {
    if symbol < 64 { return low >> UInt64(symbol) & 1 == 1 }
    if symbol < 128 { return high >> UInt64(symbol - 64) & 1 == 1 }
    return set.contains(symbol)
  }
}

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
