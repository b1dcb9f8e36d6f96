import LabModel

/// Makes the section `controls` of a value whose shape was checked.
///
/// Where the shape was wrong it goes on with defaults; the finding is already made.
struct ControlsReader {
  var findings: Findings

  mutating func plan(from value: Value) -> ControlPlan {
    var plan = ControlPlan()
    for control in ControlKey.all {
      if let wish = value[control.key.name] { control.read(&self, wish, &plan) }
    }
    reportUnscheduled(value)
    reportUnshielded(value)
    plan.required = value["require"].map { required(from: $0, in: value, plan) } ?? []
    plan.suppressed = Set(value["suppress"].map { texts(of: $0, called: "the id") } ?? [])
    return plan
  }

  // MARK: - Scalars

  func toggle(_ value: Value?) -> Bool? {
    value?.text.flatMap { try? ControlForm.isOn($0) }
  }

  func word<Word: RawRepresentable<String>>(_ value: Value?) -> Word? {
    value?.text.flatMap(Word.init(rawValue:))
  }

  /// From 0 to 1.
  func share(_ value: Value?) -> Double? {
    value?.text.flatMap { TrendForm.percent($0) }.map { $0 / 100 }
  }

  // MARK: - Lists

  /// The elements of a list, or the one text that stands for a list.
  private func elements(of value: Value) -> [Value] {
    value.text == nil ? value.elements : [value]
  }

  mutating func processors(from value: Value) -> [Int] {
    var processors: Set<Int> = []
    for element in elements(of: value) {
      guard let range = element.text.flatMap({ try? ControlForm.processors($0) }) else { continue }
      if let twice = range.first(where: processors.contains) {
        reportTwice("the processor \(twice)", at: element.place)
      }
      processors.formUnion(range)
    }
    return processors.sorted()
  }

  mutating func services(from value: Value) -> [String] {
    var names: [String] = []
    for element in elements(of: value) {
      guard let unit = element.text.flatMap({ try? SystemUnit(written: $0) }) else { continue }
      if let objection = unit.objection {
        findings.report(
          "dangerous-service",
          "\(quoted(unit.name)) cannot be stopped during a run: \(objection)",
          at: element.place,
          remedy: "remove it from `services`"
        )
      }
      if names.contains(unit.name) {
        reportTwice("the unit \(quoted(unit.name))", at: element.place)
      } else {
        names.append(unit.name)
      }
    }
    return names
  }

  private mutating func texts(of value: Value, called noun: String) -> [String] {
    var texts: [String] = []
    for element in elements(of: value) {
      guard let text = element.text else { continue }
      if texts.contains(text) {
        reportTwice("\(noun) \(quoted(text))", at: element.place)
      } else {
        texts.append(text)
      }
    }
    return texts
  }

  private mutating func reportTwice(_ what: String, at place: Place) {
    findings.report(
      "contradiction",
      "\(what) is given twice",
      at: place,
      remedy: "keep one of them"
    )
  }

  // MARK: - What must be had

  private mutating func required(
    from value: Value,
    in section: Value,
    _ plan: ControlPlan
  ) -> Set<ControlName> {
    if value.text == "all" {
      let named = section.entries.compactMap { ControlName(rawValue: $0.key) }
      return Set(named).intersection(plan.asked)
    }
    let names = texts(of: value, called: "the control").compactMap(ControlName.init(rawValue:))
    for element in elements(of: value) {
      guard let name: ControlName = word(element), !plan.asked.contains(name) else { continue }
      // A control whose value is wrong is told of once.
      if let wish = section[name.rawValue], findings.isReported(at: wish.place) { continue }
      findings.report(
        "contradiction",
        "\"require\" names \(quoted(name.rawValue)), which is not asked for",
        at: element.place,
        remedy: "ask for it with `\(name.rawValue):`, or remove it from `require`"
      )
    }
    return Set(names)
  }
}

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

  mutating func reportUnscheduled(_ section: Value) {
    guard section["scheduling"]?.text == LabScheduling.fifo.rawValue,
      let priority = section["priority"]
    else { return }
    findings.report(
      "contradiction",
      "\"priority\" has no effect with `scheduling: fifo`",
      at: priority.place,
      remedy: "keep one of them"
    )
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
