import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// Times that stand below each other: all in one unit with the same number of decimals, so that what
/// is shown adds up.
struct ExplanationNumbers: Hashable, Sendable {
  private let scale: Scale
  let decimals: Int

  /// Chooses the unit and the decimals in which a time has at least two significant digits.
  init(for magnitude: Nanoseconds) {
    let size = Double(magnitude.magnitude.count)
    scale = Scale(.nanoseconds, for: size)
    let number = size / scale.divisor
    decimals = scale.divisor == 1 ? 0 : number < 3 ? 2 : number < 30 ? 1 : 0
  }

  /// Chooses them for two times, so that their difference has two significant digits, too.
  init(for change: TimeChange) {
    let larger = Double(max(change.before.magnitude, change.after.magnitude).count)
    scale = Scale(.nanoseconds, for: larger)
    let number = larger / scale.divisor
    let difference = abs(Double(change.difference.count)) / scale.divisor
    let needed = difference > 0 ? 1 - Int(log10(difference).rounded(.down)) : 0
    let usual = number < 9.995 ? 2 : number < 99.95 ? 1 : 0
    decimals = scale.divisor == 1 ? 0 : min(3, max(usual, needed))
  }

  var symbol: String { scale.symbol }

  /// The number alone, with a minus sign where it is negative.
  func number(_ nanoseconds: Double) -> String {
    let text = String(format: "%.\(decimals)f", abs(nanoseconds) / scale.divisor)
    return nanoseconds < 0 && text.contains { $0 != "0" && $0 != "." } ? "−\(text)" : text
  }

  func number(_ time: Nanoseconds) -> String { number(Double(time.count)) }

  /// The number with its unit, such as `4.52 ms`.
  func text(_ time: Nanoseconds) -> String { "\(number(time)) \(symbol)" }

  /// A difference with its sign but without its unit, such as `+5.6`.
  func signedNumber(_ nanoseconds: Double) -> String {
    let text = number(abs(nanoseconds))
    guard text.contains(where: { $0 != "0" && $0 != "." }) else { return "±\(text)" }
    return Quantity.signed(nanoseconds) { _ in text }
  }

  /// A difference with its sign and its unit, such as `+5.6 ms`.
  func signed(_ time: Nanoseconds) -> String { "\(signedNumber(Double(time.count))) \(symbol)" }

  /// A time in units of the last decimal that is shown, rounded.
  func ticks(_ time: Nanoseconds) -> Int { Int((Double(time.count) / tick).rounded()) }

  /// The time of a number of units of the last decimal.
  func time(ticks: Int) -> Nanoseconds { Nanoseconds(Int64((Double(ticks) * tick).rounded())) }

  private var tick: Double { scale.divisor / pow(10, Double(decimals)) }

  /// A share in whole percent; with one decimal where it is small, but not of nothing.
  static func percent(_ share: Double) -> String {
    let size = abs(share)
    if size < 0.0005 { return "0 %" }
    let text = size < 0.0095 ? Quantity.percent(size) : String(format: "%.0f %%", size * 100)
    return share < 0 ? "−\(text)" : text
  }
}

extension Nanoseconds {
  /// Without its sign.
  var magnitude: Nanoseconds { Nanoseconds(abs(count)) }
}

/// What the parts of an explanation are called in text, Markdown and pictures.
enum ExplanationWords {
  // MARK: - Actors and functions

  static func name(of actor: LaunchActor) -> String {
    switch actor {
    case .main: "main thread"
    case .thread(let number): "thread \(number)"
    case .threadOf(let function): "thread \(function)"
    case .process(let program, let thread):
      thread == 0 ? "process \(program)" : "a thread of process \(program)"
    }
  }

  /// A function, with its file where it has no name of its own.
  static func name(of frame: CodeFrame) -> String {
    frame.function.hasPrefix("+0x") ? frame.file + frame.function : frame.function
  }

  static func name(of label: TreeLabel) -> String {
    switch label {
    case .actor(let actor): name(of: actor)
    case .frame(let frame): name(of: frame)
    case .notSampled: "(call stack not known)"
    case .leaf(let leaf): name(of: leaf)
    case .resource(let name): name
    }
  }

  static func name(of leaf: TimeLeaf) -> String {
    switch leaf {
    case .ownCode: "own code"
    case .pageFaults: "page faults"
    case .call(let name): name
    case .wait(let name): "waits in \(name)"
    case .diskWait: "waits for the disk"
    case .faultWait: "waits for pages"
    }
  }

  static func name(of activity: ActivityClass) -> String { name(of: TimeLeaf(activity)) }

  /// The call path of a reason, beginning with its actor where that is not the first thread.
  static func path(of reason: LaunchReason) -> [String] {
    let actor = reason.actor.flatMap { $0 == .main ? nil : name(of: $0) }
    return (actor.map { [$0] } ?? []) + reason.path.map(name)
  }

  // MARK: - Counts

  static func name(of thing: CountedThing) -> String {
    switch thing {
    case .call(let name, let object): object.map { "\(name) \($0)" } ?? name
    case .threads: "threads"
    case .processes(let program): program.map { "process \($0)" } ?? "forked processes"
    case .faults(let file): file.map { "page faults in \($0)" } ?? "page faults outside files"
    }
  }

  /// Such as `openat plugins/ 0 → 40`.
  static func text(of count: CountChange) -> String {
    "\(name(of: count.thing)) \(count.isCertain ? "" : "about ")\(steps(of: count))"
  }

  /// Such as `0 → 40`.
  static func steps(of count: CountChange) -> String {
    "\(Scale(.count, for: 1).number(count.before)) → \(Scale(.count, for: 1).number(count.after))"
  }

  // MARK: - Reasons

  /// What a reason is called, without how it differs: a function, a process, or what was done to what.
  static func subject(of reason: LaunchReason) -> String {
    switch reason.kind {
    case .child: process(of: reason)
    case .thread: reason.actor.map(name) ?? reason.object.map { "thread \($0)" } ?? "threads"
    case .library: reason.object.map { "loading \($0)" } ?? "loading libraries"
    default:
      reason.path.last.map(name) ?? resource(of: reason) ?? reason.actor.map(name)
        ?? noun(of: reason.kind)
    }
  }

  private static func process(of reason: LaunchReason) -> String {
    if case .process(let program, _)? = reason.actor { return "process \(program)" }
    return reason.object.map { "process \($0)" } ?? "a process"
  }

  /// The system call of a reason and what it is done to.
  static func resource(of reason: LaunchReason) -> String? {
    let words = [reason.call, reason.object].compactMap(\.self)
    guard !words.isEmpty else { return nil }
    let isWait = [.sleep, .lock, .socket].contains(reason.kind) && reason.call != nil
    return (isWait ? "waiting in " : "") + words.joined(separator: " ")
  }

  /// A word for the kind of a reason, for a column.
  static func noun(of kind: ReasonKind) -> String {
    switch kind {
    case .ownCode: "own code"
    case .pageFault: "page faults"
    case .syscall: "system calls"
    case .file: "files"
    case .sleep: "sleep"
    case .lock: "lock"
    case .thread: "thread"
    case .socket: "socket"
    case .disk: "disk"
    case .child: "process"
    case .library: "libraries"
    case .initializer: "initializer"
    case .data: "data"
    case .other: "other"
    }
  }

  /// `new` or `gone`; nothing for what both programs have.
  static func novelty(of reason: LaunchReason) -> String? {
    switch reason.novelty {
    case .new: "new"
    case .gone: "gone"
    case .more, .less: nil
    }
  }

  /// Such as `scan_plugins (new)`.
  static func title(of reason: LaunchReason) -> String {
    subject(of: reason) + (novelty(of: reason).map { " (\($0))" } ?? "")
  }

  /// What shows that a reason is one, besides its time: what it does to what, and how often.
  ///
  /// - Parameters:
  ///   - reason: One of the explanation.
  ///   - most: How many counts are told.
  ///   - libraries: Those that only one of the programs has.
  /// - Returns: Phrases, the largest difference first.
  static func evidence(
    of reason: LaunchReason,
    atMost most: Int,
    libraries: LaunchExplanation.LibraryChange
  ) -> [String] {
    var phrases: [String] = []
    let resource = resource(of: reason)
    let isTold = reason.counts.contains { resource == name(of: $0.thing) }
    if let resource, !isTold, resource != subject(of: reason), !isProcess(reason) {
      phrases.append("mostly \(resource)")
    }
    if reason.kind == .library { phrases += text(of: libraries) }
    phrases += reason.counts.prefix(most).map(text)
    return phrases
  }

  private static func isProcess(_ reason: LaunchReason) -> Bool {
    [.child, .thread, .library].contains(reason.kind)
  }

  /// Such as `loads libxml2.so.2 and 4 more`.
  static func text(of libraries: LaunchExplanation.LibraryChange) -> [String] {
    func list(_ verb: String, _ names: [String]) -> [String] {
      guard let first = names.first else { return [] }
      return ["\(verb) \(first)" + (names.count > 1 ? " and \(names.count - 1) more" : "")]
    }
    return list("loads", libraries.new) + list("no longer loads", libraries.gone)
  }
}

/// What is said of the whole launches, in one sentence each.
struct ExplanationSentence {
  private let result: ExplanationResult

  init(_ result: ExplanationResult) { self.result = result }

  private var explanation: LaunchExplanation { result.explanation }

  /// Such as `B is 5.9 ms slower than A (1.97 → 7.89 ms, 95 % interval +5.6 to +6.3 ms), because`.
  var headline: String {
    let change = result.headline
    let (first, last) = (name(0), name(result.arms.count - 1))
    switch result.outcome {
    case .single: return "\(last) takes \(single(change)), in"
    case .same: return "\(first) and \(last) take the same time \(facts(of: change))"
    case .notToldApart:
      return "\(first) and \(last) are not told apart \(facts(of: change))"
    case .different:
      let numbers = ExplanationNumbers(for: change.difference)
      let word = change.difference > .zero ? "slower" : "faster"
      let lead =
        "\(last) is \(numbers.text(change.difference.magnitude)) \(word) than \(first) "
        + facts(of: change)
      return explanation.reasons.isEmpty ? "\(lead), and no reason was found" : "\(lead), because"
    }
  }

  private func name(_ arm: Int) -> String {
    result.arms.indices.contains(arm) ? result.arms[arm].name : "the program"
  }

  /// The times and the interval of the difference, in parentheses.
  private func facts(of change: TimeChange) -> String {
    let numbers = ExplanationNumbers(for: change)
    let times = "\(numbers.number(change.before)) → \(numbers.text(change.after))"
    let place = result.isHeadlinePlain ? "" : " when traced"
    return "(\(times)\(place)\(interval(of: change).map { ", 95 % interval \($0)" } ?? ""))"
  }

  /// The ends of the interval of a difference, such as `+5.6 to +6.3 ms`.
  func interval(of change: TimeChange) -> String? {
    guard let interval = change.interval else { return nil }
    let largest = max(abs(interval.low), abs(interval.high))
    let numbers = ExplanationNumbers(
      for: max(change.difference.magnitude, Nanoseconds(Int64(largest / 2)))
    )
    return "\(numbers.signedNumber(interval.low)) to \(numbers.signedNumber(interval.high)) "
      + numbers.symbol
  }

  private func single(_ change: TimeChange) -> String {
    let numbers = ExplanationNumbers(for: change)
    let interval = change.interval.map {
      " (95 % interval \(numbers.number($0.low)) to \(numbers.number($0.high)) \(numbers.symbol))"
    }
    return numbers.text(change.after) + (interval ?? "")
  }

  /// How the launches were looked into, in one sentence.
  var method: String {
    let counts = result.collectors.filter { $0.missing == nil && $0.launches > 0 }.map(text)
    let blocks = Quantity.count(
      explanation.blocks,
      result.freshBlocks == nil ? "block" : "fresh block"
    )
    let dropped =
      explanation.droppedBlocks > 0 ? ", \(explanation.droppedBlocks) unusual left out" : ""
    let figures = "figures from \(blocks)\(dropped)"
    return counts.isEmpty ? figures : "\(counts.joined(separator: ", ")); \(figures)"
  }

  private func text(of collector: ExplanationResult.Collector) -> String {
    let word =
      switch collector.kind {
      case .plain: "plain"
      case .timeline: "traced"
      case .profile: "sampled"
      }
    let count = [String](repeating: "\(collector.launches)", count: max(1, result.arms.count))
    let cost = collector.costRatio.map { ratio in
      let share = ratio - 1
      let sign = share < 0 ? "−" : "+"
      let text = ExplanationNumbers.percent(abs(share))
      return " (\(text == "0 %" ? "" : sign)\(text) \(collector.costsTime ? "time" : "CPU"))"
    }
    return "\(count.joined(separator: " + ")) \(word)\(cost ?? "")"
  }
}
