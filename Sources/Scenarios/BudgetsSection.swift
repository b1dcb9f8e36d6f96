import LaunchCore

/// The keys of budgets.
extension ScenarioKeys {
  static let budget: [Field<BudgetDraft>] = [
    Field("target", targetName, \.target, isRequired: true) {
      "The target that is limited."
    },
    Field("state", launchedState, \.state, isRequired: true) {
      "The state that is limited."
    },
    Field("metric", Form<Metric>.judged.map { $0 }, \.metric, isRequired: true) {
      "The metric that is limited."
    },
    Field("max", limit, \.limit, isRequired: true) {
      "The most that the median may be, in a unit of the metric; of slow_share the largest share "
        + "of slow launches."
    },
    Field("over", Form<Nanoseconds>.duration.map { $0 }, \.over) {
      "Of slow_share: how long a launch takes at least to be slow. Default: 3.5 robust standard "
        + "deviations beyond the night's median, at least 10 %."
    },
  ]
}

/// A budget some of whose keys may be missing.
struct BudgetDraft {
  var target: String?
  var state: LaunchState?
  var metric: Metric?

  /// As it is written, because its unit follows from the metric.
  var limit: String?

  var over: Nanoseconds?
}

extension ScenarioKeys {
  static let budgets = Form<[Budget]>.list(
    of: Form<BudgetDraft>.section(budget, of: BudgetDraft()).then { draft, value, reading in
      guard let target = draft.target, let state = draft.state, let metric = draft.metric,
        let limit = draft.limit, let place = value["max"]?.place
      else { return nil }
      return reading.attempt(at: place) { () throws(FormProblem) in
        let maximum = try metric.limit(written: limit)
        guard draft.over == nil || metric == .slowShare else {
          throw FormProblem(
            problem:
              "`over` says which launches are slow, and \(metric.rawValue) does not count them",
            remedy: "remove `over`, or write `metric: slow_share` with a share such as `max: 10%`"
          )
        }
        return Budget(
          target: target,
          state: state,
          metric: metric,
          maximum: maximum,
          over: draft.over
        )
      }
    },
    twice: { budget, earlier in
      let isKnown = earlier.contains {
        ($0.target, $0.state, $0.metric) == (budget.target, budget.state, budget.metric)
      }
      guard isKnown else { return nil }
      let words = "\(budget.metric.rawValue) of \(quoted(budget.target))"
      return "the budget of \(words) in the state \(budget.state.rawValue)"
    }
  )

  private static let launchedState = Form<LaunchState>.word.then { state, value, reading in
    if !reading.states.contains(state) {
      reading.report(
        "contradiction",
        "nothing is launched in the state \(quoted(state.rawValue))",
        at: value.place,
        remedy: "add it to `states`, or limit one of "
          + reading.states.map(\.rawValue).joined(separator: ", ")
      )
    }
    return state
  }

  private static let limit = Form<String>.scalar(
    "a limit such as 60ms, 40MiB, 5 or 10%",
    [
      "anyOf": [
        ["type": "number", "minimum": 0],
        .string("^\(SchemaValue.number)(ns|us|µs|ms|s|min|m|h|B|kB|MB|GB|KiB|MiB|GiB|%)?$"),
      ]
    ]
  ) { text in text }

  static let size = Form<Int64>.scalar(
    "a size such as 2GiB",
    .string("^\(SchemaValue.number)(B|kB|MB|GB|KiB|MiB|GiB)$"),
    bytes
  )

  private static let sizes: [(suffix: String, bytes: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1),
  ]

  /// Reads a size such as `40MiB`, rounded down to bytes.
  fileprivate static func bytes(_ text: String) throws(FormProblem) -> Int64 {
    guard let unit = sizes.first(where: { text.hasSuffix($0.suffix) }),
      let number = ExactDecimal(written: text.dropLast(unit.suffix.count))
    else {
      let isBare = ExactDecimal(written: text) != nil
      throw FormProblem(
        problem: "\(quoted(text)) is \(isBare ? "a size without a unit" : "not a size")",
        remedy: isBare
          ? "write the unit, such as \(text)MiB"
          : "write a number and one of the units B, kB, MB, GB, KiB, MiB, GiB, such as 40MiB"
      )
    }
    guard number.whole < 1 << 50 / unit.bytes else {
      throw FormProblem(
        problem: "the size \(quoted(text)) is larger than a pebibyte",
        remedy: "use fewer bytes"
      )
    }
    return number.whole * unit.bytes + Int64(Double(number.billionths) / 1e9 * Double(unit.bytes))
  }
}

extension Metric {
  /// Reads a limit in the unit of the metric.
  fileprivate func limit(written text: String) throws(FormProblem) -> Double {
    switch unit {
    case .nanoseconds:
      let span = try Nanoseconds(written: text)
      guard span > .zero else {
        throw FormProblem(
          problem: "the limit \(quoted(text)) leaves no time",
          remedy: "allow more time, such as 60ms"
        )
      }
      return Double(span.count)
    case .bytes: return Double(try ScenarioKeys.bytes(text))
    case .count:
      guard let number = ExactDecimal(written: text), number.whole < 1 << 50 else {
        throw FormProblem(
          problem: "\(quoted(text)) is not a count, which \(rawValue) is measured in",
          remedy: "write a number without a unit, such as 5"
        )
      }
      return number.value
    case .percent:
      guard let percent = Form<Double>.percent(text), percent.value < 100 else {
        throw FormProblem(
          problem: "\(quoted(text)) is not a share of launches",
          remedy: "write a percentage below 100, such as 10%"
        )
      }
      return percent.value
    }
  }
}
