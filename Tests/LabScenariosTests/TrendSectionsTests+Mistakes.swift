/// Mistakes in the sections for many nights.
extension TrendSectionsTests {
  static let launches = [
    Mistake(
      "launches: {min: 4}",
      17,
      "\"4\" is not a whole number from 5 to 1000000",
      "choose a number in that range"
    ),
    Mistake(
      "launches: {min: 50, max: 40}",
      26,
      "the most launches, 40, are fewer than the fewest, 50",
      "raise `max`, or lower `min`"
    ),
    Mistake(
      "launches: {precision: 1}",
      23,
      "\"1\" is not a percentage",
      "write a number and the sign, such as 1%"
    ),
    Mistake(
      "launches: {precision: 0%}",
      23,
      "\"0%\" is not a percentage from 0.1% to 50%",
      "choose a percentage in that range"
    ),
    Mistake("launches: {precison: 1%}", 12, "unknown key \"precison\"", "write `precision`"),
    Mistake(
      "launches: [20]",
      11,
      "\"launches\" is a list, not a whole number from 1 to 1000000 or a map",
      "give a whole number from 1 to 1000000, or a map with the keys min, max, precision"
    ),
  ]

  static let regression = [
    Mistake(
      "regression: {confidence: 49%}",
      26,
      "\"49%\" is not a percentage from 50% to 99.9%",
      "choose a percentage in that range"
    ),
    Mistake(
      "regression: {confidence: 100%}",
      26,
      "\"100%\" is not a percentage from 50% to 99.9%",
      "choose a percentage in that range"
    ),
    Mistake(
      "regression: {effect: 2 %}",
      22,
      "\"2 %\" is not a percentage",
      "write a number and the sign, such as 1%"
    ),
    Mistake(
      "regression: {floor: 1}",
      21,
      "\"1\" is a duration without a unit",
      "write the unit, such as 1s or 1ms"
    ),
    Mistake(
      "regression: {metrics: [lunch]}",
      24,
      "invalid value \"lunch\"",
      "write `launch`"
    ),
    Mistake(
      "regression: {metrics: [spawn, spawn]}",
      31,
      "the metric \"spawn\" is given twice",
      "keep one of them"
    ),
    Mistake(
      "regression: {metrics: []}",
      23,
      "\"metrics\" is an empty list",
      "give at least one element, or remove the key"
    ),
    Mistake(
      "regression: {nights: 366}",
      22,
      "\"366\" is not a whole number from 5 to 365",
      "choose a number in that range"
    ),
    Mistake(
      "regression: {proof: 9}",
      21,
      "a proof of 9 pairs of launches can settle nothing",
      "allow at least 10, or write 0 for no proof"
    ),
  ]

  static let budgets = [
    budget("target: c", 19, "there is no target \"c\"", "write `a`"),
    budget(
      "target: server",
      19,
      "there is no target \"server\"",
      "use one of: a, b"
    ),
    Mistake(
      "budgets: [{target: a, state: reboot-cold, metric: launch, max: 60ms}]",
      30,
      "nothing is launched in the state \"reboot-cold\"",
      "add it to `states`, or limit one of warm"
    ),
    limit(
      "launch",
      "60",
      "\"60\" is a duration without a unit",
      "write the unit, such as 60s or 60ms"
    ),
    limit("launch", "0ms", "the limit \"0ms\" leaves no time", "allow more time, such as 60ms"),
    limit(
      "launch",
      "4MB",
      "\"4MB\" is not a duration",
      "write a number and one of the units us, ms, s, m, h, such as 500ms"
    ),
    limit("peak_rss", "40", "\"40\" is a size without a unit", "write the unit, such as 40MiB"),
    limit(
      "peak_rss",
      "40M",
      "\"40M\" is not a size",
      "write a number and one of the units B, kB, MB, GB, KiB, MiB, GiB, such as 40MiB"
    ),
    limit(
      "major_faults",
      "5ms",
      "\"5ms\" is not a count, which major_faults is measured in",
      "write a number without a unit, such as 5"
    ),
    limit(
      "slow_share",
      "10",
      "\"10\" is not a share of launches",
      "write a percentage below 100, such as 10%"
    ),
    Mistake(
      "budgets: [{target: a, state: warm, metric: launch}]",
      11,
      "an element of \"budgets\" lacks the key \"max\"",
      "add `max:` with a limit such as 60ms, 40MiB, 5 or 10%"
    ),
    Mistake(
      "budgets: [{target: a, state: warm, metric: launch, max: 60ms}, "
        + "{target: a, state: warm, metric: launch, max: 70ms}]",
      64,
      "the budget of launch of \"a\" in the state warm is given twice",
      "keep one of them"
    ),
  ]

  static let controls = [
    Mistake(
      "baseline: {control: {revision: v1, target: a}}",
      32,
      "the control is a revision, and the scenario has no source",
      "add the section `source`, or give a command as the control"
    ),
    revision(
      "{revision: v1}",
      21,
      "the control does not say which of the 2 targets it is",
      "add `target:` with the name of a target"
    ),
    revision("{revision: v1, target: c}", 44, "there is no target \"c\"", "write `a`"),
    revision(
      "{target: a}",
      21,
      "\"control\" lacks the key \"revision\"",
      "add `revision:` with a git revision such as v1.0"
    ),
    revision(
      "{revision: --all, target: a}",
      32,
      "\"--all\" is not a git revision",
      "write a tag, a branch or a commit, such as v1.0"
    ),
    Mistake(
      "baseline: {control: ['']}",
      22,
      "the program \"\" is neither a path nor a name",
      "write the path out, because a tilde is not expanded"
    ),
    Mistake(
      "baseline: {control: perl}",
      21,
      "\"control\" is \"perl\", not a list or a map",
      "give a list of texts, or a map with the keys revision, target"
    ),
  ]

  private static func budget(
    _ target: String,
    _ column: Int,
    _ problem: String,
    _ remedy: String
  ) -> Mistake {
    Mistake(
      "budgets: [{\(target), state: warm, metric: launch, max: 60ms}]",
      column + 1,
      problem,
      remedy
    )
  }

  private static func limit(
    _ metric: String,
    _ limit: String,
    _ problem: String,
    _ remedy: String
  ) -> Mistake {
    let text = "budgets: [{target: a, state: warm, metric: \(metric), max: "
    return Mistake("\(text)\(limit)}]", text.utf8.count + 1, problem, remedy)
  }

  private static func revision(
    _ control: String,
    _ column: Int,
    _ problem: String,
    _ remedy: String
  ) -> Mistake {
    Mistake(
      "baseline: {control: \(control)}\nsource: {repository: /, build: make}",
      column,
      problem,
      remedy
    )
  }
}
