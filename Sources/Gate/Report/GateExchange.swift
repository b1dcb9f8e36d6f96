import Foundation
import LaunchCore
import LaunchHost
import Rendering

/// What a gate can write into a file; the raw value is the name of the option.
package enum GateFormat: String, CaseIterable, Sendable {
  /// The document `launchlab.gate/1`.
  case json

  /// A comment for a pull request.
  case markdown

  /// SARIF 2.1.0, for code scanning.
  case sarif

  /// Test cases, as JUnit writes them.
  case junit

  /// A code quality report of GitLab.
  case codeQuality = "code-quality"

  /// OpenMetrics, which is a metrics report of GitLab.
  case metrics
}

/// What CI systems read of a gate.
extension GateReport {
  /// The content of a file, with a line feed after every line.
  package func text(as format: GateFormat) -> String {
    switch format {
    case .json: Self.text(json())
    case .markdown: markdown()
    case .sarif: Self.text(sarif())
    case .junit: JUnitSuite.document(suites)
    case .codeQuality: Self.text(.array(zip(problems, fingerprints).map(codeQuality)))
    case .metrics: OpenMetricsFamily.document(metrics)
    }
  }

  private static func text(_ document: JSONValue) -> String {
    var text = ""
    JSONText.write(document, .indented) { text += $0 }
    return text
  }

  // MARK: - Problems and where they are

  /// How much a finding asks of a reader, as SARIF calls it; nil for what needs no line.
  private static func level(_ finding: GateFinding) -> String? {
    switch finding.verdict {
    case .failed, .needsApproval: "error"
    case .undecided: "warning"
    case .remark: "note"
    case .approved, .passed: nil
    }
  }

  private var problems: [GateFinding] { result.findings.filter { Self.level($0) != nil } }

  /// The path below the top of the repository, and the line, of what a finding is about; the
  /// scenario, whose rules it is judged by, where no line of the source is known.
  private func place(_ finding: GateFinding) -> (file: String, line: Int) {
    guard let source = finding.source, !source.file.hasPrefix("/") else {
      return (result.scenarioPath, 1)
    }
    return (result.prefix + source.file, max(1, source.line))
  }

  /// A finding in one line, and how to approve it.
  private func message(_ finding: GateFinding) -> String {
    let figures = [finding.base, finding.head].compactMap(\.self).joined(separator: " → ")
    let limit = finding.thing == nil ? finding.limit.map { "limit \($0)" } : nil
    let parts = [figures, finding.change, limit].compactMap(\.self).filter { !$0.isEmpty }
    let texts = (parts.isEmpty ? [] : [parts.joined(separator: ", ")]) + finding.details
    let sentence = "\(item(finding)): \(texts.joined(separator: "; "))"
    guard finding.verdict == .needsApproval, let thing = finding.thing else { return sentence }
    return "\(sentence). To approve: \(Self.command(for: thing, in: result.scenario))"
  }

  /// What tells each problem from the others, and is the same for the same one of another commit.
  private var fingerprints: [String] {
    var seen: [String: Int] = [:]
    return problems.map { finding in
      let text = [
        result.scenarioPath, finding.rule, finding.target, finding.state?.rawValue ?? "",
        finding.item, finding.source?.file ?? "",
      ].joined(separator: "\n")
      seen[text, default: 0] += 1
      return SHA256(Array("\(text)\n\(seen[text] ?? 0)".utf8)).hexadecimal
    }
  }

  // MARK: - SARIF

  /// A log of one run.
  ///
  /// Source: SARIF 2.1.0, OASIS, sections 3.13 to 3.30 and 3.58. Its lists of results have an element
  /// for each problem; what passed is in the other files.
  private func sarif() -> JSONValue {
    let rules = problems.map(\.rule).uniqued
    let notes = notes.map { note -> JSONValue in
      ["level": "note", "message": ["text": .string(note)]]
    }
    return [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
      "version": "2.1.0",
      "runs": [
        [
          "tool": [
            "driver": [
              "name": "launchlab gate",
              "semanticVersion": .string(LaunchlabVersion.current),
              "rules": .array(rules.map { rule in ["id": .string(rule)] }),
            ]
          ],
          "automationDetails": ["id": .string("launchlab/gate/\(result.scenarioPath)/")],
          "invocations": [
            [
              "executionSuccessful": .bool(result.failures.isEmpty),
              "exitCode": .integer(Int64(result.exitCode.rawValue)),
              "toolExecutionNotifications": .array(notes),
            ]
          ],
          "originalUriBaseIds": [
            "SRCROOT": ["description": ["text": "The top of the repository."]]
          ],
          "results": .array(
            zip(problems, fingerprints).map { finding, fingerprint in
              sarifResult(finding, fingerprint, rule: rules.firstIndex(of: finding.rule) ?? 0)
            }
          ),
        ]
      ],
    ]
  }

  private func sarifResult(_ finding: GateFinding, _ fingerprint: String, rule: Int) -> JSONValue {
    let place = place(finding)
    return [
      "ruleId": .string(finding.rule),
      "ruleIndex": .integer(Int64(rule)),
      "level": JSONValue(Self.level(finding)),
      "message": ["text": .string(message(finding))],
      "locations": [
        [
          "physicalLocation": [
            "artifactLocation": [
              "uri": .string(Self.uri(place.file)), "uriBaseId": "SRCROOT",
            ],
            "region": ["startLine": .integer(Int64(place.line))],
          ]
        ]
      ],
      "partialFingerprints": ["launchlabGate/v1": .string(fingerprint)],
    ]
  }

  /// A relative path as a URI reference.
  ///
  /// Source: RFC 3986, sections 3.3 and 4.2.
  private static func uri(_ path: String) -> String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: ":"))
    return path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
  }

  // MARK: - JUnit

  /// A suite for each target with a test case of each finding.
  private var suites: [JUnitSuite] {
    let suites = result.findings.map(\.target).uniqued.map { target in
      JUnitSuite(
        name: "launchlab gate: \(target)",
        cases: result.findings.filter { $0.target == target }.map(testCase)
      )
    }
    guard !result.failures.isEmpty else { return suites }
    let failures = result.failures.map { failure in
      let text = [failure.problem, failure.remedy].compactMap(\.self).joined(separator: "; ")
      return JUnitSuite.Case(group: "launchlab gate", name: failure.id, finding: ("error", text))
    }
    return suites + [JUnitSuite(name: "launchlab gate", cases: failures)]
  }

  private func testCase(_ finding: GateFinding) -> JUnitSuite.Case {
    let element: String? =
      switch finding.verdict {
      case .failed, .needsApproval: "failure"
      case .undecided: "skipped"
      case .approved, .remark, .passed: nil
      }
    let text = message(finding)
    return JUnitSuite.Case(
      group: "\(finding.target).\(finding.rule)",
      name: finding.item,
      finding: element.map { ($0, text) }
    )
  }

  // MARK: - GitLab

  /// An element of a code quality report.
  ///
  /// Source: GitLab's documentation of the report's format.
  private func codeQuality(_ finding: GateFinding, _ fingerprint: String) -> JSONValue {
    let place = place(finding)
    let severity =
      switch finding.verdict {
      case .failed, .needsApproval: "major"
      case .undecided: "minor"
      case .approved, .remark, .passed: "info"
      }
    return [
      "description": .string(message(finding)),
      "check_name": .string(finding.rule),
      "fingerprint": .string(fingerprint),
      "severity": .string(severity),
      "location": [
        "path": .string(place.file), "lines": ["begin": .integer(Int64(place.line))],
      ],
    ]
  }

  /// The figures of head, since GitLab compares the report of a branch with that of its target.
  private var metrics: [OpenMetricsFamily] {
    GateRules.Figure.allCases.map { figure in
      let (unit, factor) = OpenMetricsFamily.unit(of: figure.unit)
      return OpenMetricsFamily(
        "launchlab_gate_\(figure.rawValue)",
        help: "Of the build that was checked: \(figure.title).",
        unit: unit,
        samples: result.findings.filter { $0.rule == figure.rawValue }.compactMap { finding in
          let state = finding.state.map { [("state", $0.rawValue)] } ?? []
          return finding.figures?.head.map { ([("target", finding.target)] + state, $0 * factor) }
        }
      )
    }
  }

  // MARK: - GitHub

  /// Workflow commands, which GitHub shows as annotations of a change, at most ten of a level.
  ///
  /// Source: GitHub's documentation of workflow commands, and `command.ts` of actions/toolkit for what
  /// is escaped.
  package var annotations: [String] {
    // Line ends are made visible, so that they need no escape.
    func escaped(_ text: String, isProperty: Bool = false) -> String {
      let text = text.printable.withoutCommands.replacing("%", with: "%25")
      return isProperty ? text.replacing(":", with: "%3A").replacing(",", with: "%2C") : text
    }
    return problems.map { finding in
      let place = place(finding)
      let level = Self.level(finding) ?? "note"
      return "::\(level == "note" ? "notice" : level) "
        + "file=\(escaped(place.file, isProperty: true)),line=\(place.line),"
        + "title=launchlab gate::\(escaped(message(finding)))"
    }
  }
}

/// The job of GitHub Actions that a gate is part of, if it is.
package struct GateJob {
  private let report: GateReport
  private let environment: [String: String]

  package init(_ report: GateReport, environment: [String: String]) {
    self.report = report
    self.environment = environment
  }

  /// The lines that annotate the change; none where no job reads them.
  package var annotations: [String] {
    environment["GITHUB_ACTIONS"] == "true" ? report.annotations : []
  }

  /// Adds the comment to the summary of the job, where there is one.
  ///
  /// - Returns: What was wrong with that.
  package func addToSummary() -> String? {
    let sender = NoticeSender(directory: "/", environment: environment)
    guard sender.hasJobSummary else { return nil }
    do throws(NoticeFailure) {
      try sender.addToJobSummary(report.markdown())
      return nil
    } catch {
      return "the summary of the job has no report: \(error.reason)"
    }
  }
}
