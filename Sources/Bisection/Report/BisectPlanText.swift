import Foundation
package import LaunchCore
import Rendering

/// What a bisection is expected to take, before the first build.
package struct BisectPlanText {
  private let plan: BisectPlan
  private let start: BisectStart
  private let words: BisectWords

  package init(_ plan: BisectPlan, start: BisectStart) {
    self.plan = plan
    self.start = start
    words = BisectWords(start)
  }

  /// A sentence each.
  package var lines: [String] { [work, assumption, visibility] }

  private var candidates: Int { start.revisions.count - 1 }

  private var work: String {
    let most = start.parameters.limits
    let builds = Quantity.count(min(Self.whole(plan.builds), most.builds ?? .max), "build")
    let (least, expected) = (Self.whole(plan.leastLaunches), Self.whole(plan.launches))
    let count = Quantity.launches(min(expected, most.launches))
    let launches = least < min(expected, most.launches) ? "\(least) to \(count)" : count
    let made = start.artifacts == nil ? "\(builds) and \(launches)" : launches
    return "\(words.count(candidates)), \(words.measure) of \(words.arm): about \(made)\(time); "
      + limits
  }

  /// How long it takes, from a comma on, or what of it is not known.
  private var time: String {
    let kept =
      plan.kept == 0
      ? "" : " (\(plan.kept) of \(Quantity.count(start.revisions.count, words.noun)) built already)"
    if let seconds = plan.seconds { return "\(kept), \(BisectWords.estimate(seconds))" }
    let isBuilt = start.artifacts != nil || plan.kept >= start.revisions.count
    let unknown = [
      plan.costs.build == nil && !isBuilt ? "a build" : nil,
      plan.costs.launch == nil ? "a launch" : nil,
    ].compactMap(\.self)
    return
      "\(kept); how long \(unknown.joined(separator: " and ")) \(unknown.count == 1 ? "takes" : "take") is not known yet"
  }

  private var limits: String { Self.words(of: start.parameters.limits) }

  /// Such as `at most 4,000 launches, 2.0 h`.
  package static func words(of limits: BisectLimits) -> String {
    let builds = limits.builds.map { ", \(Quantity.count($0, "build"))" } ?? ""
    let time = limits.seconds.map { ", \(Quantity.duration(seconds: $0))" } ?? ""
    return
      "at most \(Quantity.launches(limits.launches))\(builds)\(time)"
  }

  private var assumption: String {
    "planned for a change of \(BisectWords.size(plan.effect)) at a CV of "
      + BisectWords.percent(plan.noise)
      + (plan.leastLaunches < plan.launches ? "; a larger change takes fewer launches" : "")
  }

  /// Whether the change can be found, and else which one could.
  private var visibility: String {
    let smallest = smallestVisible
    if plan.canBeSeen {
      return smallest.map { "finds changes of about \(BisectWords.size($0)) and more" }
        ?? "such a change can be found"
    }
    // The change that is looked for may be a larger one.
    let isNoisy = spent.contains("--max-launches")
    let advice =
      "raise \(spent.joined(separator: " and "))"
      + (isNoisy ? ", or reduce noise" : "")
      + (isNoisy && start.measure == .metric(.launch) ? ", or \(MetricAdvice.beforehand)" : "")
    guard let smallest else {
      return "warning: these limits are too low to find a change: \(advice)"
    }
    return "finds changes of about \(BisectWords.size(smallest)) and more; "
      + "for smaller ones \(advice)"
  }

  /// The limits that are in the way.
  private var spent: [String] {
    let limits = start.parameters.limits
    var options: [String] = []
    if plan.builds > Double(limits.builds ?? .max) { options.append("--max-builds") }
    if plan.seconds?.upperBound ?? 0 > limits.seconds ?? .infinity { options.append("--max-time") }
    return options.isEmpty || plan.launches > Double(limits.launches)
      ? ["--max-launches"] + options : options
  }

  /// The smallest log ratio that can be found; nil where not even twice the time can.
  private var smallestVisible: Double? {
    var low = log(max(start.parameters.minimumEffect, 1e-4))
    var high = log(log(2.0))
    guard canBeSeen(exp(high)) else { return nil }
    if canBeSeen(exp(low)) { return exp(low) }
    for _ in 0..<30 {
      let middle = (low + high) / 2
      if canBeSeen(exp(middle)) { high = middle } else { low = middle }
    }
    return exp(high)
  }

  private func canBeSeen(_ effect: Double) -> Bool {
    BisectPlan(
      candidates: max(1, candidates),
      effect: effect,
      noise: plan.noise,
      parameters: start.parameters,
      costs: plan.costs
    ).canBeSeen
  }

  private static func whole(_ value: Double) -> Int {
    Int(clamping: min(max(0, value), 1e9).rounded(.up))
  }
}
