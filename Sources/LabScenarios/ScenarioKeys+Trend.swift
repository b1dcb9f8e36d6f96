import LabModel

/// The keys of how many launches are enough, and of what is concluded from many nights.
extension ScenarioKeys {
  static let defaultMost = 200
  static let defaultPrecision = 0.01
  static let defaultArtifactLimit: Int64 = 2 << 30

  /// An interval needs this many values.
  static let adaptiveRange = 5...1_000_000

  static let adaptive: [Key] = [
    Key(
      "min",
      .scalar(.whole(adaptiveRange)),
      "The fewest launches, after which they are looked at for the first time. Default: "
        + "\(defaultLaunches), or `max` where that is less."
    ),
    Key(
      "max",
      .scalar(.whole(adaptiveRange)),
      "The most launches. Default: \(defaultMost), or `min` where that is more."
    ),
    Key(
      "precision",
      .scalar(.trend(.share(0.1...50))),
      "The half-width of the interval of every median launch that is enough, as a share of that "
        + "median. It is looked at after `min` launches, and then whenever they have doubled. "
        + "Default: 1%."
    ),
  ]

  static let control: [Key] = [
    Key(
      "revision",
      .scalar(.trend(.revision)),
      isRequired: true,
      "The revision of the source that is built and launched, such as v1.0."
    ),
    Key(
      "target",
      .scalar(.name),
      "The target that is launched as this revision builds it. Default: the only one."
    ),
  ]

  static let regression: [Key] = [
    Key(
      "effect",
      .scalar(.trend(.share(0.1...100))),
      "The smallest difference that matters, as a share of the value before. Default: 2%."
    ),
    Key(
      "confidence",
      .scalar(.trend(.share(50...99.9))),
      "How sure the verdict of a comparison must be. Default: 95%."
    ),
    Key(
      "floor",
      .scalar(.duration),
      "The smallest difference of a time that matters, whatever its share. Default: 0ms."
    ),
    Key(
      "metrics",
      .list(of: .scalar(.word(Metric.allCases.map(\.rawValue)))),
      "What is judged each night. Default: [launch, peak_rss]."
    ),
    Key(
      "nights",
      .scalar(.whole(5...365)),
      "The most baseline nights. Default: 28."
    ),
    Key(
      "proof",
      .scalar(.whole(0...10_000)),
      "The most pairs of launches of the comparison that settles a suspicion the same night, at "
        + "least \(TrendReader.fewestPairs); it ends with a verdict, or after ten minutes. 0 for no such "
        + "comparison. Default: 640."
    ),
  ]

  static let bisect: [Key] = [
    Key("max_time", .scalar(.duration), "How long it may take. Default: 1h."),
    Key(
      "jobs",
      .scalar(.whole(1...64)),
      "How many commits are built at the same time, ahead of need. Default: 1."
    ),
  ]

  static let budget: [Key] = [
    Key("target", .scalar(.name), isRequired: true, "The target that is limited."),
    Key(
      "state",
      .scalar(.word(LaunchState.allCases.map(\.rawValue))),
      isRequired: true,
      "The state that is limited."
    ),
    Key(
      "metric",
      .scalar(.word(Metric.allCases.map(\.rawValue))),
      isRequired: true,
      "The metric that is limited."
    ),
    Key(
      "max",
      .scalar(.trend(.limit)),
      isRequired: true,
      "The most that the median may be, in a unit of the metric: a duration such as 60ms, a size "
        + "such as 40MiB, or a count such as 5."
    ),
  ]

  static let notifier: [Key] = [
    Key(
      "command",
      .list(of: .scalar(.text)),
      "A program and its arguments, which gets each finding as JSON on its standard input. A "
        + "program with a slash is relative to the scenario file."
    ),
    Key(
      "webhook",
      .scalar(.trend(.webhook)),
      "The URL of a Slack-compatible webhook. $NAME stands for a variable of the environment, so "
        + "that no secret needs to be in the file."
    ),
    Key("email", .scalar(.trend(.email)), "An address that sendmail sends to."),
    Key(
      "github",
      .scalar(.word(["summary"])),
      "summary: the summary of the job, where the file is that GITHUB_STEP_SUMMARY names."
    ),
  ]
}
