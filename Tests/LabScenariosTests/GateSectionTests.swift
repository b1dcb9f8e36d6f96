import Foundation
import LabTestSupport
import LaunchCore
import Testing

@testable import Scenarios

@Suite(.temporaryDirectory) struct GateSectionTests {
  private func rules(_ section: String) throws -> GateRules? {
    let text = "scenario: s\ntargets:\n  app:\n    command: [/bin/true]\n\(section)"
    return try ScenarioFile.load(text: text, path: "/srv/scenario.yml").gate
  }

  @Test func `reads rules, and keeps the others as they are`() throws {
    let read = try rules("gate:\n  libraries: forbid\n  tasks: ignore\n  launch: 3.5%\n")
    let rules = try #require(read)
    #expect(rules.libraries == .forbid && rules.initializers == .review && rules.tasks == .ignore)
    #expect(rules.limit(of: .launch) == 0.035)
    #expect(rules.limit(of: .instructions) == 0.01)
    #expect(rules.approvals == nil)
    #expect(try self.rules("gate: {approvals: ok.yml}\n")?.approvals == "/srv/ok.yml")
    #expect(try self.rules("") == nil)
  }

  @Test(arguments: ["libraries: maybe", "launch: 2", "launch: -1%", "speed: 1%"])
  func `refuses what is no rule, with its place`(_ line: String) throws {
    let error = try #require(throws: ScenarioError.self) { try rules("gate:\n  \(line)\n") }
    let diagnostic = try #require(error.diagnostics.first)
    #expect(diagnostic.place?.hasPrefix("/srv/scenario.yml:6:") == true)
    #expect(diagnostic.remedy != nil)
  }

  private func approvals(_ text: String) throws -> [GateApproval] {
    try ApprovalsFile.approvals(in: text, path: "ok.yml")
  }

  @Test func `no file means no approvals, and one that cannot be read is an error`() throws {
    #expect(try ApprovalsFile.approvals(at: "/none/launch-approvals.yml") == [])
    let error = #expect(throws: ScenarioError.self) { try ApprovalsFile.approvals(at: "/") }
    #expect(
      error?.diagnostics.map(\.problem) == [
        "cannot read the list of approvals \"/\": it is a directory"
      ]
    )
    #expect(error?.diagnostics[0].remedy?.contains("`gate.approvals`") == true)
  }

  @Test func `quotes nothing of a file that approvals are linked to`() throws {
    let directory = URL(filePath: TemporaryDirectory.path)
    let link = directory.appending(path: "launch-approvals.yml")
    let target = directory.appending(path: "target")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    for text in ["root:secret:1:2\n", "secret\n", "approvals: [{secret: x}]\n", "- [secret\n"] {
      try Data(text.utf8).write(to: target)
      let error = #expect(throws: ScenarioError.self) { try ApprovalsFile.approvals(at: link.path) }
      let shown = error?.diagnostics.map(\.description).joined() ?? ""
      #expect(shown.contains("it links to a file without approvals"))
      #expect(!shown.contains("secret"), "\(shown)")
    }
    try Data("approvals:\n- {task: a, reason: r, by: b}\n".utf8).write(to: target)
    #expect(try ApprovalsFile.approvals(at: link.path).map(\.name) == ["a"])
  }

  @Test func `reads approvals that it has written`() throws {
    let first = GateApproval(
      kind: .initializer,
      name: "app::\"Font\\",
      library: "libfont.so.1",
      reason: "two\nlines: # and more",
      by: "Ann",
      until: "2027-01-31"
    )
    let second = GateApproval(
      kind: .library,
      name: "lib*.so",
      isPattern: true,
      reason: "all",
      by: "Bob"
    )
    let text = ApprovalsFile.text(ApprovalsFile.text(nil, adding: first), adding: second)
    let read = try approvals(text)
    #expect(read.map(\.name) == [first.name, second.name])
    #expect(read[0].reason == first.reason)
    #expect(read[0].until == first.until && read[0].library == first.library)
    #expect(read[1] == second)
    for start in [
      "", "# none\n", "approvals: []\n", "approvals:\n",
      "approvals:\n- {task: a, reason: r, by: b}\n",
    ] {
      #expect(try approvals(ApprovalsFile.text(start, adding: second)).last == second, "\(start)")
    }
  }

  @Test(arguments: [
    ("- {library: a, task: b, reason: r, by: c}", "an approval names 2 things instead of one"),
    ("- {reason: r, by: c}", "an approval names 0 things instead of one"),
    ("- {library: 'a*', reason: r, by: c}", "does not say that it is a pattern"),
    ("- {library: a, reason: r, by: c, until: 2027-13-01}", "\"2027-13-01\" is not a day"),
    ("- {library: a, reason: r, by: c, until: 2027-02-31}", "\"2027-02-31\" is not a day"),
    ("- {library: a, by: c}", "reason"),
    ("- {libary: a, reason: r, by: c}", "libary"),
  ])
  func `refuses mistakes in approvals`(_ line: String, _ problem: String) throws {
    let error = try #require(throws: ScenarioError.self) {
      try approvals("approvals:\n  \(line)\n")
    }
    #expect(error.diagnostics.contains { $0.problem.contains(problem) }, "\(error.diagnostics)")
    #expect(error.diagnostics.allSatisfy { $0.place?.hasPrefix("ok.yml:2:") == true })
  }

  @Test func `an approval is of the things that it names`() {
    func covers(_ name: String, _ other: String, isPattern: Bool = false) -> Bool {
      GateApproval(kind: .library, name: name, isPattern: isPattern, reason: "r", by: "b")
        .covers(.library, other, in: nil)
    }
    #expect(covers("liba.so", "liba.so") && !covers("liba.so", "liba.so.1"))
    #expect(covers("lib*.so.1", "libfont.so.1", isPattern: true))
    #expect(covers("*font*", "libfont.so.1", isPattern: true))
    #expect(!covers("lib*.so", "libfont.so.1", isPattern: true))
    #expect(!covers("lib.so*lib.so", "lib.so", isPattern: true))
    let placed = GateApproval(kind: .task, name: "load", library: "a", reason: "r", by: "b")
    #expect(placed.covers(.task, "load", in: "a") && !placed.covers(.task, "load", in: "b"))
    #expect(!placed.covers(.initializer, "load", in: "a"))
  }
}
