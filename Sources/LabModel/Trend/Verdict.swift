/// What is said of something that was compared with what was before; the raw value is the name used
/// in JSON, the store and reports.
package enum Verdict: String, Codable, CaseIterable, Sendable {
  /// It is worse, by more than the effect limit.
  case regression

  /// It is better, by more than the effect limit.
  case improvement

  /// If there is a difference, it is smaller than the effect limit.
  case same

  case inconclusive
}
