import Foundation
import LaunchCore
import Rendering

/// Between which builds the change of an alert lies, and how far that is known.
///
/// Builds that were launched against each other prove a range; the history only suggests one. No commit
/// of it is named alone: how many there are between two nights is known to git, and a bisection finds
/// which one it is.
struct AlertRange: Hashable {
  /// One of the two builds.
  struct End: Hashable {
    /// The commit, or the first digits of a digest; nil where nothing is known of the build.
    var name: String?

    /// The night that launched it; nil where there is no such night.
    var night: Night?

    /// The first digits of the commit; nil without one.
    var commit: String? { night?.build.map { TrendWords.short($0.commit) } }
  }

  /// Whether the two builds were launched against each other, with a verdict for the alert.
  let isProved: Bool

  let good: End
  let bad: End

  /// The first night that may belong to the new level; nil where there is no such night.
  let first: Night?

  /// How many nights lie after the good one, the bad one included; nil where it is not known.
  let nights: Int?

  /// Where its commits are from, and can be read.
  let source: Source?

  /// The range of commits, such as `9ee6ac964d..8cd7961578`; nil where they are not known or equal.
  var commits: String? {
    revisions.map { "\(TrendWords.short($0.good))..\(TrendWords.short($0.bad))" }
  }

  /// The full ids of the same commits.
  var revisions: (good: String, bad: String)? {
    guard let good = good.night?.build, let bad = bad.night?.build, good.tree != bad.tree else {
      return nil
    }
    return (good.commit, bad.commit)
  }

  /// - Parameters:
  ///   - alert: What is told.
  ///   - nights: Those of the scenario, ascending; those on another host than the onset do not count.
  ///   - source: That of the scenario, for links; nil for none.
  init(_ alert: Alert, nights: [Night], source: Source? = nil) {
    self.source = source
    let beginning = nights.first { $0.run == alert.onset }
    let nights = nights.filter { night in
      beginning.map { night.isOnSameHost(as: $0) } ?? true
    }
    let onset = nights.firstIndex { $0.run == alert.onset }
    let last = nights.firstIndex { $0.run == alert.lastGood }
    first = onset.map { nights[$0] }
    let proof = alert.proof.flatMap { $0.verdict == alert.direction.verdict ? $0 : nil }
    guard let proof, alert.cause != .machine else {
      isProved = false
      // A night that only may belong to the new level can have been the last one of the old.
      let newest = onset.map { Self.newest(of: alert, since: $0, in: nights) }
      good = End(night: last.map { nights[$0] })
      bad = End(night: newest.map { nights[$0] })
      self.nights = Self.distance(last, newest, in: nights)
      return
    }
    let target = alert.series.target
    func isBad(_ index: Int) -> Bool { nights[index].isBuild(proof.bad, of: target) }
    let first = nights.indices.first { $0 >= onset ?? 0 && isBad($0) }
    let bad = first ?? nights.indices.last(where: isBad)
    let good = nights.indices.last {
      $0 < bad ?? nights.count && nights[$0].isBuild(proof.good, of: target)
    }
    isProved = true
    self.good = End(name: proof.good, night: good.map { nights[$0] })
    self.bad = End(name: proof.bad, night: bad.map { nights[$0] })
    self.nights = Self.distance(good, bad, in: nights)
  }

  /// The newest night on the host of an alert before anything has settled it, or its old level was back.
  private static func newest(of alert: Alert, since onset: Int, in nights: [Night]) -> Int {
    let settled = alert.events.first { $0.state != .suspected }
    let back = settled?.criteria.first { $0.id == CriterionID.levelBack }?.runs.first
    let run = back ?? settled?.run
    let end = nights.firstIndex { $0.run == run }.map { back == nil ? $0 + 1 : $0 }
    // What a person settles has no run.
    let until = run == nil ? settled?.at : nil
    return nights.indices.prefix(end ?? nights.count).last { index in
      let night = nights[index]
      let isLookedAt =
        night.status == .complete || alert.events.contains { $0.run == night.run }
      return index >= onset && isLookedAt && night.startedAt <= until ?? .distantFuture
        && !night.isOnOtherHost(than: nights[onset])
    } ?? onset
  }

  /// The nights between two, counted by days where some have no record.
  private static func distance(_ good: Int?, _ bad: Int?, in nights: [Night]) -> Int? {
    guard let good, let bad, good < bad else { return nil }
    let seconds = nights[bad].startedAt.timeIntervalSince(nights[good].startedAt)
    return max(bad - good, Int(clamping: (seconds / 86_400).rounded()))
  }
}

extension AlertRange {
  /// Since when an alert stands, and which commits may have brought it.
  ///
  /// - Parameters:
  ///   - alert: That of the range.
  ///   - day: The day of its onset.
  /// - Returns: A phrase without a full stop.
  func since(_ alert: Alert, day: String) -> Phrase {
    if isProved { return proved(day) }
    guard let good = good.night else {
      let build = alert.cause == .machine ? nil : first?.build
      return build.map { "the night of \(day), \(commit($0))" } ?? "the night of \(day)"
    }
    let goodDay = good.startedAt.utcDay
    guard alert.cause != .machine, let old = good.build, let new = first?.build else {
      return "the night of \(day); the last good one is \(raw: goodDay)"
    }
    guard let commits else {
      return old.tree == new.tree
        ? "the night of \(day), with the same build as before: \(commit(new))"
        : "the night of \(day), at the earliest; the last good one is \(raw: goodDay)"
    }
    let doubt: Phrase = alert.cause == .unknown ? ", not proved" : ""
    let since: Phrase =
      bad.night == first
      ? "first seen in the night of \(day), \(commit(new))" : "the night of \(day), at the earliest"
    return
      "\(since); last good \(commit(old)), night of \(raw: goodDay); range \(code: commits)\(doubt)"
  }

  private func proved(_ day: String) -> Phrase {
    let count = nights.map { ", \(Quantity.count($0, "night"))" } ?? ""
    let range: Phrase = commits.map { "a commit of \(code: $0)" } ?? "it is not known which change"
    return
      "between \(place(good)) and \(place(bad))\(raw: count): \(range); first seen in the night of \(day)"
  }

  /// A build with the night that launched it.
  private func place(_ end: End) -> Phrase {
    guard let night = end.night else { return text(end) }
    return "\(text(end)) (night of \(raw: night.startedAt.utcDay))"
  }

  private func text(_ end: End) -> Phrase {
    end.night?.build.map(commit) ?? "the build \(code: end.name ?? Quantity.none)"
  }

  private func commit(_ build: Night.Build) -> Phrase { Phrase(build, of: source) }

  /// The same in a few words, such as `first seen 2026-11-21`.
  func shortSince(_ alert: Alert, day: String) -> String {
    if isProved, let commits { return "since a commit of \(commits), first seen \(day)" }
    return alert.cause == .unknown && alert.kind != .budget ? "first seen \(day)" : "since \(day)"
  }

  /// The same after the word `since`, in a sentence.
  func onset(_ alert: Alert, day: String) -> String {
    guard alert.cause != .machine, let build = first?.build else { return day }
    if !isProved, bad.night != first, let commits {
      let doubt = alert.cause == .unknown ? ", not proved" : ""
      return "\(day) at the earliest, in \(commits)\(doubt)"
    }
    if isProved, good.night != nil {
      let count = nights.map { " (\(Quantity.count($0, "night")))" } ?? ""
      return commits.map { "\(day), by a commit of \($0)\(count)" } ?? day
    }
    let subject = build.subject.isEmpty ? "" : " \"\(build.subject)\""
    return "\(day), first seen with commit \(TrendWords.short(build.commit))\(subject)"
  }
}

extension Phrase {
  /// A commit with its subject, if it has one, and a link, if it is known where it can be read.
  ///
  /// - Parameters:
  ///   - build: The build of a night.
  ///   - source: That of the scenario.
  init(_ build: Night.Build, of source: Source?) {
    let url = source?.url(ofCommit: build.commit)
    let commit: Phrase = "\(code: TrendWords.short(build.commit), url: url)"
    self = build.subject.isEmpty ? commit : "\(commit) \"\(build.subject)\""
  }
}
