import LabModel

/// The controls that are maps of their own, and what contradicts itself in them.
extension ControlsReader {
  mutating func priority(from value: Value) -> LaunchPriority {
    let priority = LaunchPriority(
      nice: value["nice"]?.text.flatMap { Int($0) },
      policy: word(value["policy"]),
      level: value["level"]?.text.flatMap { Int($0) }
    )
    let isRealTime = priority.policy == .fifo || priority.policy == .rr
    if value.entries.isEmpty, case .map = value.content {
      reportEmpty("priority", ScenarioKeys.priority, at: value.place)
    }
    if let level = value["level"], !isRealTime {
      findings.report(
        "contradiction",
        "\"level\" is for the policies fifo and rr",
        at: level.place,
        remedy: "add `policy: fifo`, or remove the key"
      )
    }
    guard isRealTime, let policy = value["policy"] else { return priority }
    if value["level"] == nil {
      findings.report(
        "missing-key",
        "the policy \(policy.phrase) lacks the key \"level\"",
        at: policy.place,
        remedy: "add `level:` with a whole number from 1 to 99"
      )
    }
    if let nice = value["nice"] {
      findings.report(
        "contradiction",
        "\"nice\" has no effect with the policy \(policy.phrase)",
        at: nice.place,
        remedy: "remove the key, or the policy"
      )
    }
    return priority
  }

  /// Nil for `normal`, which is how everything runs anyway.
  mutating func scheduling(from section: Value) -> LabScheduling? {
    let scheduling: LabScheduling? = word(section["scheduling"])
    guard scheduling == .fifo else { return nil }
    if let priority = section["priority"] {
      findings.report(
        "contradiction",
        "\"priority\" has no effect with `scheduling: fifo`",
        at: priority.place,
        remedy: "keep one of them"
      )
    }
    return scheduling
  }

  mutating func settle(from value: Value) -> SettleLimits {
    var limits = SettleLimits(
      cpuIdle: share(value["cpu_idle"]),
      ioPressure: share(value["io_pressure"]),
      load: value["load"]?.text.flatMap { try? ControlForm.load($0) },
      temperature: value["temperature"]?.text.flatMap { try? ControlForm.temperature($0) }
    )
    if let within = value["within"]?.text.flatMap({ try? Nanoseconds(written: $0) }) {
      limits.within = within
    }
    let isWithoutLimit = value.entries.allSatisfy { $0.key == "within" }
    if isWithoutLimit, case .map = value.content {
      let limits = ScenarioKeys.settle.filter { $0.name != "within" }
      reportEmpty("settle", limits, at: value.place)
    }
    return limits
  }

  func steal(from value: Value) -> DisturbanceLimits? {
    if value.text != nil { return toggle(value) == true ? DisturbanceLimits() : nil }
    var limits = DisturbanceLimits()
    if let stolen = share(value["stolen"]) { limits.stolen = stolen }
    if let foreign = share(value["foreign"]) { limits.foreign = foreign }
    if let share = share(value["share"]) { limits.share = share }
    return limits
  }

  private mutating func reportEmpty(_ name: String, _ keys: [Key], at place: Place) {
    findings.report(
      "empty-value",
      "\(quoted(name)) asks for nothing",
      at: place,
      remedy: "give at least one of \(keys.map(\.name).joined(separator: ", "))"
    )
  }

  mutating func reportUnshielded(_ section: Value) {
    guard let shield = section["shield"], toggle(shield) == true, section["cpus"] == nil else {
      return
    }
    findings.report(
      "contradiction",
      "\"shield\" has no effect without \"cpus\"",
      at: shield.place,
      remedy: "name the processors of the targets with `cpus:`, or remove the key"
    )
  }
}
