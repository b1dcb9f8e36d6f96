import LaunchCore

/// The keys of the section `controls`.
extension ScenarioKeys {
  static let controlsSection = Form<Controls>.section(controls, of: Controls())
    .refusing(
      "\"priority\" has no effect with `scheduling: fifo`",
      remedy: "keep one of them",
      at: "priority"
    ) { controls, _, _ in controls.plan.scheduling == .fifo }
    .refusing(
      "\"shield\" has no effect without \"cpus\"",
      remedy: "name the processors of the targets with `cpus:`, or remove the key",
      at: "shield"
    ) { controls, value, reading in
      let isReported = value["shield"].map { reading.findings.isReported(at: $0.place) } ?? false
      return controls.plan.isShielded && value["cpus"] == nil && !isReported
    }
    .then { controls, value, reading in controls.checked(in: value, &reading) }

  /// The controls in the order of `ControlName`.
  static let controls: [Field<Controls>] = [
    Field(
      "cpus",
      processors,
      summary:
        "The processors that targets run on, such as [1, 4-7]; launchlab itself keeps off them. "
        + "Default: all."
    ) { $0.plan.cpus = Set($1.joined()).sorted() },
    Field("shield", .toggle, \.plan.isShielded) {
      "Whether everything else is moved off these processors too, where a cpuset can be written. "
        + "Default: on with cpus."
    },
    Field("aslr", .toggle, \.plan.randomizesAddresses) {
      "Whether addresses are randomized. Off gives all launches one layout, which may be fast or "
        + "slow by chance. Default: as on the host."
    },
    Field("env_size", .toggle, \.plan.padsEnvironment) {
      "Whether the environment is padded with a random length before each launch, so that the "
        + "place of the stack favours no program. Default: on."
    },
    Field("priority", prioritySection, \.plan.priority) {
      "The nice value and scheduling policy of targets. Default: launchlab's own."
    },
    Field("scheduling", Form<LabScheduling>.word.map { $0 == .fifo ? $0 : nil }, \.plan.scheduling)
    {
      "fifo runs targets, and what launches and times them, before every other program "
        + "(SCHED_FIFO). Default: normal."
    },
    Field("governor", .name, \.plan.governor) {
      "The cpufreq governor of every processor, such as performance. Default: as found."
    },
    Field("boost", .toggle, \.plan.boost) {
      "Whether processors may exceed their base clock. Default: as found."
    },
    Field("thp", .word, \.plan.hugePages) {
      "When the kernel uses transparent huge pages. Default: as found."
    },
    Field("swap", swap, \.plan.swap) {
      "off (vm.swappiness 0, and swap areas off where memory can take what they hold), or a value "
        + "of vm.swappiness. Default: as found."
    },
    Field("nmi_watchdog", .toggle, \.plan.nmiWatchdog) {
      "Whether the NMI watchdog runs, which takes a performance counter. Default: as found."
    },
    Field("network", .word, \.plan.network) {
      "none gives each launch a network of its own with nothing but loopback. It still reaches the "
        + "host's Unix sockets that have a path. Default: host."
    },
    Field("environment", .word, \.plan.environment) {
      "pinned has only PATH, LANG and TZ, with fixed values, a private HOME, and what `env` adds. "
        + "Default: inherited."
    },
    Field("services", .oneOrMore(unit, each: "the unit"), \.plan.services) {
      "The systemd units to stop during the run; a name without a suffix is a service, and timers "
        + "is every active timer."
    },
    Field("settle", settleSection, \.plan.settle) {
      "What the machine must be like before each launch, which waits for it at most for `within`, "
        + "and is marked unsettled after that. At least one limit. Default: no wait."
    },
    Field("steal", stealSection, \.plan.steal) {
      "What may get in the way of a launch. One that was disturbed more, or slowed down by heat or "
        + "swapping, is repeated; on takes the defaults. Default: off."
    },
    Field(
      "proactive_reclaim",
      Form<String>.words(["off", "report"]).map { $0 == "off" ? false : nil },
      \.plan.proactiveReclaim
    ) {
      "off stops agents that take idle pages out of memory, such as DAMON; report only lists "
        + "them. Default: report."
    },
    Field("require", requirements, \.required) {
      "The controls without which nothing is launched; all means every control in this section. "
        + "Default: a control that is not available is reported, and the run goes on."
    },
    Field(
      "suppress",
      .oneOrMore(finding, each: "the id"),
      summary:
        "The ids of findings of `launchlab doctor` to show beside the name of the run instead of a "
        + "warning."
    ) { $0.plan.suppressed = Set($1) },
  ]

  static let priority: [Field<LaunchPriority>] = [
    Field("nice", .whole(-20...19), \.nice) {
      "From -20, the most favourable, to 19."
    },
    Field("policy", .word, \.policy) {
      "The scheduling policy. fifo and rr run before everything else, and need a level."
    },
    Field("level", .whole(1...99), \.level) {
      "The real-time priority, of fifo and rr only."
    },
  ]

  static let settle: [Field<SettleLimits>] = [
    Field("cpu_idle", .percentage, \.cpuIdle) {
      "The smallest idle share of the processors that the target may use."
    },
    Field("io_pressure", .percentage, \.ioPressure) {
      "The largest share of time in which some task waited for storage."
    },
    Field("load", load, \.load) {
      "The largest one-minute load average."
    },
    Field("temperature", temperature, \.temperature) {
      "The highest temperature of any sensor, in degrees Celsius."
    },
    Field("within", .duration, \.within) {
      "How long a launch waits at most. Default: 30s."
    },
  ]

  static let steal: [Field<DisturbanceLimits>] = [
    Field("stolen", .percentage, \.stolen) {
      "The largest share of a launch that the hypervisor took. Default: 2%."
    },
    Field("foreign", .percentage, \.foreign) {
      "The largest share of a launch in which others used the target's processors. Default: 10%."
    },
    Field("share", .percentage, \.share) {
      "The largest share of disturbed launches: so many are repeated, and a run with more is "
        + "inconclusive. Default: 25%."
    },
  ]
}

// MARK: - Values

extension Form<[String]> {
  /// A list, or the one text that stands for it.
  fileprivate static func oneOrMore(_ element: Form<String>, each noun: String) -> Self {
    choice([element.map { [$0] }, .list(of: element, each: noun)])
  }
}

extension ScenarioKeys {
  private static let highestProcessor = 1023

  private static let processors = Form<[ClosedRange<Int>]>.choice([
    range.map { [$0] },
    .list(of: range) { range, earlier in
      let twice = range.first { processor in earlier.contains { $0.contains(processor) } }
      return twice.map { "the processor \($0)" }
    },
  ])

  /// One processor, or a range of them with both ends.
  private static let range = Form<ClosedRange<Int>>.scalar(
    "a processor from 0 to \(highestProcessor), or a range such as 2-5",
    [
      "anyOf": [
        ["type": "integer", "minimum": 0, "maximum": .number(highestProcessor)],
        .string("^[0-9]{1,4}(-[0-9]{1,4})?$"),
      ]
    ]
  ) { text throws(FormProblem) in
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
      .map { try? Int(written: String($0), in: 0...highestProcessor) }
    guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil
    else {
      throw FormProblem(
        problem:
          "\(quoted(text)) is not a processor from 0 to \(highestProcessor), or a range such as 2-5",
        remedy: "write numbers from 0 to \(highestProcessor), such as 1 or 2-5"
      )
    }
    guard first <= last else {
      throw FormProblem(
        problem: "the range \(quoted(text)) ends before it begins",
        remedy: "write \(last)-\(first)"
      )
    }
    return first...last
  }

  private static let load = Form<Double>.scalar(
    "a load such as 1.5",
    ["type": "number", "minimum": 0],
    else: "{} is not a load average",
    remedy: "write a number such as 1.5"
  ) { text in
    ExactDecimal(written: text).flatMap { $0.whole < 1_000_000 ? $0.value : nil }
  }

  /// Degrees Celsius, with or without a `C`.
  private static let temperature = Form<Double>.scalar(
    "a temperature such as 70C",
    [
      "anyOf": [
        ["type": "number", "minimum": 1, "maximum": 150],
        .string("^\(SchemaValue.number)C$"),
      ]
    ],
    else: "{} is not a temperature from 1 to 150 degrees Celsius",
    remedy: "write degrees Celsius, such as 70C"
  ) { text in
    let digits = text.hasSuffix("C") ? text.dropLast() : text[...]
    return ExactDecimal(written: digits).flatMap { (1...150).contains($0.whole) ? $0.value : nil }
  }

  private static let swap = Form<SwapPolicy>.scalar(
    "off, or a whole number from 0 to 200",
    ["anyOf": [["enum": ["off"]], ["type": "integer", "minimum": 0, "maximum": 200]]],
    else: "{} is not off, or a whole number from 0 to 200",
    remedy: "write off, or a value of vm.swappiness such as 10"
  ) { text in
    if text == "off" { return .off }
    return (try? Int(written: text, in: 0...200)).map { SwapPolicy.swappiness($0) }
  }

  private static let unit = Form<SystemUnit>.scalar(
    "a systemd unit such as cron.service, or timers",
    .string("^[A-Za-z0-9:_\\\\][A-Za-z0-9:._\\\\@-]{0,254}$"),
    SystemUnit.init(written:)
  ).then { unit, value, reading in
    if let objection = unit.objection {
      reading.report(
        "dangerous-service",
        "\(quoted(unit.name)) cannot be stopped during a run: \(objection)",
        at: value.place,
        remedy: "remove it from `services`"
      )
    }
    return unit.name
  }

  /// The id of one of doctor's findings.
  private static let finding = Form<String>.scalar(
    "the id of a finding such as virtual-host",
    .string("^[a-z0-9]+(-[a-z0-9]+)*$"),
    else: "{} is not the id of a finding",
    remedy: "copy an id from the output of `launchlab doctor`"
  ) { text in
    let isKebab = text.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil
    return isKebab && text.utf8.count <= 100 ? text : nil
  }

  /// The controls by name and place; nil stands for all.
  private static let requirements = Form<[Controls.Requirement]>.choice([
    Form<String>.words(["all"] + ControlName.allCases.map(\.rawValue)).then { word, value, _ in
      [Controls.Requirement(name: ControlName(rawValue: word), place: value.place)]
    },
    .list(
      of: Form<ControlName>.word.then { name, value, _ in
        Controls.Requirement(name: name, place: value.place)
      },
      twice: { new, earlier in
        guard earlier.contains(where: { $0.name == new.name }) else { return nil }
        return new.name.map { "the control \(quoted($0.rawValue))" }
      }
    ),
  ])

  // MARK: - Controls that are maps of their own

  private static let prioritySection = Form<LaunchPriority>.section(priority, of: LaunchPriority())
    .refusingEmpty("\"priority\" sets no value")
    .refusing(
      "\"level\" is for the policies fifo and rr",
      remedy: "add `policy: fifo`, or remove the key",
      at: "level"
    ) { priority, _, _ in !priority.isRealTime }
    .refusing(
      "the policy {} lacks the key \"level\"",
      remedy: "add `level:` with a whole number from 1 to 99",
      id: "missing-key",
      at: "policy"
    ) { priority, value, _ in priority.isRealTime && value["level"] == nil }
    .then { priority, value, reading in
      if priority.isRealTime, let nice = value["nice"], let policy = value["policy"] {
        reading.report(
          "contradiction",
          "\"nice\" has no effect with the policy \(policy.phrase)",
          at: nice.place,
          remedy: "remove the key, or the policy"
        )
      }
      return priority
    }

  private static let settleSection = Form<SettleLimits>.section(settle, of: SettleLimits())
    .refusingEmpty("\"settle\" sets no value", besides: "within")

  private static let stealSection = Form<DisturbanceLimits>.choice([
    Form<Bool>.toggle.map { $0 ? DisturbanceLimits() : nil },
    .section(steal, of: DisturbanceLimits()),
  ])
}

extension LaunchPriority {
  fileprivate var isRealTime: Bool { policy == .fifo || policy == .rr }
}

// MARK: - What contradicts itself

/// The controls that are asked for, and which of them must be had.
struct Controls {
  var plan = ControlPlan()
  var required: [Requirement] = []

  struct Requirement {
    /// Nil stands for all that are asked for.
    var name: ControlName?

    var place: Place
  }

  /// The plan with what is required; reports what is not asked for.
  fileprivate func checked(in section: Value, _ reading: inout Reading) -> Self {
    var checked = self
    for requirement in required {
      guard let name = requirement.name else {
        let named = section.entries.compactMap { ControlName(rawValue: $0.key) }
        checked.plan.required = Set(named).intersection(plan.asked)
        continue
      }
      checked.plan.required.insert(name)
      if plan.asked.contains(name) { continue }
      // A control whose value is wrong is told of once.
      if let wish = section[name.rawValue], reading.findings.isReported(at: wish.place) { continue }
      reading.report(
        "contradiction",
        "\"require\" names \(quoted(name.rawValue)), which is not asked for",
        at: requirement.place,
        remedy: "ask for it with `\(name.rawValue):`, or remove it from `require`"
      )
    }
    return checked
  }
}
