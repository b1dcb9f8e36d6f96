import Foundation
import LabModel

/// The numbers of a criterion as people read them.
struct CriterionWords {
  let criterion: Criterion

  var value: String { text(criterion.value) }

  var limit: String { text(criterion.limit) }

  var n: String { criterion.n.map(String.init) ?? Quantity.none }

  /// Whether the condition speaks for a change; a dash for a number that is no condition.
  var met: String { criterion.isFigure ? Quantity.none : criterion.isMet ? "yes" : "no" }

  private func text(_ number: Double?) -> String {
    guard let number else { return Quantity.none }
    switch criterion.unit {
    case .nanoseconds: return scale(.nanoseconds).text(number)
    case .bytes: return scale(.bytes).text(number)
    case .count: return scale(.count).text(number)
    case .share: return String(format: "%.2f %%", number * 100)
    case .ratio: return String(format: "%.4f", number)
    case .probability: return Self.probability(number)
    }
  }

  /// The same scale for value and limit, so that they can be compared at a glance.
  private func scale(_ unit: Metric.Unit) -> Scale {
    Scale(unit, for: max(abs(criterion.value ?? 0), abs(criterion.limit ?? 0)))
  }

  private static func probability(_ number: Double) -> String {
    number == 0 || number >= 0.001
      ? String(format: "%.4f", number) : String(format: "%.1e", number)
  }
}
