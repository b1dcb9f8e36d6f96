import LabModel

/// The keys of the section `controls`.
extension ScenarioKeys {
  /// In the order of ``ControlName``, then what is said of them all.
  static let controls: [Key] = [
    Key(
      "cpus",
      .choice([.scalar(.control(.processors)), .list(of: .scalar(.control(.processors)))]),
      "The processors that targets run on, by numbers and ranges such as [1, 4-7]; launchlab "
        + "itself keeps off them. Default: all."
    ),
    Key(
      "shield",
      .scalar(.control(.toggle)),
      "Whether everything else is moved off these processors too, where a cpuset can be written. "
        + "Default: on with cpus."
    ),
    Key(
      "aslr",
      .scalar(.control(.toggle)),
      "Whether addresses are randomized. Off makes launches alike, but all of them with one layout, "
        + "which may be a lucky one. Default: as on the host."
    ),
    Key(
      "env_size",
      .scalar(.control(.toggle)),
      "Whether the environment is padded with a random length before each launch, so that no "
        + "program is favoured by where its stack begins. Default: on."
    ),
    Key(
      "priority",
      .map(priority),
      "The nice value and scheduling policy of targets. Default: launchlab's own."
    ),
    Key(
      "scheduling",
      .scalar(.word(LabScheduling.allCases.map(\.rawValue))),
      "fifo runs targets, and what launches and times them, before every other program (SCHED_FIFO), "
        + "so that other work on the machine does not slow launches down; normal runs them like any "
        + "program. Default: normal."
    ),
    Key(
      "governor",
      .scalar(.name),
      "The cpufreq governor of every processor, such as performance. Default: as found."
    ),
    Key(
      "boost",
      .scalar(.control(.toggle)),
      "Whether processors may exceed their base clock. Default: as found."
    ),
    Key(
      "thp",
      .scalar(.word(HugePages.allCases.map(\.rawValue))),
      "When the kernel uses transparent huge pages. Default: as found."
    ),
    Key(
      "swap",
      .scalar(.control(.swap)),
      "off (vm.swappiness 0, and swap areas off where memory can take what they hold), or a value "
        + "of vm.swappiness. Default: as found."
    ),
    Key(
      "nmi_watchdog",
      .scalar(.control(.toggle)),
      "Whether the NMI watchdog runs, which takes a performance counter. Default: as found."
    ),
    Key(
      "network",
      .scalar(.word(TargetNetwork.allCases.map(\.rawValue))),
      "host, or none: each launch sees a network of its own with nothing but loopback. It does "
        + "not reach the host's servers, but still its Unix sockets that have a path. Default: "
        + "host."
    ),
    Key(
      "environment",
      .scalar(.word(TargetEnvironment.allCases.map(\.rawValue))),
      "inherited (launchlab's own), or pinned: only PATH, HOME, LANG and TZ, with fixed values, a "
        + "private HOME, and what `env` adds. Default: inherited."
    ),
    Key(
      "services",
      .choice([.scalar(.control(.unit)), .list(of: .scalar(.control(.unit)))]),
      "The systemd units to stop during the run, such as [cron.service]; a name without a suffix "
        + "is a service, and timers stands for every active timer."
    ),
    Key(
      "settle",
      .map(settle),
      "What the machine must be like before each launch. A launch waits until it is, at most "
        + "for `within`, and is then made anyway and marked unsettled. At least one limit. "
        + "Default: nothing is waited for."
    ),
    Key(
      "steal",
      .choice([.scalar(.control(.toggle)), .map(steal)]),
      "What may get in the way of a launch. A launch that was disturbed more, or slowed down by "
        + "heat or swapping, is marked and repeated; on takes the defaults of the keys below. "
        + "Default: off."
    ),
    Key(
      "proactive_reclaim",
      .scalar(.word(["off", "report"])),
      "off stops agents that take idle pages out of memory, such as DAMON; report only tells of "
        + "them. Default: report."
    ),
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
