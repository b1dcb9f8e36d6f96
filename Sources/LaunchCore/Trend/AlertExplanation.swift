/// Which slower launches are traced to say why, and how long that may take: the section `explain`.
package struct AutomaticExplanation: Hashable, Codable, Sendable {
  package var when: When

  /// How long the launches of a night or of a bisection may go on for it.
  package var time: Nanoseconds

  package init(when: When = .bisect, time: Nanoseconds = .seconds(60)) {
    self.when = when
    self.time = time
  }

  /// The raw value is the name used in scenarios.
  package enum When: String, Codable, CaseIterable, Sendable {
    case never

    /// The regressions that a night confirms, and culprits.
    case regression

    /// The culprits of bisections.
    case bisect
  }
}

extension Scenario {
  /// What is explained; the default where the scenario does not say.
  package var explanationRule: AutomaticExplanation { explanation ?? AutomaticExplanation() }
}

/// Why launches of an alert are slower, as it is shown.
package struct AlertExplanation: Hashable, Codable, Sendable {
  /// The night or the bisection that found it.
  package var run: String

  /// What was launched before and after, such as `app@1a2b3c4` and `app@5d6e7f8`.
  package var before: String
  package var after: String

  /// The first reason on one line, without a full stop.
  package var why: String

  /// The same in Markdown.
  package var markdown: String

  /// All reasons as Markdown that begins with a heading of the third level.
  package var section: String

  /// The same as plain text.
  package var text: String

  package init(
    run: String,
    before: String,
    after: String,
    why: String,
    markdown: String,
    section: String,
    text: String
  ) {
    self.run = run
    self.before = before
    self.after = after
    self.why = why
    self.markdown = markdown
    self.section = section
    self.text = text
  }
}

/// The parts of an explanation that are too large to be read with every alert.
package struct ExplanationDocuments: Hashable, Sendable {
  /// All of it as JSON of schema `launchlab.explain/1`.
  package var json: String

  /// The flame graph of the difference, as SVG.
  package var flameGraph: String

  package init(json: String, flameGraph: String) {
    self.json = json
    self.flameGraph = flameGraph
  }
}
