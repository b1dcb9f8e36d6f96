/// Mistakes in the section `controls`; columns are those of the section, from 1.
extension ControlsSectionTests {
  static let numbers = [
    Mistake("{cpus: [1024]}", 9, "\"1024\" is not \(processors)", processorsRemedy),
    Mistake("{cpus: [-1]}", 9, "\"-1\" is not \(processors)", processorsRemedy),
    Mistake("{cpus: [1-2-3]}", 9, "\"1-2-3\" is not \(processors)", processorsRemedy),
    Mistake("{cpus: [all]}", 9, "\"all\" is not \(processors)", processorsRemedy),
    Mistake("{cpus: [5-2]}", 9, "the range \"5-2\" ends before it begins", "write 2-5"),
    Mistake("{cpus: [1, 1]}", 12, "the processor 1 is given twice", "keep one of them"),
    Mistake("{cpus: [2-5, 0-3]}", 14, "the processor 2 is given twice", "keep one of them"),
    Mistake(
      "{cpus: []}",
      8,
      "\"cpus\" is an empty list",
      "give at least one element, or remove the key"
    ),
    Mistake(
      "{priority: {nice: -21}}",
      19,
      "\"-21\" is not a whole number from -20 to 19",
      "choose a number in that range"
    ),
    Mistake(
      "{priority: {nice: low}}",
      19,
      "\"low\" is not a whole number from -20 to 19",
      "write decimal digits only, such as 19"
    ),
    Mistake(
      "{priority: {nice: -0}}",
      19,
      "\"-0\" is not a whole number from -20 to 19",
      "write decimal digits only, such as 19"
    ),
    Mistake(
      "{priority: {policy: rr, level: 100}}",
      32,
      "\"100\" is not a whole number from 1 to 99",
      "choose a number in that range"
    ),
    Mistake(
      "{swap: 201}",
      8,
      "\"201\" is not off, or a whole number from 0 to 200",
      "write off, or a value of vm.swappiness such as 10"
    ),
    Mistake(
      "{settle: {load: -1}}",
      17,
      "\"-1\" is not a load average",
      "write a number such as 1.5"
    ),
    Mistake(
      "{settle: {temperature: 158F}}",
      24,
      "\"158F\" is not a temperature from 1 to 150 degrees Celsius",
      "write degrees Celsius, such as 70C"
    ),
    Mistake(
      "{settle: {cpu_idle: 90}}",
      21,
      "\"90\" is not a percentage",
      "write a number up to 100 and the sign, such as 2%"
    ),
    Mistake(
      "{settle: {load: 1, within: 30}}",
      28,
      "\"30\" is a duration without a unit",
      "write the unit, such as 30s or 30ms"
    ),
  ]

  static let words = [
    Mistake("{aslr: yes}", 8, "\"yes\" is not on or off", "write on"),
    Mistake("{boost: 0}", 9, "\"0\" is not on or off", "write off"),
    Mistake("{nmi_watchdog: disabled}", 16, "\"disabled\" is not on or off", "write on or off"),
    Mistake("{steal: loud}", 9, "\"loud\" is not on or off", "write on or off"),
    Mistake("{aslr: }", 8, "\"aslr\" has no value", "give on or off, or remove the key"),
    Mistake("{network: nine}", 11, "invalid value \"nine\"", "write `none`"),
    Mistake(
      "{network: null}",
      11,
      "\"network\" has no value",
      "give one of host, none, or remove the key"
    ),
    Mistake(
      "{environment: clean}",
      15,
      "invalid value \"clean\"",
      "use one of: inherited, pinned"
    ),
    Mistake("{thp: nver}", 7, "invalid value \"nver\"", "write `never`"),
    Mistake(
      "{proactive_reclaim: on}",
      21,
      "invalid value \"on\"",
      "use one of: off, report"
    ),
    Mistake(
      "{governor: [performance]}",
      12,
      "\"governor\" is a list, not a name",
      "give a name"
    ),
    Mistake(
      "{priority: {policy: idle}}",
      21,
      "invalid value \"idle\"",
      "use one of: other, batch, fifo, rr"
    ),
    Mistake("{governer: performance}", 2, "unknown key \"governer\"", "write `governor`"),
    Mistake("{settle: {cpu_idl: 90%}}", 11, "unknown key \"cpu_idl\"", "write `cpu_idle`"),
    Mistake("{steal: {foriegn: 5%}}", 10, "unknown key \"foriegn\"", "write `foreign`"),
    Mistake(
      "[cpus]",
      1,
      "\"controls\" is a list, not a map",
      "give \(section)"
    ),
  ]

  static let lists = [
    Mistake("{services: [cron, cron.service]}", 19, twice("unit", "cron.service"), keep),
    Mistake("{services: [a b]}", 13, "\"a b\" is not the name of a systemd unit", unitRemedy),
    Mistake(
      "{services: [../x]}",
      13,
      "\"../x\" is not the name of a systemd unit",
      unitRemedy
    ),
    Mistake("{services: ['']}", 13, "\"\" is not the name of a systemd unit", unitRemedy),
    Mistake("{suppress: [vm, vm]}", 17, twice("id", "vm"), keep),
    Mistake(
      "{suppress: [No_Cpufreq]}",
      13,
      "\"No_Cpufreq\" is not the id of a finding",
      "copy an id from the output of `launchlab doctor`"
    ),
    Mistake("{thp: never, require: [thp, thp]}", 29, twice("control", "thp"), keep),
    Mistake(
      "{thp: never, require: [thp, settel]}",
      29,
      "invalid value \"settel\"",
      "write `settle`"
    ),
    Mistake(
      "{require: everything}",
      11,
      "invalid value \"everything\"",
      "use one of: all, \(names)"
    ),
  ]

  static let contradictions = [
    Mistake(
      "{priority: {level: 5}}",
      20,
      "\"level\" is for the policies fifo and rr",
      "add `policy: fifo`, or remove the key"
    ),
    Mistake(
      "{priority: {policy: batch, level: 5}}",
      35,
      "\"level\" is for the policies fifo and rr",
      "add `policy: fifo`, or remove the key"
    ),
    Mistake(
      "{priority: {policy: fifo}}",
      21,
      "the policy \"fifo\" lacks the key \"level\"",
      "add `level:` with a whole number from 1 to 99"
    ),
    Mistake(
      "{priority: {policy: rr, level: 5, nice: 1}}",
      41,
      "\"nice\" has no effect with the policy \"rr\"",
      "remove the key, or the policy"
    ),
    Mistake(
      "{priority: {}}",
      12,
      "\"priority\" sets no value",
      "give at least one of nice, policy, level"
    ),
    Mistake(
      "{settle: {within: 10s}}",
      10,
      "\"settle\" sets no value",
      "give at least one of cpu_idle, io_pressure, load, temperature"
    ),
    Mistake(
      "{shield: on}",
      10,
      "\"shield\" has no effect without \"cpus\"",
      "name the processors of the targets with `cpus:`, or remove the key"
    ),
    Mistake(
      "{require: [settle]}",
      12,
      "\"require\" names \"settle\", which is not asked for",
      "ask for it with `settle:`, or remove it from `require`"
    ),
    Mistake(
      "{scheduling: fifo, priority: {nice: -5}}",
      30,
      "\"priority\" has no effect with `scheduling: fifo`",
      keep
    ),
    Mistake(
      "{steal: off, require: steal}",
      23,
      "\"require\" names \"steal\", which is not asked for",
      "ask for it with `steal:`, or remove it from `require`"
    ),
    Mistake(
      "{cpus: 1, shield: off, require: [shield]}",
      34,
      "\"require\" names \"shield\", which is not asked for",
      "ask for it with `shield:`, or remove it from `require`"
    ),
  ]

  private static let processors = "a processor from 0 to 1023, or a range such as 2-5"
  private static let processorsRemedy = "write numbers from 0 to 1023, such as 1 or 2-5"
  private static let unitRemedy =
    "write a name that `systemctl list-units` shows, such as cron.service"
  private static let keep = "keep one of them"
  private static let names =
    "cpus, shield, aslr, env_size, priority, scheduling, governor, boost, thp, swap, nmi_watchdog, network, "
    + "environment, services, settle, steal, proactive_reclaim"
  private static let section = "a map with the keys \(names), require, suppress"

  private static func twice(_ noun: String, _ name: String) -> String {
    "the \(noun) \"\(name)\" is given twice"
  }
}
