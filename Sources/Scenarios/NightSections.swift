import Foundation
import LaunchCore

/// The keys of how many launches are enough, and of what is concluded from many nights.
extension ScenarioKeys {
  static let defaultMost = 200

  /// An interval needs this many values.
  static let adaptiveRange = 5...1_000_000

  /// A proof of fewer pairs of launches could hardly settle anything.
  static let fewestPairs = 10

  static let adaptive: [Field<LaunchRange>] = [
    Field("min", .whole(adaptiveRange), \.fewest) {
      "The fewest launches. Default: \(defaultLaunches), or `max` where that is less."
    },
    Field("max", .whole(adaptiveRange), \.most) {
      "The most launches. Default: \(defaultMost), or `min` where that is more."
    },
    Field("precision", .share(0.1...50), \.precision) {
      "The half-width of the interval of every median launch that is enough, as a share of that "
        + "median. Looks are after `min` launches, then each time after about 1.4 times as many. "
        + "Default: 1%."
    },
  ]

  static let baseline: [Field<Baseline>] = [
    Field("empty", .boolean, \.isEmpty) {
      "Whether an empty program is launched too, as the floor. Default: false."
    },
    Field("control", controlTarget, \.control) {
      "A program that does not change, launched too: if it is slower like the others, the machine "
        + "is. A command that is never from the built tree, or a revision of the source."
    },
  ]

  static let control: [Field<ControlRevision>] = [
    Field("revision", revision, \.revision, isRequired: true) {
      "The revision of the source that is built and launched, such as v1.0."
    },
    Field("target", targetName, \.target) {
      "The target that is launched as this revision builds it. Default: the only one."
    },
  ]

  static let regression: [Field<RegressionRule>] = [
    Field("effect", .share(0.1...100), \.effect) {
      "The smallest difference that matters, as a share of the value before. Default: 2%."
    },
    Field("confidence", .share(50...99.9), \.confidence) {
      "How sure the verdict of a comparison must be. Default: 95%."
    },
    Field(
      "tail",
      .tail,
      summary:
        "How many more launches may be slow for `compare` to call two builds the same; off judges only the "
        + "typical launch. Default: 10%."
    ) { $0.tail = $1 > 0 ? $1 : nil },
    Field("floor", .duration, \.floor) {
      "The smallest difference of a time that matters, whatever its share. Default: 0ms."
    },
    Field("metrics", .list(of: .judged, each: "the metric"), \.metrics) {
      "What is judged each night. slow_share is the share of slow launches. Default: [launch, peak_rss, slow_share]."
    },
    Field("nights", .whole(5...365), \.nights) {
      "The most baseline nights. Default: 28."
    },
    Field("proof", proof, \.proofLaunches) {
      "The most pairs, at least \(fewestPairs), of the comparison that settles a suspicion the "
        + "same night; it ends with a verdict, or after ten minutes. 0: none. Default: 640."
    },
    Field("hosts", .whole(0...4), \.proofHosts) {
      "On how many hosts a fleet settles a suspicion at most, with the pairs of `proof` divided "
        + "among them. 0: each host for itself. Default: 0."
    },
  ]

  static let bisect: [Field<AutomaticBisection>] = [
    Field("max_time", .duration, \.time) {
      "How long it may take. Default: 1h."
    },
    Field("jobs", .whole(1...64), \.jobs) {
      "Commits built at the same time, ahead of need. Default: 1."
    },
  ]

  static let explain: [Field<AutomaticExplanation>] = [
    Field("when", .word, \.when) {
      "bisect: the culprit of a bisection; regression: also what a night confirms, against the "
        + "last good build. Default: bisect."
    },
    Field("time", .duration, \.time) {
      "How long the launches of all regressions of a night may take. Default: 60s."
    },
  ]

  static let notifier: [Field<Notifier?>] = [
    Field("command", command.map { Notifier.command($0) }) {
      "A program and its arguments, which gets each finding as JSON on its standard input. With a "
        + "slash it is relative to the scenario file."
    },
    Field("webhook", webhook) {
      "The URL of a Slack-compatible webhook, or the variable of the environment that has it."
    },
    Field("email", email) {
      "An address that sendmail sends to."
    },
    Field("github", Form<String>.words(["summary"]).map { _ in .githubSummary }) {
      "summary: the summary of the job, in the file that GITHUB_STEP_SUMMARY names."
    },
  ]
}

// MARK: - How many launches

/// The fewest and the most launches that are given.
struct LaunchRange {
  var fewest: Int?
  var most: Int?
  var precision = 0.01
}

extension ScenarioKeys {
  static let launches = Form<(fewest: Int, adaptive: AdaptiveLaunches?)>.choice([
    Form<Int>.whole(launchRange).map { ($0, nil) },
    Form<LaunchRange>.section(adaptive, of: LaunchRange()).then { given, value, reading in
      let fewest = given.fewest ?? min(defaultLaunches, given.most ?? defaultLaunches)
      let most = given.most ?? max(defaultMost, fewest)
      if fewest > most, let place = value["max"]?.place {
        reading.report(
          "contradiction",
          "the most launches, \(most), are fewer than the fewest, \(fewest)",
          at: place,
          remedy: "raise `max`, or lower `min`"
        )
      }
      return (fewest, AdaptiveLaunches(most: max(fewest, most), precision: given.precision))
    },
  ])

  private static let proof = Form<Int>.whole(0...10_000).then { pairs, value, reading in
    if (1..<fewestPairs).contains(pairs) {
      reading.report(
        "invalid-value",
        "a proof of \(pairs) pairs of launches can settle nothing",
        at: value.place,
        remedy: "allow at least \(fewestPairs), or write 0 for no proof"
      )
    }
    return pairs
  }
}

// MARK: - The baseline

/// What is launched for comparison.
struct Baseline {
  var isEmpty = false
  var control: ControlTarget?
}

/// The control where it is a revision, and which target it is.
struct ControlRevision {
  var revision: String?
  var target: String?
}

extension ScenarioKeys {
  private static let controlTarget = Form<ControlTarget>.choice([
    command.map { ControlTarget.command($0) },
    Form<ControlRevision>.section(control, of: ControlRevision())
      .refusing(
        "the control is a revision, and the scenario has no source",
        remedy: "add the section `source`, or give a command as the control",
        at: "revision"
      ) { control, _, reading in control.revision != nil && reading.source == nil }
      .then { control, value, reading in
        guard let revision = control.revision else { return nil }
        if value["target"] == nil, reading.targets.count != 1 {
          reading.report(
            "missing-key",
            "the control does not say which of the \(reading.targets.count) targets it is",
            at: value.place,
            remedy: "add `target:` with the name of a target"
          )
        }
        return (control.target ?? reading.targets.first).map { .revision(revision, target: $0) }
      },
  ])

  /// The program and its arguments; a path is relative to the scenario file.
  private static let command = Form<[String]>.list(of: .text).then {
    command,
    value,
    reading -> [String]? in
    guard let first = value.elements.first, !first.isNull, let program = first.text else {
      return nil
    }
    guard !program.isEmpty, !program.hasPrefix("~") else {
      reading.report(
        "invalid-value",
        "the program \(quoted(program)) is neither a path nor a name",
        at: first.place,
        remedy: "write the path out, because a tilde is not expanded"
      )
      return nil
    }
    return [program.contains("/") ? reading.absolute(program) : program] + command.dropFirst()
  }

  private static let revision = Form<String>.scalar(
    "a git revision such as v1.0",
    ["type": ["string", "number"], "pattern": "^[^-\\s]\\S*$"],
    else: "{} is not a git revision",
    remedy: "write a tag, a branch or a commit, such as v1.0"
  ) { text in
    let isClean = text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    return isClean && !text.isEmpty && !text.hasPrefix("-") ? text : nil
  }

  /// The name of a target that there is.
  static let targetName = Form<String>.name.then { name, value, reading in
    if !reading.targets.contains(name), !reading.findings.isReported(at: value.place) {
      reading.report(
        "unknown-target",
        "there is no target \(quoted(name))",
        at: value.place,
        remedy: reading.targets.isEmpty
          ? "add it to `targets`" : spellingRemedy(for: name, among: reading.targets)
      )
    }
    return name
  }
}

// MARK: - Nights

extension ScenarioKeys {
  static let bisection = Form<AutomaticBisection>.choice([
    Form<String>.words(["auto", "off"]).map { $0 == "off" ? nil : AutomaticBisection() },
    .section(bisect, of: AutomaticBisection()),
  ])
  .refusing(
    "regressions are to be bisected, and the scenario has no source",
    remedy: "add the section `source`, or write `bisect: off`",
    at: nil
  ) { _, _, reading in reading.source == nil }

  static let explanation = Form<AutomaticExplanation>.choice([
    Form<AutomaticExplanation.When>.word.map { AutomaticExplanation(when: $0) },
    .section(explain, of: AutomaticExplanation()),
  ])

  static let releases = Form<[(entry: Value.Entry, value: String)]>.named(.name, anchor)
    .map { $0.map { Release(name: $0.entry.key, anchor: $0.value) } }

  private static let anchor = Form<String>.scalar(
    "a date such as 2026-10-01, the id of a run, or the first digits of a commit",
    [
      "type": ["string", "number"],
      "pattern":
        "^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}([0-9a-f]{12})?|[0-9a-f]{4,64})$",
    ]
  ) { text throws(FormProblem) in
    let isRun = text.wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}([0-9a-f]{12})?/) != nil
    let isCommit = text.wholeMatch(of: /[0-9a-f]{4,64}/) != nil
    guard !isRun, !isCommit else { return text }
    guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else {
      throw FormProblem(
        problem: "\(quoted(text)) is neither a date nor the id of a run nor a commit",
        remedy: "write a date such as 2026-10-01, or copy an id from `launchlab history`"
      )
    }
    guard ImportedTime.day(text) != nil else {
      throw FormProblem(
        problem: "there is no day \(quoted(text))",
        remedy: "write year, month and day, such as 2026-10-01"
      )
    }
    return text
  }

  static let notifiers = Form<[Notifier]>.list(of: .oneOf(notifier)) { notifier, earlier in
    earlier.contains(notifier) ? "the notifier" : nil
  }

  /// A URL, in which `$NAME` stands for a variable of the environment.
  private static let webhook = Form<Notifier>.scalar(
    "a URL such as https://example.org/hook, or a variable such as $WEBHOOK",
    .string("^([hH][tT][tT][pP][sS]?://|\\$)[!-~]+$"),
    else: "{} is neither a URL nor a variable",
    remedy: "write a URL that begins with https://, or a variable such as $WEBHOOK"
  ) { text in
    let isClean = text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && text.utf8.count <= 2_048
    let dollars = text.count { $0 == "$" }
    let variables = text.matches(of: /\$[A-Za-z_][A-Za-z0-9_]*/).count
    let isVariable = text.wholeMatch(of: /\$[A-Za-z_][A-Za-z0-9_]*/) != nil
    let isURL = text.wholeMatch(of: /(?i)https?:\/\/[^\/?#]+.*/) != nil
    return isClean && dollars == variables && (isVariable || isURL) ? .webhook(text) : nil
  }

  private static let email = Form<Notifier>.scalar(
    "an address such as dev@example.org",
    .string("^[!-?A-~]+@[!-?A-~]+$"),
    else: "{} is not an address",
    remedy: "write one address such as dev@example.org"
  ) { text in
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let isClean = text.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && !",;:<>()[]\\\"".utf8.contains(byte)
    }
    guard isClean, parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !text.hasPrefix("-"),
      text.utf8.count <= 254
    else { return nil }
    return .email(text)
  }
}
