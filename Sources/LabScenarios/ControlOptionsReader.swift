import LabModel

/// Makes the section `controls` of options such as `cpus=[1]`, by the rules for scenario files.
struct ControlOptionsReader {
  /// What is wrong; the place of a finding is the option.
  var findings: Findings

  private let options: [String]

  /// Takes options, and how the one of a number was typed, if not with `--control`.
  init(_ options: [String], typed: ((Int) -> String)? = nil) {
    self.options = options
    let names = options.indices.map { typed?($0) ?? "--control \(options[$0])" }
    findings = Findings(options: names.map(Self.shown))
  }

  mutating func plan() -> ControlPlan {
    guard !options.isEmpty else { return ControlPlan() }
    let entries = merged(options.indices.compactMap { entry(at: $0) })
    let section = Value(place: Place(line: 1, column: 1), content: .map(entries))
    var checker = ShapeChecker(findings: findings)
    checker.check(section, against: .map(ScenarioKeys.controls), name: "the controls")
    var reader = ControlsReader(findings: checker.findings)
    defer { findings = reader.findings }
    return reader.plan(from: section)
  }

  /// The key and the value of one option, with the option's number as the line of its places.
  private mutating func entry(at index: Int) -> Value.Entry? {
    let place = Place(line: index + 1, column: 1)
    let parts = options[index].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let key = parts.first, !key.isEmpty else {
      findings.report(
        "bad-option",
        "\(quoted(options[index])) is not a key and its value",
        at: place,
        remedy: "write KEY=VALUE, such as --control network=none"
      )
      return nil
    }
    guard let value = value(of: String(parts[1]), at: place) else { return nil }
    return Value.Entry(key: String(key), place: place, value: value)
  }

  private mutating func value(of text: String, at place: Place) -> Value? {
    var found = Findings(options: [])
    var yaml = YAMLText(text)
    let value = yaml.value(reporting: &found)
    for diagnostic in found.diagnostics {
      // A text without a value is no empty file.
      if diagnostic.id == "empty-scenario" {
        return Value(place: place, content: .scalar("", isPlain: true))
      }
      findings.report(
        diagnostic.id,
        diagnostic.problem,
        at: place,
        remedy: diagnostic.remedy ?? ""
      )
    }
    return value?.moved(to: place)
  }

  /// Options that name a list may be repeated; of the others the first counts.
  private mutating func merged(_ entries: [Value.Entry]) -> [Value.Entry] {
    var merged: [Value.Entry] = []
    for entry in entries {
      guard let earlier = merged.firstIndex(where: { $0.key == entry.key }) else {
        merged.append(entry)
        continue
      }
      if ["require", "services", "suppress"].contains(entry.key) {
        let elements = [merged[earlier].value, entry.value].flatMap { value in
          if case .list(let elements) = value.content { elements } else { [value] }
        }
        merged[earlier].value.content = .list(elements)
      } else {
        findings.report(
          "duplicate-key",
          "duplicate key \(quoted(entry.key))",
          at: entry.place,
          remedy: "keep one of them"
        )
      }
    }
    return merged
  }

  /// On one line and not longer than a line, as it was typed otherwise.
  private static func shown(_ option: String) -> String {
    String(quoted(option).dropFirst().dropLast())
  }
}

extension Value {
  /// The value with one place for all of it.
  fileprivate func moved(to place: Place) -> Value {
    var moved = self
    moved.place = place
    switch content {
    case .scalar: break
    case .list(let elements): moved.content = .list(elements.map { $0.moved(to: place) })
    case .map(let entries):
      moved.content = .map(
        entries.map { entry in
          Entry(key: entry.key, place: place, value: entry.value.moved(to: place))
        }
      )
    }
    return moved
  }
}
