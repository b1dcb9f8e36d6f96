package import LaunchCore

/// A suite of a JUnit report, which CI systems show as tests.
package struct JUnitSuite {
  package var name: String

  /// When what it tells of began, by ISO 8601.
  package var start: String?
  package var cases: [Case]

  package init(name: String, start: String? = nil, cases: [Case]) {
    self.name = name
    self.start = start
    self.cases = cases
  }

  /// A test case.
  package struct Case {
    package var group: String
    package var name: String
    package var seconds: Double?

    /// `failure`, `error` or `skipped`, and why; nil for one that passed.
    package var finding: (element: String, text: String)?

    package init(
      group: String,
      name: String,
      seconds: Double? = nil,
      finding: (element: String, text: String)? = nil
    ) {
      self.group = group
      self.name = name
      self.seconds = seconds
      self.finding = finding
    }

    fileprivate var lines: [String] {
      let time = seconds.map { " time=\"\($0)\"" } ?? ""
      let head =
        "    <testcase classname=\"\(SVGText.escaped(group))\" name=\"\(SVGText.escaped(name))\"\(time)"
      guard let finding else { return [head + "/>"] }
      return [
        head + ">", "      <\(finding.element) message=\"\(SVGText.escaped(finding.text))\"/>",
        "    </testcase>",
      ]
    }
  }

  private var lines: [String] {
    func count(_ element: String) -> Int { cases.count { $0.finding?.element == element } }
    let time = start.map { " timestamp=\"\($0)\"" } ?? ""
    return [
      "  <testsuite name=\"\(SVGText.escaped(name))\"\(time) tests=\"\(cases.count)\""
        + " failures=\"\(count("failure"))\" errors=\"\(count("error"))\""
        + " skipped=\"\(count("skipped"))\">"
    ] + cases.flatMap(\.lines) + ["  </testsuite>"]
  }

  /// A whole report, with a line feed after every line.
  package static func document(_ suites: [Self]) -> String {
    ([#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites>"] + suites.flatMap(\.lines)
      + ["</testsuites>"]).joinedLines()
  }
}

/// Values of one metric for Prometheus and for GitLab.
///
/// Source of the format: OpenMetrics 1.0. Only gauges are used, so that parsers of the older text
/// format read it too.
package struct OpenMetricsFamily {
  package typealias Sample = (labels: [(String, String)], value: Double)

  private var name: String
  private var help: String
  private var unit: String?
  private var samples: [Sample]

  /// - Parameters:
  ///   - name: Without the unit.
  ///   - help: What it is.
  ///   - unit: The last part of the name, if any, such as `seconds`.
  ///   - samples: With their labels; a family without any is left out.
  package init(_ name: String, help: String, unit: String? = nil, samples: [Sample]) {
    self.name = unit.map { name.hasSuffix("_\($0)") ? name : "\(name)_\($0)" } ?? name
    self.help = help
    self.unit = unit
    self.samples = samples
  }

  /// The unit of a measure as the format wants it, and what its values are multiplied by.
  package static func unit(of unit: Metric.Unit) -> (name: String?, factor: Double) {
    switch unit {
    case .nanoseconds: ("seconds", 1e-9)
    case .bytes: ("bytes", 1)
    case .count: (nil, 1)
    case .percent: ("ratio", 0.01)
    }
  }

  private var lines: [String] {
    let unit = unit.map { ["# UNIT \(name) \($0)"] } ?? []
    return ["# TYPE \(name) gauge"] + unit + ["# HELP \(name) \(help)"]
      + samples.map { sample in
        let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }
        return "\(name){\(labels.joined(separator: ","))} \(sample.value)"
      }
  }

  private static func escaped(_ text: String) -> String {
    text.printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  /// A whole document, with a line feed after every line.
  package static func document(_ families: [Self]) -> String {
    families.filter { !$0.samples.isEmpty }.flatMap(\.lines).joinedLines() + "# EOF\n"
  }
}
