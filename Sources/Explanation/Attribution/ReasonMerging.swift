import LaunchCore
import Stages

/// Brings together reasons that are one thing: a new process and the system calls that start it,
/// threads with one start function, what the loader does for new libraries, and a function that has
/// another caller.
struct ReasonMerging {
  let time: DividedTime
  let libraries: LaunchExplanation.LibraryChange
  let floor: Double

  private(set) var notes: [LaunchExplanation.Note] = []

  mutating func merged(_ drafts: [ReasonDraft]) -> [ReasonDraft] {
    var drafts = withoutMoves(drafts)
    for index in drafts.indices {
      switch drafts[index].wholeActor {
      case .process?: drafts[index].kind = .child
      case .thread?, .threadOf?: drafts[index].kind = .thread
      default: break
      }
    }
    // A process runs the program itself until it executes another.
    drafts = drafts.filter { !$0.isForked } + drafts.filter(\.isForked)
    drafts = joined(drafts) { first, second in
      switch (first.wholeActor, second.wholeActor) {
      case (.process(let program, _)?, .process(let other, _)?):
        program == other || second.isForked
      case (.thread?, .thread?): true
      default: false
      }
    }
    drafts = withCalls(Self.processCalls, of: .child, in: drafts)
    drafts = withCalls(Self.threadCalls, of: .thread, in: drafts)
    drafts = withLoader(drafts)
    return withoutSwitches(drafts)
  }

  private static let processCalls: Set = [
    "clone", "clone3", "vfork", "fork", "execve", "wait4", "waitid",
  ]
  private static let threadCalls: Set = ["clone", "clone3"]

  /// Joins those that belong together to the first of them, if they differ in the same direction.
  private func joined(
    _ drafts: [ReasonDraft],
    _ belong: (ReasonDraft, ReasonDraft) -> Bool
  ) -> [ReasonDraft] {
    var result: [ReasonDraft] = []
    for draft in drafts {
      let place = result.firstIndex { $0.mean * draft.mean > 0 && belong($0, draft) }
      if let place { result[place].absorb(draft) } else { result.append(draft) }
    }
    return result
  }

  // MARK: - Moved functions

  /// Joins a function that is gone with the same one below another caller, or with its successor.
  ///
  /// The same one may be in what is new there: a caller of its own is one way to that, and another is a
  /// compiler that puts a function into its caller, or has it return to the caller of that. A successor
  /// has the same callers, mostly the same callees, and about the same time, such as a function with a
  /// new name. What is left of the time is a reason of its own, or nothing.
  private func withoutMoves(_ drafts: [ReasonDraft]) -> [ReasonDraft] {
    var left = drafts.sorted { abs($0.mean) > abs($1.mean) }
    var index = 0
    while index < left.count {
      guard
        let moved = left.indices.dropFirst(index + 1).first(where: {
          isMove(left[$0], in: left[index])
        })
      else {
        index += 1
        continue
      }
      let size = abs(left[index].mean)
      let isWhole = left[index].frames.last == left[moved].frames.last
      let least = isInPlace(left[moved], of: left[index]) ? floor : max(floor, size / 4)
      left[index].absorb(left.remove(at: moved))
      if isWhole { left[index].novelty = left[index].mean > 0 ? .more : .less }
      if abs(left[index].mean) <= least { left.remove(at: index) }
    }
    // In the order in which they were found.
    return drafts.compactMap { draft in left.first { $0.parts[0] == draft.parts[0] } }
  }

  private func isMove(_ small: ReasonDraft, in large: ReasonDraft) -> Bool {
    guard
      [small.novelty, large.novelty] == [.new, .gone]
        || [small.novelty, large.novelty] == [.gone, .new],
      small.mean * large.mean < 0, small.actors == large.actors, small.parts.count == 1,
      large.parts[0].view == .code, let function = small.frames.last
    else { return false }
    let times = [time(of: function, below: large.parts[0])]
    return (isInPlace(small, of: large) ? times + [large.mean] : times)
      .contains { abs($0 + small.mean) <= abs(small.mean) / 4 }
  }

  /// Whether two functions have the same callers, and mostly the same callees.
  private func isInPlace(_ one: ReasonDraft, of other: ReasonDraft) -> Bool {
    guard one.frames.last != other.frames.last,
      one.parts[0].path.dropLast() == other.parts[0].path.dropLast()
    else { return false }
    let (own, others) = (callees(of: one), callees(of: other))
    let common = own.reduce(0) { $0 + min(abs($1.value), abs(others[$1.key] ?? 0)) }
    return 2 * common >= abs(one.mean)
  }

  /// The mean differences of what the function of a draft calls.
  private func callees(of draft: ReasonDraft) -> [CodeFrame: Double] {
    let tree = time.code
    guard let node = tree.node(at: draft.parts[0].path) else { return [:] }
    var sums: [CodeFrame: Double] = [:]
    for child in tree.children[node] {
      guard case .frame(let frame)? = tree.labels[child] else { continue }
      sums[frame, default: 0] += tree.meanDifference(of: child)
    }
    return sums
  }

  /// The mean difference of a function in a part of the view by code.
  private func time(of function: CodeFrame, below part: ReasonPart) -> Double {
    let tree = time.code
    var open = [tree.node(at: part.path)].compactMap(\.self)
    var sum = 0.0
    while let node = open.popLast() {
      if tree.labels[node] == .frame(function) {
        sum += tree.meanDifference(of: node)
      } else {
        open += tree.children[node]
      }
    }
    return sum
  }

  /// Puts the system calls that start something to what is started, where that is one kind of thing.
  private func withCalls(
    _ calls: Set<String>,
    of kind: ReasonKind,
    in drafts: [ReasonDraft]
  ) -> [ReasonDraft] {
    let owners = drafts.indices.filter { drafts[$0].kind == kind }
    guard let owner = owners.max(by: { abs(drafts[$0].mean) < abs(drafts[$1].mean) }) else {
      return drafts
    }
    var result = drafts
    var absorbed: Set<Int> = []
    for index in drafts.indices where drafts[index].kind == nil {
      let draft = drafts[index]
      let inCalls = time.differencesByGroup(of: draft.parts)
        .reduce(0) { calls.contains($1.key) ? $0 + $1.value : $0 }
      if draft.mean * drafts[owner].mean > 0, inCalls / draft.mean >= CoverRule.coveringShare {
        result[owner].absorb(draft)
        absorbed.insert(index)
      }
    }
    return result.indices.filter { !absorbed.contains($0) }.map { result[$0] }
  }

  /// Joins what the loader does, and the files it reads, where libraries are new or gone.
  private func withLoader(_ drafts: [ReasonDraft]) -> [ReasonDraft] {
    let changed = Set(libraries.new + libraries.gone)
    guard !changed.isEmpty else { return drafts }
    var result = drafts
    for index in result.indices where result[index].kind == nil {
      let isLoader = result[index].frames.contains { frame in
        frame.file.hasPrefix("ld-linux") || frame.file.hasPrefix("ld.so")
          || frame.file.hasPrefix("ld-musl")
      }
      let isFile = result[index].parts.contains { part in
        part.path.contains { label in
          label.resourceName.map { changed.contains($0.lastPathPart) } ?? false
        }
      }
      let isNew = result[index].mean > 0 ? !libraries.new.isEmpty : !libraries.gone.isEmpty
      if isNew, isLoader || isFile { result[index].kind = .library }
    }
    return joined(result) { $0.kind == .library && $1.kind == .library }
  }

  /// Leaves out pairs of equal and opposite differences of two actors that both programs have.
  private mutating func withoutSwitches(_ drafts: [ReasonDraft]) -> [ReasonDraft] {
    var left = drafts
    var index = 0
    while index < left.count {
      let first = left[index]
      let partner = left.indices.dropFirst(index + 1).first { isSwitch(first, left[$0]) }
      guard let partner, let from = first.actors.first, let to = left[partner].actors.first else {
        index += 1
        continue
      }
      let amount = Nanoseconds(Int64(clamping: abs(first.mean).rounded()))
      let isForth = first.mean < 0
      notes.append(
        .pathSwitched(from: isForth ? from : to, to: isForth ? to : from, amount: amount)
      )
      left.remove(at: partner)
      left.remove(at: index)
    }
    return left
  }

  private func isSwitch(_ first: ReasonDraft, _ second: ReasonDraft) -> Bool {
    guard let one = first.actors.first, let other = second.actors.first, one != other,
      first.mean * second.mean < 0, first.kind == nil, second.kind == nil
    else { return false }
    let size = max(abs(first.mean), abs(second.mean))
    return abs(first.mean + second.mean) <= max(floor, size / 4)
      && [one, other].allSatisfy(isInBoth)
  }

  private func isInBoth(_ actor: LaunchActor) -> Bool {
    Side.allCases.allSatisfy { arm in time.classes[arm].keys.contains { $0.actor == actor } }
  }
}

extension ReasonDraft {
  /// Whether it is a process that runs the program itself.
  fileprivate var isForked: Bool {
    if case .process(SampleReading.programName, _)? = wholeActor { true } else { false }
  }
}
