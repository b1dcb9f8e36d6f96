import LabModel
import LabPatterns

/// Makes the section `stages` of a value whose shape was checked.
struct StagesReader {
  var findings: Findings

  mutating func plan(from value: Value) -> StagePlan {
    var plan = StagePlan()
    if let collect = value["collect"] { plan.collectors = collectors(from: collect) }
    if let launches = value["launches"]?.text.flatMap({ Int($0) }) { plan.launches = launches }
    plan.isProbeHidden = value["probe_hidden"]?.text == "true"
    for entry in value["env"]?.entries ?? [] {
      plan.environment[entry.key] = entry.value.text ?? ""
    }
    plan.patterns = (value["patterns"]?.elements ?? []).compactMap { pattern(from: $0) }
    reportUnused(plan, in: value)
    return plan
  }

  private mutating func collectors(from value: Value) -> [StageCollector] {
    var collectors: [StageCollector] = []
    for element in value.elements {
      guard let collector = element.text.flatMap(StageCollector.init(rawValue:)) else { continue }
      if collectors.contains(collector) {
        findings.report(
          "contradiction",
          "the collector \(quoted(collector.rawValue)) is given twice",
          at: element.place,
          remedy: "keep one of them"
        )
      } else {
        collectors.append(collector)
      }
    }
    return collectors
  }

  /// A pattern that cannot be read would find nothing, every night.
  private mutating func pattern(from value: Value) -> String? {
    guard let text = value.text else { return nil }
    let pattern: TextPattern
    do throws(PatternError) {
      pattern = try TextPattern(text)
    } catch {
      findings.report(
        "invalid-value",
        "the pattern \(quoted(text)) cannot be used: \(error.problem)",
        at: value.place,
        remedy: error.remedy
      )
      return nil
    }
    for group in ["stage", "value", "unit"] where !pattern.groups.contains(group) {
      findings.report(
        "invalid-value",
        "the pattern \(quoted(text)) has no group named \(quoted(group))",
        at: value.place,
        remedy: "write groups such as (?<stage>\\w+): (?<value>[0-9.]+) ?(?<unit>ms|s)"
      )
    }
    return text
  }

  private mutating func reportUnused(_ plan: StagePlan, in value: Value) {
    guard !plan.collectors.contains(.text) else { return }
    for key in ["env", "patterns"] where value[key] != nil {
      findings.report(
        "contradiction",
        "\(quoted(key)) is for the collector text, which is not asked for",
        at: value[key]?.place ?? value.place,
        remedy: "add text to `collect`, or remove the key"
      )
    }
  }
}
