/// Writes the reference of scenario files for people.
package enum ScenarioReference {
  /// Writes the reference, from the keys that the validator uses.
  ///
  /// - Returns: Markdown with a last line feed; the same in every call.
  package static func markdown() -> String {
    introduction
      + table("The scenario", ScenarioKeys.top)
      + table("A target", ScenarioKeys.target)
      + table("A variable of `env:` as a map with one key", ScenarioKeys.secret)
      + table("`ready:` as a map with one key", ScenarioKeys.conditions)
      + table("`stop:`", ScenarioKeys.stop)
      + table("An element of `state:` as a map", ScenarioKeys.stateDirectory)
      + table("`prepare:` and `cleanup:` as maps", ScenarioKeys.launchCommands)
      + table("`launches:` as a map", ScenarioKeys.adaptive)
      + table("`baseline:`", ScenarioKeys.baseline)
      + table("`control:` of the baseline as a map", ScenarioKeys.control)
      + table("`source:`", ScenarioKeys.source)
      + table("`stages:`", ScenarioKeys.stages)
      + table("`controls:`", ScenarioKeys.controls)
      + table("`priority:` of the controls", ScenarioKeys.priority)
      + table("`settle:` of the controls", ScenarioKeys.settle)
      + table("`steal:` of the controls as a map", ScenarioKeys.steal)
      + table("`regression:`", ScenarioKeys.regression)
      + table("`bisect:` as a map", ScenarioKeys.bisect)
      + table("`explain:` as a map", ScenarioKeys.explain)
      + table("`gate:`", ScenarioKeys.gate)
      + table("An element of `approvals:` in a file of approvals", ScenarioKeys.approvalKeys)
      + table("An element of `budgets:`", ScenarioKeys.budget)
      + table("An element of `notify:`, with one of the keys", ScenarioKeys.notifier)
      + table("A fleet file, for `launchlab fleet`", FleetKeys.keys)
  }

  private static func table<Root>(_ title: String, _ fields: [Field<Root>]) -> String {
    let rows = fields.map(\.key).map { key in
      let name = key.isRequired ? "**`\(key.name)`**" : "`\(key.name)`"
      return "| \(name) | \(phrase(for: key.shape)) | \(key.summary) |\n"
    }
    return "\n## \(title)\n\n| key | value | meaning |\n|---|---|---|\n" + rows.joined()
  }

  private static func phrase(for shape: Shape) -> String {
    switch shape {
    case .named(_, .choice(let shapes)):
      "\(shape.phrase); each value is \(Shape.choice(shapes).phrase)"
    case .list(let element) where shape.phrase == "a list":
      "a list; each element is \(element.phrase)"
    case .choice(let shapes): shapes.map { phrase(for: $0) }.joined(separator: ", or ")
    default: shape.phrase
    }
  }

  private static let introduction = """
    # Scenario reference

    Generated from the keys that launchlab checks a scenario with; `launchlab schema` prints the
    same for editors, and `launchlab init` writes a first scenario. Keys in bold are required.

    * Relative paths are relative to the scenario file, or with `source:`, where a key says so,
      to the built tree; there, absolute paths inside the repository lead into it too. A tilde is
      not expanded, and `..` is taken textually.
    * A duration is a number with its unit: `250us`, `500ms`, `1.5s`, `1m`, `24h` at most.
    * A size is a number with its unit: `B`, `kB`, `MB`, `GB` (powers of 1000), `KiB`, `MiB`, `GiB`
      (powers of 1024).
    * Texts are taken as they are written: `on`, `010` and `22:22` are what they look like. Only
      `true` and `false` are booleans, and only decimal digits are numbers. A control that is on or
      off takes these words as well.
    * Unknown keys, wrong types, duplicate keys, contradictions and dangerous directories are
      errors with file, line and column, all reported at once; the exit code is 64.
    * A file has at most 1 MiB, 10,000 values with aliases expanded, and 32 levels.
    * Counter launches are 3 per target and state, spread evenly over the run.

    """
}
