/// Writes the reference of scenario files for people.
package enum ScenarioReference {
  /// Writes the reference, from the keys that the validator uses.
  ///
  /// - Returns: Markdown with a last line feed; the same in every call.
  package static func markdown() -> String {
    introduction + sections.map { section($0.title, $0.keys) }.joined()
  }

  private static let sections: [(title: String, keys: [Key])] = [
    ("The scenario", keys(of: ScenarioKeys.top)),
    ("A target", keys(of: ScenarioKeys.target)),
    ("A variable of `env:` as a map with one key", keys(of: ScenarioKeys.secret)),
    ("`ready:` as a map with one key", keys(of: ScenarioKeys.conditions)),
    ("`stop:`", keys(of: ScenarioKeys.stop)),
    ("An element of `state:` as a map", keys(of: ScenarioKeys.stateDirectory)),
    ("`prepare:` and `cleanup:` as maps", keys(of: ScenarioKeys.launchCommands)),
    ("`launches:` as a map", keys(of: ScenarioKeys.adaptive)),
    ("`baseline:`", keys(of: ScenarioKeys.baseline)),
    ("`control:` of the baseline as a map", keys(of: ScenarioKeys.control)),
    ("`source:`", keys(of: ScenarioKeys.source)),
    ("`stages:`", keys(of: ScenarioKeys.stages)),
    ("`controls:`", keys(of: ScenarioKeys.controls)),
    ("`priority:` of the controls", keys(of: ScenarioKeys.priority)),
    ("`settle:` of the controls", keys(of: ScenarioKeys.settle)),
    ("`steal:` of the controls as a map", keys(of: ScenarioKeys.steal)),
    ("`regression:`", keys(of: ScenarioKeys.regression)),
    ("`bisect:` as a map", keys(of: ScenarioKeys.bisect)),
    ("`explain:` as a map", keys(of: ScenarioKeys.explain)),
    ("`gate:`", keys(of: ScenarioKeys.gate)),
    ("An element of `approvals:` in a file of approvals", keys(of: ScenarioKeys.approvalKeys)),
    ("An element of `budgets:`", keys(of: ScenarioKeys.budget)),
    ("An element of `notify:`, with one of the keys", keys(of: ScenarioKeys.notifier)),
    ("A fleet file, for `launchlab fleet`", keys(of: FleetKeys.keys)),
  ]

  private static func keys<Root>(of fields: [Field<Root>]) -> [Key] {
    fields.map(\.key)
  }

  private static func section(_ title: String, _ keys: [Key]) -> String {
    let items = keys.map { key in
      let name = key.isRequired ? "**`\(key.name)`**" : "`\(key.name)`"
      return "- \(name) (\(phrase(for: key.shape))): \(key.summary)\n"
    }
    return "\n## \(title)\n\n" + items.joined()
  }

  /// What is asked for, without what another section or the introduction says.
  private static func phrase(for shape: Shape) -> String {
    switch shape {
    case .scalar(let phrase, _): brief(phrase)
    case .map(let keys) where hasSection(keys), .oneOf(let keys) where hasSection(keys): "a map"
    case .named(_, .choice(let shapes)):
      "\(shape.phrase), each value \(phrase(for: .choice(shapes)))"
    case .list(let element) where shape.phrase == "a list":
      "a list, each \(phrase(for: element))"
    case .choice(let shapes):
      shapes.map { shape in
        isList(shape, of: shapes[0]) ? "a list of these" : phrase(for: shape)
      }
      .joined(separator: ", or ")
    default: shape.phrase
    }
  }

  /// Whether the list has elements that may also stand alone.
  private static func isList(_ shape: Shape, of single: Shape) -> Bool {
    guard case .list(of: .scalar(let element, _)) = shape else { return false }
    return single.phrase.hasSuffix(element.replacing("one of ", with: ""))
  }

  private static func hasSection(_ keys: [Key]) -> Bool {
    sections.contains { $0.keys.map(\.name) == keys.map(\.name) }
  }

  private static func brief(_ phrase: String) -> String {
    for start in ["a whole number from ", "a percentage from "] where phrase.hasPrefix(start) {
      return String(phrase.dropFirst(start.count))
    }
    return phrase.replacing(" such as 500ms or 2s", with: "")
  }

  private static let introduction = """
    # Scenario reference

    Generated from the keys that launchlab checks a scenario with. `launchlab schema` prints them
    for editors, `launchlab init` writes a first scenario. Keys in bold are required.

    * Relative paths are relative to the scenario file, or with `source:`, where a key says so, to
      the built tree; there, absolute paths inside the repository lead into it too. A tilde is not
      expanded, and `..` is taken textually.
    * A duration is a number with its unit: `250us`, `500ms`, `1.5s`, `1m`, `24h` at most.
    * A size is a number with its unit: `B`, `kB`, `MB`, `GB` (powers of 1000), `KiB`, `MiB`, `GiB`
      (powers of 1024).
    * Texts are taken as they are written: `on`, `010` and `22:22` are texts. Only `true` and
      `false` are booleans, which controls that are on or off take too, and only decimal digits are
      numbers.
    * Unknown keys, wrong types, duplicate keys, contradictions and dangerous directories are errors
      with file, line and column, all reported at once; the exit code is 64.
    * A file has at most 1 MiB, 10,000 values with aliases expanded, and 32 levels.

    """
}
