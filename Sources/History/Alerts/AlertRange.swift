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

  /// How many nights lie after the good one, the bad one included; nil where it is not known.
  let nights: Int?

  /// Where its commits are from, and can be read.
  let source: Source?

  /// The range of commits, such as `9ee6ac964d..8cd7961578`; nil where they are not known or equal.
  var commits: String? {
    guard let good = good.night?.build, let bad = bad.night?.build, good.tree != bad.tree else {
      return nil
    }
    return "\(TrendWords.short(good.commit))..\(TrendWords.short(bad.commit))"
  }

  /// - Parameters:
  ///   - alert: What is told.
  ///   - nights: Those of the scenario, ascending.
  ///   - source: That of the scenario, for links; nil for none.
  init(_ alert: Alert, nights: [Night], source: Source? = nil) {
    self.source = source
    let onset = nights.firstIndex { $0.run == alert.onset }
    let last = nights.firstIndex { $0.run == alert.lastGood }
    let proof = alert.proof.flatMap { $0.verdict == alert.direction.verdict ? $0 : nil }
    guard let proof, alert.cause != .machine else {
      isProved = false
      good = End(night: last.map { nights[$0] })
      bad = End(night: onset.map { nights[$0] })
      self.nights = Self.distance(last, onset, in: nights)
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

  /// The nights between two, counted by days where some have no record.
  private static func distance(_ good: Int?, _ bad: Int?, in nights: [Night]) -> Int? {
    guard let good, let bad, good < bad else { return nil }
    let seconds = nights[bad].startedAt.timeIntervalSince(nights[good].startedAt)
    return max(bad - good, Int((seconds / 86_400).rounded()))
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
      let build = alert.cause == .machine ? nil : bad.night?.build
      return build.map { "the night of \(day), \(commit($0))" } ?? "the night of \(day)"
    }
    let goodDay = good.startedAt.utcDay
    guard alert.cause != .machine, let old = good.build, let new = bad.night?.build else {
      return "the night of \(day); the last good one is \(raw: goodDay)"
    }
    guard let commits else {
      return "the night of \(day), with the same build as before: \(commit(new))"
    }
    let doubt: Phrase = alert.cause == .unknown ? ", not proved" : ""
    return
      "first seen in the night of \(day), \(commit(new)); last good \(commit(old)), night of \(raw: goodDay); range \(code: commits)\(doubt)"
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
    guard alert.cause != .machine, let build = bad.night?.build else { return day }
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
