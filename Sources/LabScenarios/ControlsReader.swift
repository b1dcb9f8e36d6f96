import LabModel

/// Makes the section `controls` of a value whose shape was checked.
///
/// Where the shape was wrong it goes on with defaults; the finding is already made.
struct ControlsReader {
  var findings: Findings

  mutating func plan(from value: Value) -> ControlPlan {
    var plan = ControlPlan()
    plan.cpus = value["cpus"].map { processors(from: $0) }
    plan.isShielded = toggle(value["shield"]) ?? true
    plan.randomizesAddresses = toggle(value["aslr"])
    plan.padsEnvironment = toggle(value["env_size"]) ?? true
    plan.priority = value["priority"].map { priority(from: $0) }
    plan.scheduling = scheduling(from: value)
    plan.governor = value["governor"]?.text
    plan.boost = toggle(value["boost"])
    plan.hugePages = word(value["thp"])
    plan.swap = value["swap"]?.text.flatMap { try? ControlForm.swap($0) }
    plan.nmiWatchdog = toggle(value["nmi_watchdog"])
    plan.network = word(value["network"]) ?? .host
    plan.environment = word(value["environment"]) ?? .inherited
    plan.services = value["services"].map { services(from: $0) } ?? []
    plan.settle = value["settle"].map { settle(from: $0) }
    plan.steal = value["steal"].flatMap { steal(from: $0) }
    plan.proactiveReclaim = value["proactive_reclaim"]?.text == "off" ? false : nil
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

  private mutating func processors(from value: Value) -> [Int] {
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

  private mutating func services(from value: Value) -> [String] {
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

extension ControlPlan {
  /// The controls that are asked for anything but to be left alone.
  fileprivate var asked: Set<ControlName> {
    let asked: [ControlName: Bool] = [
      .cpus: cpus != nil, .shield: cpus != nil && isShielded, .aslr: randomizesAddresses != nil,
      .environmentSize: padsEnvironment, .priority: priority != nil,
      .scheduling: scheduling != nil, .governor: governor != nil, .boost: boost != nil,
      .thp: hugePages != nil, .swap: swap != nil,
      .nmiWatchdog: nmiWatchdog != nil, .network: network != .host,
      .environment: environment != .inherited, .services: !services.isEmpty,
      .settle: settle != nil, .steal: steal != nil, .proactiveReclaim: proactiveReclaim != nil,
    ]
    return Set(asked.filter(\.value).keys)
  }
}
