import LabModel

/// A control of a scenario: its key, what is said of it, and how its value becomes a part of a plan.
struct ControlKey: Sendable {
  typealias Read = @Sendable (inout ControlsReader, Value, inout ControlPlan) -> Void

  let key: Key
  let read: Read

  init(_ name: String, _ shape: Shape, _ summary: String, read: @escaping Read) {
    key = Key(name, shape, summary)
    self.read = read
  }

  /// In the order of `ControlName`.
  static let all: [Self] = [
    ControlKey(
      "cpus",
      .choice([.scalar(.control(.processors)), .list(of: .scalar(.control(.processors)))]),
      "The processors that targets run on, by numbers and ranges such as [1, 4-7]; launchlab "
        + "itself keeps off them. Default: all."
    ) { $2.cpus = $0.processors(from: $1) },
    ControlKey(
      "shield",
      .scalar(.control(.toggle)),
      "Whether everything else is moved off these processors too, where a cpuset can be written. "
        + "Default: on with cpus."
    ) { $2.isShielded = $0.toggle($1) ?? true },
    ControlKey(
      "aslr",
      .scalar(.control(.toggle)),
      "Whether addresses are randomized. Off makes launches alike, but all of them with one layout, "
        + "which may be a lucky one. Default: as on the host."
    ) { $2.randomizesAddresses = $0.toggle($1) },
    ControlKey(
      "env_size",
      .scalar(.control(.toggle)),
      "Whether the environment is padded with a random length before each launch, so that no "
        + "program is favoured by where its stack begins. Default: on."
    ) { $2.padsEnvironment = $0.toggle($1) ?? true },
    ControlKey(
      "priority",
      .map(ScenarioKeys.priority),
      "The nice value and scheduling policy of targets. Default: launchlab's own."
    ) { $2.priority = $0.priority(from: $1) },
    ControlKey(
      "scheduling",
      .scalar(.word(LabScheduling.allCases.map(\.rawValue))),
      "fifo runs targets, and what launches and times them, before every other program (SCHED_FIFO), "
        + "so that other work on the machine does not slow launches down; normal runs them like any "
        + "program. Default: normal."
    ) { $2.scheduling = $0.word($1) == LabScheduling.fifo ? .fifo : nil },
    ControlKey(
      "governor",
      .scalar(.name),
      "The cpufreq governor of every processor, such as performance. Default: as found."
    ) { $2.governor = $1.text },
    ControlKey(
      "boost",
      .scalar(.control(.toggle)),
      "Whether processors may exceed their base clock. Default: as found."
    ) { $2.boost = $0.toggle($1) },
    ControlKey(
      "thp",
      .scalar(.word(HugePages.allCases.map(\.rawValue))),
      "When the kernel uses transparent huge pages. Default: as found."
    ) { $2.hugePages = $0.word($1) },
    ControlKey(
      "swap",
      .scalar(.control(.swap)),
      "off (vm.swappiness 0, and swap areas off where memory can take what they hold), or a value "
        + "of vm.swappiness. Default: as found."
    ) { $2.swap = $1.text.flatMap { try? ControlForm.swap($0) } },
    ControlKey(
      "nmi_watchdog",
      .scalar(.control(.toggle)),
      "Whether the NMI watchdog runs, which takes a performance counter. Default: as found."
    ) { $2.nmiWatchdog = $0.toggle($1) },
    ControlKey(
      "network",
      .scalar(.word(TargetNetwork.allCases.map(\.rawValue))),
      "host, or none: each launch sees a network of its own with nothing but loopback. It does "
        + "not reach the host's servers, but still its Unix sockets that have a path. Default: "
        + "host."
    ) { $2.network = $0.word($1) ?? .host },
    ControlKey(
      "environment",
      .scalar(.word(TargetEnvironment.allCases.map(\.rawValue))),
      "inherited (launchlab's own), or pinned: only PATH, HOME, LANG and TZ, with fixed values, a "
        + "private HOME, and what `env` adds. Default: inherited."
    ) { $2.environment = $0.word($1) ?? .inherited },
    ControlKey(
      "services",
      .choice([.scalar(.control(.unit)), .list(of: .scalar(.control(.unit)))]),
      "The systemd units to stop during the run, such as [cron.service]; a name without a suffix "
        + "is a service, and timers stands for every active timer."
    ) { $2.services = $0.services(from: $1) },
    ControlKey(
      "settle",
      .map(ScenarioKeys.settle),
      "What the machine must be like before each launch. A launch waits until it is, at most "
        + "for `within`, and is then made anyway and marked unsettled. At least one limit. "
        + "Default: nothing is waited for."
    ) { $2.settle = $0.settle(from: $1) },
    ControlKey(
      "steal",
      .choice([.scalar(.control(.toggle)), .map(ScenarioKeys.steal)]),
      "What may get in the way of a launch. A launch that was disturbed more, or slowed down by "
        + "heat or swapping, is marked and repeated; on takes the defaults of the keys below. "
        + "Default: off."
    ) { $2.steal = $0.steal(from: $1) },
    ControlKey(
      "proactive_reclaim",
      .scalar(.word(["off", "report"])),
      "off stops agents that take idle pages out of memory, such as DAMON; report only tells of "
        + "them. Default: report."
    ) { $2.proactiveReclaim = $1.text == "off" ? false : nil },
  ]
}

/// The keys of the section `controls`.
extension ScenarioKeys {
  static let controls: [Key] =
    ControlKey.all.map(\.key) + [
      Key(
        "require",
        .choice([.scalar(.word(["all"] + controlNames)), .list(of: .scalar(.word(controlNames)))]),
        "The controls that must take effect, or nothing is launched; all means every one that the section asks "
          + "for. Default: a control that is not available is reported, and the run goes on."
      ),
      Key(
        "suppress",
        .choice([.scalar(.control(.finding)), .list(of: .scalar(.control(.finding)))]),
        "The ids of findings of `launchlab doctor` that are not warned about; they are shown "
          + "beside the name of the run instead."
      ),
    ]

  static let priority: [Key] = [
    Key("nice", .scalar(.whole(-20...19)), "From -20, the most favourable, to 19."),
    Key(
      "policy",
      .scalar(.word(LaunchPriority.Policy.allCases.map(\.rawValue))),
      "The scheduling policy. fifo and rr run before everything else, and need a level."
    ),
    Key("level", .scalar(.whole(1...99)), "The real-time priority, of fifo and rr only."),
  ]

  static let settle: [Key] = [
    Key(
      "cpu_idle",
      .scalar(.percentage),
      "The smallest idle share of the processors that the target may use."
    ),
    Key(
      "io_pressure",
      .scalar(.percentage),
      "The largest share of time in which some task waited for storage."
    ),
    Key("load", .scalar(.control(.load)), "The largest one-minute load average."),
    Key(
      "temperature",
      .scalar(.control(.temperature)),
      "The highest temperature of any sensor, in degrees Celsius."
    ),
    Key("within", .scalar(.duration), "How long a launch waits at most. Default: 30s."),
  ]

  static let steal: [Key] = [
    Key(
      "stolen",
      .scalar(.percentage),
      "The largest share of a launch that the hypervisor took. Default: 2%."
    ),
    Key(
      "foreign",
      .scalar(.percentage),
      "The largest share of a launch in which others used the target's processors. Default: 10%."
    ),
    Key(
      "share",
      .scalar(.percentage),
      "The largest share of disturbed launches: so many are repeated, and a run with more is "
        + "inconclusive. Default: 25%."
    ),
  ]

  static let controlNames = ControlName.allCases.map(\.rawValue)
}
