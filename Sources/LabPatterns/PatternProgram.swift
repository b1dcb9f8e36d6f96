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
    case .choice(let parts): append(choice: parts[...])
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

  private mutating func append(choice parts: ArraySlice<PatternNode>) {
    var ends: [Int] = []
    for (index, part) in parts.enumerated() {
      guard index < parts.count - 1 else {
        append(part)
        break
      }
      let split = steps.count
      steps.append(.match)
      append(part)
      ends.append(steps.count)
      steps.append(.match)
      steps[split] = .split(split + 1, steps.count)
    }
    for end in ends { steps[end] = .jump(steps.count) }
  }

  private mutating func appendLoop(_ inner: PatternNode, isLazy: Bool) {
    let split = steps.count
    steps.append(.match)
    append(inner)
    steps.append(.jump(split))
    steps[split] = Self.split(split + 1, steps.count, isLazy: isLazy)
  }

  private mutating func appendOptional(_ inner: PatternNode, times: Int, isLazy: Bool) {
    var splits: [Int] = []
    for _ in 0..<times {
      splits.append(steps.count)
      steps.append(.match)
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
