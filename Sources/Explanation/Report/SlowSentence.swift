import LaunchCore
import Rendering
import Stages

/// What is said of the slow launches of one program, in one sentence each.
struct SlowSentence {
  private let slow: SlowLaunches
  private let result: ExplanationResult

  init(_ slow: SlowLaunches, _ result: ExplanationResult) {
    (self.slow, self.result) = (slow, result)
  }

  /// Such as `11 % of launches take 52 ms longer (3.1 → 55 ms), because they wait for flock(/run/lock) held
  /// by app-updater`.
  var statement: String {
    guard slow.gap != nil else { return alike }
    let change = result.explanation.difference.traced
    let numbers = ExplanationNumbers(for: change)
    let longer = ExplanationNumbers(for: change.difference).text(change.difference)
    let times = "\(numbers.number(change.before)) → \(numbers.text(change.after)) when traced"
    let reasons = result.explanation.reasons.filter(\.isSpecific)
    let main = reasons.filter { ($0.share ?? 1) >= Self.toldShare }.prefix(2)
    let nothing =
      result.isTooLittle
      ? ", and \(slow.traced.slow) slow ones are too few to say why" : ", and no reason was found"
    let because =
      main.isEmpty ? nothing : ", because " + main.map(phrase).joined(separator: ", and ")
    let runs = slow.areInRuns ? "; they come in runs, as where the machine is slow at times" : ""
    return "\(ExplanationNumbers.percent(slow.traced.share)) of launches take \(longer) longer "
      + "(\(times))\(because)\(runs)"
  }

  /// A reason with less of the difference is in the table only.
  private static let toldShare = 0.2

  /// That there are no two kinds.
  private var alike: String {
    let none = "no two kinds of launches among \(slow.traced.launches)"
    if slow.isHiddenByTracing {
      return
        "\(none) traced ones, but \(text(slow.plain)) plain ones are slow: tracing may remove a race"
    }
    return slow.isEnough ? none : "\(none), which are too few to be sure"
  }

  /// How many launches of each kind are slow.
  var method: String {
    guard let gap = slow.gap else {
      return "\(slow.plain.launches) plain, \(slow.traced.launches) traced, "
        + "\(slow.sampled.launches) sampled"
    }
    let limit = Nanoseconds(Int64(clamping: gap.threshold.rounded()))
    return "slow are \(text(slow.traced)) traced launches, beyond "
      + "\(ExplanationNumbers(for: limit).text(limit)) without waiting for a processor; by the clock "
      + "\(text(slow.tracedByClock)) traced and \(text(slow.plain)) plain ones"
  }

  private func text(_ share: SlowShare) -> String { "\(share.slow) of \(share.launches)" }

  /// What slow launches do for a reason, such as `they wait for flock(/run/lock) held by app-updater`.
  private func phrase(_ reason: LaunchReason) -> String {
    let call = reason.call ?? ExplanationWords.noun(of: reason.kind)
    let target = reason.object.map { "\(call)(\($0))" } ?? call
    let isFirst = reason.rank == result.explanation.reasons.first(where: \.isSpecific)?.rank
    let waker = isFirst ? slow.waker : nil
    switch reason.kind {
    case .sleep: return "they sleep (\(call))"
    case .lock: return "they wait for \(target)" + (waker.map { " held by \($0)" } ?? "")
    case .disk:
      let place = reason.object.map { " (\($0))" } ?? ""
      return "they wait for the disk\(place)"
    case .socket: return waitForAnswer(reason, target)
    case .syscall where Self.polls.contains(call): return waitForAnswer(reason, target)
    case .child: return "they wait for \(ExplanationWords.title(of: reason))"
    case .ownCode, .initializer: return "they run longer in \(ExplanationWords.title(of: reason))"
    case .pageFault, .library, .thread, .data, .other, .file, .syscall:
      return "of \(ExplanationWords.title(of: reason))"
    }
  }

  private static let polls: Set = [
    "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait",
  ]

  /// An address that `poll` does not tell is the one that slow launches send to more often.
  private func waitForAnswer(_ reason: LaunchReason, _ target: String) -> String {
    let counted = result.explanation.counts.lazy.compactMap { count -> String? in
      guard count.difference > 0, case .call(_, let object) = count.thing else { return nil }
      return object
    }
    let peer = ([reason.object].compactMap(\.self) + counted).first { object in
      let parts = object.split(separator: ":")
      return parts.count > 1 && Int(parts[parts.count - 1]) != nil && !object.hasPrefix("/")
    }
    guard let peer else { return "they wait in \(target)" }
    let server = peer.hasSuffix(":53") ? "the name server " : ""
    return "they wait for an answer of \(server)\(peer) (\(reason.call ?? "poll"))"
  }
}

extension SlowLaunches {
  /// What the reader must know of the shares and the order of slow launches.
  var diagnostics: [Diagnostic] {
    guard gap != nil else { return [] }
    var notes: [Diagnostic] = []
    if areInRuns {
      notes.append(
        Diagnostic(
          .warning,
          id: "slow-in-runs",
          problem:
            "slow launches follow each other more often than by chance: what makes them slow "
            + "lasts for several launches, as on a machine that is slow at times",
          remedy: "explain them again on a machine that does nothing else"
        )
      )
    }
    if isShareDifferent {
      let shares = [plain, tracedByClock].map { ExplanationNumbers.percent($0.share) }
      let cause =
        tracedByClock.share < plain.share ? "tracing may remove a race" : "tracing may add to it"
      notes.append(
        Diagnostic(
          .warning,
          id: "slow-share-differs",
          problem:
            "\(shares[0]) of plain launches are slow, and \(shares[1]) of traced ones: \(cause)"
        )
      )
    }
    return notes
  }
}
