import LabAnalysis
import LabModel

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
      return build.map { "the night of \(day), \(Self.commit($0))" } ?? "the night of \(day)"
    }
    let goodDay = TrendWords.day(good.startedAt)
    guard alert.cause != .machine, let old = good.build, let new = bad.night?.build else {
      return "the night of \(day); the last good one is \(raw: goodDay)"
    }
    guard let commits else {
      return "the night of \(day), with the same build as before: \(Self.commit(new))"
    }
    let doubt: Phrase = alert.cause == .unknown ? ", not proved" : ""
    return
      "first seen in the night of \(day), \(Self.commit(new)); last good \(Self.commit(old)), night of \(raw: goodDay); range \(code: commits)\(doubt)"
  }

  private func proved(_ day: String) -> Phrase {
    if isSingle, let old = good.night, let new = bad.night, let commits {
      return
        "\(Self.text(bad)), night of \(raw: TrendWords.day(new.startedAt)); last good \(Self.text(good)), night of \(raw: TrendWords.day(old.startedAt)); range \(code: commits)"
    }
    let count = nights.map { ", \(Quantity.count($0, "night"))" } ?? ""
    let range: Phrase = commits.map { "a commit of \(code: $0)" } ?? "it is not known which change"
    return
      "between \(Self.place(good)) and \(Self.place(bad))\(raw: count): \(range); first seen in the night of \(day)"
  }

  /// A build with the night that launched it.
  private static func place(_ end: End) -> Phrase {
    guard let night = end.night else { return text(end) }
    return "\(text(end)) (night of \(raw: TrendWords.day(night.startedAt)))"
  }

  private static func text(_ end: End) -> Phrase {
    end.night?.build.map(commit) ?? "the build \(code: end.name ?? Quantity.none)"
  }

  private static func commit(_ build: Night.Build) -> Phrase {
    "\(code: TrendWords.short(build.commit)) \"\(build.subject)\""
  }

  /// The same in a few words, such as `since 8cd7961578` or `first seen 2026-11-21`.
  func shortSince(_ alert: Alert, day: String) -> String {
    if isSingle, let commit = bad.commit { return "since \(commit)" }
    if isProved, let commits { return "since a commit of \(commits), first seen \(day)" }
    return alert.cause == .unknown && alert.kind != .budget ? "first seen \(day)" : "since \(day)"
  }

  /// The same after the word `since`, in a sentence.
  func onset(_ alert: Alert, day: String) -> String {
    guard alert.cause != .machine, let build = bad.night?.build else { return day }
    if isSingle || good.night == nil {
      return "\(day), commit \(TrendWords.short(build.commit)) \"\(build.subject)\""
    }
    if isProved {
      let count = nights.map { " (\(Quantity.count($0, "night")))" } ?? ""
      return commits.map { "\(day), by a commit of \($0)\(count)" } ?? day
    }
    return "\(day), first seen with commit \(TrendWords.short(build.commit)) \"\(build.subject)\""
  }
}
