import Foundation
import LaunchCore
import LaunchStatistics
import Rendering

/// What is said of the whole launches, in one sentence each.
struct ExplanationSentence {
  private let result: ExplanationResult

  init(_ result: ExplanationResult) { self.result = result }

  private var explanation: LaunchExplanation { result.explanation }

  /// The statement, and what follows it.
  var headline: String {
    if let slow = result.slow {
      return slow.gap == nil ? "\(statement); \(singleStatement), spent in" : statement
    }
    switch result.outcome {
    case .single: return "\(statement), spent in"
    case .same, .notSignificant:
      return explanation.reasons.isEmpty ? statement : "\(statement), but these parts differ"
    case .different:
      return explanation.reasons.contains(where: \.isSpecific)
        ? "\(statement), because" : "\(statement), and no reason was found"
    }
  }

  /// Such as `B is 5.9 ms slower than A (1.97 → 7.89 ms, 95 % interval +5.6 to +6.3 ms)`.
  var statement: String {
    if let slow = result.slow { return SlowSentence(slow, result).statement }
    let change = result.headline
    let (first, last) = (name(0), name(result.arms.count - 1))
    switch result.outcome {
    case .single: return singleStatement
    case .same: return "\(first) and \(last) take the same time \(facts(of: change))"
    case .notSignificant:
      guard let interval = change.interval, interval.excludesZero else {
        return "no significant difference between \(first) and \(last) \(facts(of: change))"
      }
      return "\(last) may be \(size(of: change)) than \(first) \(facts(of: change)): "
        + "too little to be sure"
    case .different:
      return "\(last) is \(size(of: change)) than \(first) \(facts(of: change))"
    }
  }

  private var singleStatement: String {
    let place = result.isHeadlinePlain ? "" : " without waiting for a processor"
    return "\(name(0)) takes \(single(result.headline))\(place); traced launches took \(tracedTime)"
  }

  /// The time of one program that is divided into parts, which is another one than that of plain launches.
  private var tracedTime: String {
    let whole = LaunchParts(result).whole
    return ExplanationNumbers(forTableUpTo: whole).text(whole)
  }

  /// Such as `5.9 ms slower`.
  private func size(of change: TimeChange) -> String {
    let text = ExplanationNumbers(for: change.difference).text(change.difference.magnitude)
    return "\(text) \(change.difference > .zero ? "slower" : "faster")"
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
      for: max(change.difference.magnitude, Nanoseconds(Int64(clamping: largest)))
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
    let counts =
      result.slow.map { [SlowSentence($0, result).method] }
      ?? result.collectors.filter { $0.missing == nil && $0.launches > 0 }.map(text)
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
      case .callgrind: "counted by callgrind"
      case .modules: "with module times"
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

/// Times that stand below each other: all in one unit with the same number of decimals, so that what
/// is shown adds up.
struct ExplanationNumbers: Hashable, Sendable {
  private let scale: Scale
  let decimals: Int

  /// Chooses the unit and the decimals in which a time has about two significant digits.
  init(for magnitude: Nanoseconds) {
    let size = Double(magnitude.magnitude.count)
    scale = Scale(.nanoseconds, for: size)
    let number = size / scale.divisor
    decimals = scale.divisor == 1 ? 0 : number < 3 ? 2 : number < 30 ? 1 : 0
  }

  /// Chooses them for a table whose largest time has three significant digits, so that its smaller
  /// ones have some, too.
  init(forTableUpTo largest: Nanoseconds) {
    let size = Double(largest.magnitude.count)
    scale = Scale(.nanoseconds, for: size)
    let number = size / scale.divisor
    decimals = scale.divisor == 1 ? 0 : number < 9.995 ? 2 : number < 99.95 ? 1 : 0
  }

  /// Chooses them for two times, so that their difference has two significant digits, too.
  init(for change: TimeChange) {
    let larger = Double(max(change.before.magnitude, change.after.magnitude).count)
    scale = Scale(.nanoseconds, for: larger)
    let number = larger / scale.divisor
    let difference = abs(Double(change.difference.count)) / scale.divisor
    let needed = difference > 0 ? 1 - Int(clamping: log10(difference).rounded(.down)) : 0
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
  func ticks(_ time: Nanoseconds) -> Int { Int(clamping: (Double(time.count) / tick).rounded()) }

  /// The time of a number of units of the last decimal.
  func time(ticks: Int) -> Nanoseconds {
    Nanoseconds(Int64(clamping: (Double(ticks) * tick).rounded()))
  }

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
  var magnitude: Nanoseconds { Nanoseconds(Int64(clamping: count.magnitude)) }
}
