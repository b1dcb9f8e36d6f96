import Foundation
import LabTestSupport
import Testing

extension EndToEnd {
  /// The numbers of `why` after real nights, computed again from `export` by the script.
  @Suite(
    .enabled(if: Machine.has("git"), "git is not installed"),
    .enabled(if: Machine.has("cc"), "there is no C compiler `cc`"),
    .enabled(if: Machine.has("python3"), "python3 is not installed")
  ) struct RecomputedFindingTests {
    @Test func `every number of why can be computed again from export`() async throws {
      let lab = Launchlab()
      try lab.writeTwoPrograms(kilobytes: 4_000)
      try lab.makeRepository()
      for _ in 0..<6 {
        let quiet = try await lab.run("run", "scenario.yml")
        #expect(quiet.status == 0, "\(quiet.stderr)")
      }
      // One program takes more memory by its code, the other one by what it finds on the machine.
      try lab.writeTwoPrograms(kilobytes: 12_000)
      try lab.write("3", to: "factor")
      try lab.commit()
      let bad = try await lab.run("run", "scenario.yml")
      #expect(bad.status == 1, "\(bad.stderr)")

      let findings = try await lab.findings()
      let kinds = Set(
        findings.map { "\($0.finding.kind) \($0.finding.target) \($0.finding.state)" }
      )
      #expect(kinds == ["step app confirmed", "step aux refuted", "budget aux confirmed"])
      for (finding, text) in findings {
        let output = try await lab.recompute(finding, text)
        #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
        #expect(output.stdout.contains(" 0 differ"))
      }

      let (proved, text) = try #require(findings.first { $0.finding.target == "app" })
      let falsified = text.replacing(#""n": 6"#, with: #""n": 5"#, maxReplacements: 1)
      #expect(falsified != text)
      #expect(try await lab.recompute(proved, falsified).status == 1)
    }
  }
}

extension Launchlab {
  fileprivate func writeTwoPrograms(kilobytes: Int) throws {
    try write("1", to: "factor")
    try write(Self.program(size: "\(kilobytes)", factor: "1"), to: "repository/app.c")
    let factor = "(file ? fgetc(file) - '0' : 1)"
    try write(Self.program(size: "4000", factor: factor), to: "repository/aux.c")
    try write(
      """
      scenario: app
      source: {repository: repository, build: "cc -o app app.c && cc -o aux aux.c"}
      targets:
        app: {command: [./app, "\(path("factor"))"]}
        aux: {command: [./aux, "\(path("factor"))"]}
      states: [warm]
      launches: 5
      baseline: {control: ["/bin/true"]}
      regression: {metrics: [peak_rss], effect: 20%, proof: 10}
      budgets: [{target: aux, state: warm, metric: peak_rss, max: 8MiB}]
      """,
      to: "scenario.yml"
    )
  }

  private static func program(size: String, factor: String) -> String {
    """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    int main(int count, char **words) {
      FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
      size_t size = (size_t)\(size) * 1024 * (file ? \(factor) : 1);
      char *memory = malloc(size);
      if (!memory) return 1;
      memset(memory, 1, size);
      return memory[size / 2] - 1;
    }

    """
  }

  /// Each stored alert as `why --json` writes it.
  fileprivate func findings() async throws -> [(finding: Finding, text: String)] {
    let alerts = try await run("export", "--what", "alerts").stdout
    try write(alerts, to: "alerts.jsonl")
    try write(try await run("export", "--what", "nights").stdout, to: "nights.jsonl")
    var findings: [(finding: Finding, text: String)] = []
    for number in 1...alerts.split(separator: "\n").count {
      let text = try await run("why", "R-\(number)", "--json", "-").stdout
      findings.append((try JSONDecoder().decode(Finding.self, from: Data(text.utf8)), text))
    }
    return findings
  }

  /// What the script says of a finding.
  fileprivate func recompute(_ finding: Finding, _ text: String) async throws -> Tool.Output {
    try write(text, to: "finding.json")
    let script = Repository.root.appending(path: "Tests/LaunchlabIntegrationTests/recompute.py")
    let files = ["nights.jsonl", "alerts.jsonl", "finding.json"].map(path)
    var options = ["--effect", "0.2", "--metrics", "peak_rss"]
    if let proof = finding.proof {
      try write(try await run("export", proof.run).stdout, to: "proof.jsonl")
      options.insert(path("proof.jsonl"), at: 0)
    }
    return try Tool.run(
      "python3",
      [script.path] + files + options,
      environment: ["PYTHONDONTWRITEBYTECODE": "1"]
    )
  }
}

private struct Finding: Decodable {
  let kind: String
  let target: String
  let state: String
  let proof: Proof?

  struct Proof: Decodable {
    let run: String
  }
}
