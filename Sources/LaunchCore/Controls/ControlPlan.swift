/// The controls that a scenario asks for; nil and empty mean that the machine is left as it is.
package struct ControlPlan: Hashable, Codable, Sendable {
  /// The processors that targets run on, ascending and each once; nil means all.
  package var cpus: [Int]?

  /// Whether everything else is kept off `cpus`, where that can be done.
  package var isShielded: Bool

  /// Whether addresses are randomized; nil means as on the host.
  package var randomizesAddresses: Bool?

  /// Whether the environment is padded at random before each launch.
  package var padsEnvironment: Bool

  package var priority: LaunchPriority?

  /// How the kernel schedules launches against everything else; nil means as it does others.
  package var scheduling: LabScheduling?

  /// The cpufreq governor of every processor.
  package var governor: String?

  /// Whether processors may exceed their base clock.
  package var boost: Bool?

  package var hugePages: HugePages?

  package var swap: SwapPolicy?

  package var nmiWatchdog: Bool?

  package var network: TargetNetwork

  package var environment: TargetEnvironment

  /// The systemd units that are stopped during the run; `timers` stands for every active timer.
  package var services: [String]

  /// What the machine must be like before each launch; nil means that nothing is waited for.
  package var settle: SettleLimits?

  /// What may get in the way of a launch; nil means that nothing is watched.
  package var steal: DisturbanceLimits?

  /// False switches agents off that reclaim idle pages; nil means that they are only reported.
  package var proactiveReclaim: Bool?

  /// The controls whose refusal ends the run before its first launch.
  package var required: Set<ControlName>

  /// The ids of doctor's findings that are not warned of, and are shown beside the run's name
  /// instead.
  package var suppressed: Set<String>

  package init(
    cpus: [Int]? = nil,
    isShielded: Bool = true,
    randomizesAddresses: Bool? = nil,
    padsEnvironment: Bool = true,
    priority: LaunchPriority? = nil,
    scheduling: LabScheduling? = nil,
    governor: String? = nil,
    boost: Bool? = nil,
    hugePages: HugePages? = nil,
    swap: SwapPolicy? = nil,
    nmiWatchdog: Bool? = nil,
    network: TargetNetwork = .host,
    environment: TargetEnvironment = .inherited,
    services: [String] = [],
    settle: SettleLimits? = nil,
    steal: DisturbanceLimits? = nil,
    proactiveReclaim: Bool? = nil,
    required: Set<ControlName> = [],
    suppressed: Set<String> = []
  ) {
    self.cpus = cpus
    self.isShielded = isShielded
    self.randomizesAddresses = randomizesAddresses
    self.padsEnvironment = padsEnvironment
    self.priority = priority
    self.scheduling = scheduling
    self.governor = governor
    self.boost = boost
    self.hugePages = hugePages
    self.swap = swap
    self.nmiWatchdog = nmiWatchdog
    self.network = network
    self.environment = environment
    self.services = services
    self.settle = settle
    self.steal = steal
    self.proactiveReclaim = proactiveReclaim
    self.required = required
    self.suppressed = suppressed
  }
}

extension ControlPlan {
  /// What is asked of a control as a scenario would write it, `…` for what takes several words.
  ///
  /// - Returns: Nil when the control is left alone.
  package func setting(of name: ControlName) -> String? {
    func toggle(_ isOn: Bool?) -> String? { isOn.map { $0 ? "on" : "off" } }
    return switch name {
    case .cpus: cpus.map { _ in "…" }
    case .shield: cpus != nil && isShielded ? "on" : nil
    case .aslr: toggle(randomizesAddresses)
    case .environmentSize: padsEnvironment ? "on" : nil
    case .priority: priority.map { _ in "…" }
    case .scheduling: scheduling?.rawValue
    case .governor: governor
    case .boost: toggle(boost)
    case .thp: hugePages?.rawValue
    case .swap: swap.map { _ in "…" }
    case .nmiWatchdog: toggle(nmiWatchdog)
    case .network: network == .host ? nil : network.rawValue
    case .environment: environment == .inherited ? nil : environment.rawValue
    case .services: services.isEmpty ? nil : "…"
    case .settle: settle.map { _ in "…" }
    case .steal: steal.map { _ in "…" }
    case .proactiveReclaim: toggle(proactiveReclaim)
    }
  }

  /// The same where something is counted: padding averages out over many times, but only adds to a count.
  package var withoutPadding: Self {
    var controls = self
    controls.padsEnvironment = false
    return controls
  }

  /// The same where a count must not differ from launch to launch: random addresses add to it, too.
  package var countingExactly: Self {
    var controls = withoutPadding
    controls.randomizesAddresses = false
    return controls
  }

  /// The controls that are asked for anything but to be left alone.
  package var asked: Set<ControlName> {
    Set(ControlName.allCases.filter { setting(of: $0) != nil })
  }
}

/// The nice value and the scheduling policy of targets.
package struct LaunchPriority: Hashable, Codable, Sendable {
  /// From -20, the most favourable, to 19; nil means as launchlab's own.
  package var nice: Int?

  package var policy: Policy?

  /// From 1 to 99, of `fifo` and `rr` only.
  package var level: Int?

  package init(nice: Int? = nil, policy: Policy? = nil, level: Int? = nil) {
    self.nice = nice
    self.policy = policy
    self.level = level
  }

  /// The policies of sched(7).
  package enum Policy: String, Codable, CaseIterable, Sendable {
    case other
    case batch
    case fifo
    case rr
  }
}

/// How the kernel schedules the targets, and what launches and times them.
package enum LabScheduling: String, Codable, CaseIterable, Sendable {
  /// As every other program.
  case normal

  /// Before every other program, by the real-time policy SCHED_FIFO.
  case fifo
}

/// When the kernel uses transparent huge pages, as in `transparent_hugepage/enabled`.
package enum HugePages: String, Codable, CaseIterable, Sendable {
  case always
  case madvise
  case never
}

/// What is done about swapping.
package enum SwapPolicy: Hashable, Codable, Sendable {
  /// `vm.swappiness` is 0, and swap areas are switched off where memory can take what they hold.
  case off

  /// `vm.swappiness` has this value, from 0 to 200.
  case swappiness(Int)
}

/// The network that targets see.
package enum TargetNetwork: String, Codable, CaseIterable, Sendable {
  case host

  /// A fresh network namespace per launch, with only loopback.
  case none
}

/// The environment that targets start from, before the variables of the scenario.
package enum TargetEnvironment: String, Codable, CaseIterable, Sendable {
  /// That of launchlab.
  case inherited

  /// PATH, HOME, LANG and TZ with fixed values, and a private HOME.
  case pinned
}

/// A control: something of the machine that a run holds still, or watches.
///
/// The raw value is the name used in scenarios, JSON, the store and reports.
package enum ControlName: String, Codable, CaseIterable, Sendable {
  case cpus
  case shield
  case aslr
  case environmentSize = "env_size"
  case priority
  case scheduling
  case governor
  case boost
  case thp
  case swap
  case nmiWatchdog = "nmi_watchdog"
  case network
  case environment
  case services
  case settle
  case steal
  case proactiveReclaim = "proactive_reclaim"
}

/// What the machine must be like before a launch; a nil limit is not looked at.
package struct SettleLimits: Hashable, Codable, Sendable {
  /// The smallest idle share of the processors that the target may use, from 0 to 1.
  package var cpuIdle: Double?

  /// The largest share of time in which some task waited for storage, from 0 to 1.
  package var ioPressure: Double?

  /// The largest one-minute load average.
  package var load: Double?

  /// The highest temperature of any sensor, in degrees Celsius.
  package var temperature: Double?

  /// How long a launch is put off at most.
  package var within: Nanoseconds

  package init(
    cpuIdle: Double? = nil,
    ioPressure: Double? = nil,
    load: Double? = nil,
    temperature: Double? = nil,
    within: Nanoseconds = .seconds(30)
  ) {
    self.cpuIdle = cpuIdle
    self.ioPressure = ioPressure
    self.load = load
    self.temperature = temperature
    self.within = within
  }
}

/// How a launch waited for the machine to settle.
package struct Settling: Hashable, Codable, Sendable {
  package var waited: Nanoseconds

  /// What was still beyond its limit when the launch was made all the same, such as
  /// `cpu idle 12 % (limit 90 %)`; nil when the machine had settled.
  package var obstacle: String?

  package init(waited: Nanoseconds, obstacle: String? = nil) {
    self.waited = waited
    self.obstacle = obstacle
  }
}
