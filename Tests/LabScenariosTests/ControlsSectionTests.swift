import Testing

@testable import LaunchCore
@testable import Scenarios

@Suite struct ControlsSectionTests {
  private func plan(_ controls: String) throws(ScenarioError) -> ControlPlan? {
    let text = "scenario: s\ntargets: {a: {command: [a]}}\ncontrols: \(controls)\n"
    return try ScenarioFile.load(text: text, path: "/s.yml").controls
  }

  private func problems(_ controls: String) -> [Diagnostic] {
    do throws(ScenarioError) {
      _ = try plan(controls)
      return []
    } catch {
      return error.diagnostics
    }
  }

  @Test func `reads every key of the section`() throws {
    let plan = try plan(
      """

        cpus: [7, 1, 2-4]
        shield: off
        aslr: off
        env_size: off
        priority: {nice: -5, policy: batch}
        governor: performance
        boost: off
        thp: madvise
        swap: off
        nmi_watchdog: off
        network: none
        environment: pinned
        services: [cron, apt-daily.timer, timers]
        settle: {cpu_idle: 90%, io_pressure: 2.5%, load: 1.5, temperature: 70C, within: 10s}
        steal: {stolen: 1%, foreign: 5%, share: 50%}
        proactive_reclaim: off
        require: [cpus, thp]
        suppress: [vm, no-cpufreq]
      """
    )
    #expect(
      plan
        == ControlPlan(
          cpus: [1, 2, 3, 4, 7],
          isShielded: false,
          randomizesAddresses: false,
          padsEnvironment: false,
          priority: LaunchPriority(nice: -5, policy: .batch),
          governor: "performance",
          boost: false,
          hugePages: .madvise,
          swap: .off,
          nmiWatchdog: false,
          network: .none,
          environment: .pinned,
          services: ["cron.service", "apt-daily.timer", "timers"],
          settle: SettleLimits(
            cpuIdle: 0.9,
            ioPressure: 0.025,
            load: 1.5,
            temperature: 70,
            within: .seconds(10)
          ),
          steal: DisturbanceLimits(stolen: 0.01, foreign: 0.05, share: 0.5),
          proactiveReclaim: false,
          required: [.cpus, .thp],
          suppressed: ["vm", "no-cpufreq"]
        )
    )
  }

  @Test func `leaves the machine as it is unless told otherwise`() throws {
    #expect(try plan("{}") == ControlPlan())
    #expect(
      try plan("{network: host, environment: inherited, proactive_reclaim: report, steal: off}")
        == ControlPlan()
    )
  }

  struct Reading: Sendable, CustomTestStringConvertible {
    var text: String
    var expected: ControlPlan
    var testDescription: String { text }

    init(_ text: String, _ expected: ControlPlan) {
      self.text = text
      self.expected = expected
    }
  }

  @Test(arguments: [
    Reading("{aslr: on}", ControlPlan(randomizesAddresses: true)),
    Reading("{aslr: true}", ControlPlan(randomizesAddresses: true)),
    Reading("{aslr: false}", ControlPlan(randomizesAddresses: false)),
    Reading("{aslr: 'off'}", ControlPlan(randomizesAddresses: false)),
    Reading("{cpus: 1}", ControlPlan(cpus: [1])),
    Reading("{cpus: 0-2}", ControlPlan(cpus: [0, 1, 2])),
    Reading("{cpus: ['3', 1023]}", ControlPlan(cpus: [3, 1023])),
    Reading("{cpus: 0, shield: true}", ControlPlan(cpus: [0])),
    Reading("{swap: 0}", ControlPlan(swap: .swappiness(0))),
    Reading("{swap: 200}", ControlPlan(swap: .swappiness(200))),
    Reading("{priority: {nice: 19}}", ControlPlan(priority: LaunchPriority(nice: 19))),
    Reading(
      "{priority: {policy: rr, level: 99}}",
      ControlPlan(priority: LaunchPriority(policy: .rr, level: 99))
    ),
    Reading("{scheduling: fifo}", ControlPlan(scheduling: .fifo)),
    Reading(
      "{scheduling: normal, priority: {nice: 1}}",
      ControlPlan(priority: LaunchPriority(nice: 1))
    ),
    Reading(
      "{scheduling: fifo, env_size: off, require: all}",
      ControlPlan(padsEnvironment: false, scheduling: .fifo, required: [.scheduling])
    ),
    Reading("{services: timers}", ControlPlan(services: ["timers"])),
    Reading("{services: ssh-agent@x.service}", ControlPlan(services: ["ssh-agent@x.service"])),
    Reading("{services: [php8.2-fpm]}", ControlPlan(services: ["php8.2-fpm.service"])),
    Reading("{services: [launchlab.timer]}", ControlPlan(services: ["launchlab.timer"])),
    Reading("{settle: {temperature: 70.5}}", ControlPlan(settle: SettleLimits(temperature: 70.5))),
    Reading("{settle: {load: 2}}", ControlPlan(settle: SettleLimits(load: 2))),
    Reading("{steal: on}", ControlPlan(steal: DisturbanceLimits())),
    Reading("{steal: {share: 0%}}", ControlPlan(steal: DisturbanceLimits(share: 0))),
    Reading("{suppress: vm}", ControlPlan(suppressed: ["vm"])),
    Reading(
      "{thp: never, network: host, steal: off, require: all}",
      ControlPlan(hugePages: .never, required: [.thp])
    ),
    Reading(
      "{cpus: 1, require: [cpus, shield, env_size]}",
      ControlPlan(cpus: [1], required: [.cpus, .shield, .environmentSize])
    ),
  ])
  func `reads a control`(reading: Reading) throws {
    #expect(try plan(reading.text) == reading.expected)
  }

  struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    var column: Int
    var problem: String
    var remedy: String
    var testDescription: String { text }

    init(_ text: String, _ column: Int, _ problem: String, _ remedy: String) {
      self.text = text
      self.column = column
      self.problem = problem
      self.remedy = remedy
    }
  }

  @Test(arguments: numbers + words + lists + contradictions)
  func `tells a mistake with place and remedy`(mistake: Mistake) throws {
    let found = problems(mistake.text)
    let only = try #require(found.first)
    #expect(found.count == 1)
    #expect(only.problem == mistake.problem)
    #expect(only.remedy == mistake.remedy)
    #expect(only.place == "/s.yml:3:\(10 + mistake.column)")
  }

  @Test(arguments: [
    ("dbus", "services talk to each other through it"),
    ("dbus-org.freedesktop.login1", "it is a part of systemd"),
    ("systemd-journald.socket", "every service logs through it"),
    ("ssh.socket", "it may be the only way into this host"),
    ("sshd@1", "it may be the only way into this host"),
    ("networking", "it may cut this host off the network"),
    ("systemd-udevd", "devices depend on it"),
    ("getty@tty1", "it would end the sessions of users"),
    ("gdm", "it would end the sessions of users"),
    ("nftables", "this host would be open to the network"),
    ("iscsid", "file systems may depend on it"),
    ("launchlab", "it is launchlab itself"),
    ("multi-user.target", "a target holds more than one service"),
    ("system.slice", "a slice holds more than one service"),
  ])
  func `does not stop what the host needs`(unit: String, reason: String) {
    let name = unit.contains(".") && !unit.hasSuffix("login1") ? unit : "\(unit).service"
    let found = problems("{services: [\(unit)]}")
    #expect(found.map(\.id) == ["dangerous-service"])
    #expect(
      found.map(\.problem) == ["\"\(name)\" cannot be stopped during a run: \(reason)"]
    )
    #expect(found.map(\.remedy) == ["remove it from `services`"])
  }

  @Test func `tells of a wrong value once, required or not`() {
    let found = problems("{thp: sometimes, swap: 201, require: [thp, swap]}")
    #expect(
      found.map(\.problem) == [
        "invalid value \"sometimes\"",
        "\"201\" is not off, or a whole number from 0 to 200",
      ]
    )
  }
}
