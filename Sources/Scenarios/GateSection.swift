import Foundation
package import LaunchCore

/// The keys of `gate:`, and those of a file of approvals.
extension ScenarioKeys {
  static let gate: [Field<GateRules>] =
    [
      Field("libraries", .word, \.libraries) {
        "What becomes of a new shared library: review lets it in with an approval, forbid never does, "
          + "ignore always. Default: review."
      },
      Field("initializers", .word, \.initializers) {
        "The same of new functions that run before `main`. Default: review."
      },
      Field("tasks", .word, \.tasks) {
        "The same of new start-up tasks of launch marks. Default: review."
      },
    ] + GateRules.Figure.allCases.map(limit) + [
      Field(
        "tail",
        .tail,
        summary:
          "How many more launches may be slow: a decided regression fails, one that is not "
          + "excluded is a note. Default: 5%."
      ) { $0.tailLimit = $1 > 0 ? $1 : nil },
      Field("budgets", .word, \.budgets) {
        "Whether the scenario's absolute budgets hold for head, too. Default: keep."
      },
      Field("approvals", .absolute, \.approvals) {
        "The file of approvals. Default: launch-approvals.yml beside the scenario."
      },
    ]

  private static func limit(_ figure: GateRules.Figure) -> Field<GateRules> {
    Field(
      figure.rawValue,
      .share(0...1000),
      summary:
        "Most growth of the \(figure.title)\(figure == .launch ? ", if a comparison is decided" : ""). "
        + "Default: \(String(format: "%g", figure.usualLimit * 100))%."
    ) { $0.limits[figure] = $1 }
  }

  static let approvals: [Field<[GateApproval]>] = [
    Field("approvals", .list(of: approval), isRequired: true, summary: "What is approved.") {
      $0 = $1
    }
  ]

  /// An approval while it is read.
  struct ApprovalDraft {
    var names: [GateApproval.Kind: String] = [:]
    var library: String?
    var isPattern = false
    var reason = ""
    var by = ""
    var until: String?
  }

  private static let approval = Form<ApprovalDraft>.section(approvalKeys, of: ApprovalDraft())
    .then { draft, value, reading -> GateApproval? in
      guard let (kind, name) = draft.names.first, draft.names.count == 1 else {
        reading.report(
          "contradiction",
          "an approval names \(draft.names.count) things instead of one",
          at: value.place,
          remedy: "write one of: library, initializer, task"
        )
        return nil
      }
      guard draft.isPattern || !name.contains("*") else {
        reading.report(
          "contradiction",
          "\(quoted(name)) has a `*`, and does not say that it is a pattern",
          at: value.place,
          remedy: "add `pattern: true`, or write the whole name"
        )
        return nil
      }
      return GateApproval(
        kind: kind,
        name: name,
        library: draft.library,
        isPattern: draft.isPattern,
        reason: draft.reason,
        by: draft.by,
        until: draft.until
      )
    }

  static let approvalKeys: [Field<ApprovalDraft>] =
    GateApproval.Kind.allCases.map { kind in
      Field(kind.rawValue, .text, summary: "The name of the \(kind.rawValue).") {
        $0.names[kind] = $1
      }
    } + [
      Field("in", .text, \.library) { "The library that an initializer or a task is in." },
      Field("pattern", .boolean, \.isPattern) {
        "Whether `*` in the name stands for anything. Default: false."
      },
      Field("reason", .text, \.reason, isRequired: true) { "Why it may be there." },
      Field("by", .text, \.by, isRequired: true) { "Who says so." },
      Field("until", day, \.until) { "The last day on which it holds. Default: for ever." },
    ]

  private static let day = Form<String>.scalar(
    "a day such as 2027-01-31",
    ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"],
    else: "{} is not a day",
    remedy: "write year, month and day, such as 2027-01-31"
  ) { ImportedTime.day($0) == nil ? nil : $0 }
}

/// Reads and extends files of approvals.
package enum ApprovalsFile {
  /// What it is called beside a scenario.
  package static let name = "launch-approvals.yml"

  /// Reads the approvals of a file.
  ///
  /// - Returns: None where there is no file.
  /// - Throws: ``ScenarioError`` with everything that is wrong with it.
  package static func approvals(at path: String) throws(ScenarioError) -> [GateApproval] {
    guard FileKind(at: path) != .missing else { return [] }
    let text = try ScenarioFile.text(at: path, as: .approvals)
    do throws(ScenarioError) {
      return try approvals(in: text, path: path)
    } catch {
      // A change of somebody else's may link to any file: a message must not quote what is in it.
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil else {
        throw error
      }
      throw .unreadable(path: path, reason: "it links to a file without approvals", as: .approvals)
    }
  }

  /// Reads the approvals of a text that is, or will be, the file at a path.
  ///
  /// - Throws: ``ScenarioError`` with everything that is wrong with it.
  package static func approvals(
    in text: String,
    path: String
  ) throws(ScenarioError) -> [GateApproval] {
    guard !isEmpty(text) else { return [] }
    let form = Form<[GateApproval]>.section(ScenarioKeys.approvals, of: [])
    return try ScenarioFile.read(form, "the file of approvals", in: text, path: path)
  }

  /// The text of a file with one approval more.
  ///
  /// - Parameters:
  ///   - text: What is there; nil where there is no file.
  ///   - approval: What is added at the end.
  /// - Returns: YAML that is read as the same.
  package static func text(_ text: String?, adding approval: GateApproval) -> String {
    var lines = ["- \(approval.kind.rawValue): \(yaml(approval.name))"]
    if let library = approval.library { lines.append("  in: \(yaml(library))") }
    if approval.isPattern { lines.append("  pattern: true") }
    lines.append("  reason: \(yaml(approval.reason))")
    lines.append("  by: \(yaml(approval.by))")
    if let until = approval.until { lines.append("  until: \(yaml(until))") }
    var start = text.flatMap { isEmpty($0) ? nil : $0 } ?? "approvals:\n"
    if !start.hasSuffix("\n") { start += "\n" }
    // Elements stand as far to the right as those that are there.
    let indent = start.split(separator: "\n").last { $0.drop { $0 == " " }.hasPrefix("- ") }
      .map { $0.prefix { $0 == " " } }
    return start + lines.map { "\(indent ?? "  ")\($0)\n" }.joined()
  }

  /// Whether a file has no approvals, but maybe comments.
  private static func isEmpty(_ text: String) -> Bool {
    let lines = text.split(separator: "\n").map { $0.filter { $0 != " " } }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    return lines.isEmpty || lines == ["approvals:"] || lines == ["approvals:[]"]
  }

  /// A text in quotes, in which YAML finds nothing else.
  private static func yaml(_ text: String) -> String {
    quotedYAML(text) { scalar in
      [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
  }
}
