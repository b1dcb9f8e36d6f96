import Foundation
import LabTestSupport
import Testing

/// The script that computes the numbers of `why` again, on an example that was computed by hand.
///
/// Baseline 100, 102, 98, 101, 99: median 100, MAD 1, mean 100, variance 10 / 4. The quantile .999 of
/// Student's t with 4 degrees of freedom is 7.173182219782308 in tables, so that the limit is
/// 100 + 7.173182219782308 · √2.5 · √1.2. Six pairs of ratio 1.1 have an interval without width.
@Suite(.temporaryDirectory, .enabled(if: Machine.has("python3"), "python3 is not installed"))
struct RecomputeScriptTests {
  private static let script = Repository.root
    .appending(path: "Tests/LaunchlabIntegrationTests/recompute.py").path

  private static let medians = [
    "n1": 100.0, "n2": 102, "n3": 98, "n4": 101, "n5": 99, "n6": 150,
  ]

  private static func criterion(
    _ id: String,
    _ value: Double,
    limit: Double? = nil,
    met: Bool,
    n: Int? = nil,
    runs: [String]
  ) -> [String: Any] {
    [
      "id": id, "value": value, "limit": limit as Any? ?? NSNull(), "met": met,
      "n": n as Any? ?? NSNull(), "runs": runs, "unit": "ns", "text": id,
    ]
  }

  private static var criteria: [[String: Any]] {
    let nights = ["n1", "n2", "n3", "n4", "n5"]
    let limit = 100 + 7.173_182_219_782_308 * 3.0.squareRoot()
    return [
      criterion("baseline-median", 100, met: false, n: 5, runs: nights),
      criterion("baseline-mad", 1, met: false, n: 5, runs: nights),
      criterion("baseline-mean", 100, met: false, n: 5, runs: nights),
      criterion("baseline-sd", 2.5.squareRoot(), met: false, n: 5, runs: nights),
      criterion("t-prediction", 150, limit: limit, met: true, n: 5, runs: ["n6"]),
      criterion("two-of-three", 150, limit: 102.9652, met: false, n: 1, runs: ["n4", "n5", "n6"]),
      criterion("effect", 0.5, limit: 0.02, met: true, runs: ["n6"]),
      criterion("proof-ratio", 1.1, limit: 1.02, met: true, n: 6, runs: ["p1"]),
      criterion("proof-ratio-low", 1.1, limit: 1.02, met: true, n: 6, runs: ["p1"]),
      criterion("proof-ratio-high", 1.1, limit: 1.02, met: false, n: 6, runs: ["p1"]),
    ]
  }

  private static func finding(_ criteria: [[String: Any]] = criteria) -> [String: Any] {
    [
      "kind": "step", "onset": ["run": "n6"], "ci95": [1.1, 1.1], "criteria": criteria,
      "scenario": "demo", "target": "app", "launch_state": "warm", "metric": "launch",
      "unit": "ns", "direction": "worse", "before": 100.0, "after": 150.0, "ratio": 1.5,
      "proof": [
        "run": "p1", "baseline": "app@old", "candidate": "app@new", "pairs": 6, "ratio": 1.1,
        "low": 1.1, "high": 1.1, "confidence": 0.95, "effect_limit": 0.02, "verdict": "regression",
        "smallest_detectable": 0.02,
      ] as [String: Any],
      "events": [
        [
          "at": "2026-11-14T02:00:00Z", "run": "n6", "state": "confirmed", "reason": "worse",
          "criteria": criteria,
        ] as [String: Any]
      ],
    ]
  }

  private static var nights: [[String: Any]] {
    medians.sorted { $0.key < $1.key }.map { run, median in
      [
        "scenario": "demo", "run": run, "started_at": "2026-11-0\(run.suffix(1))T02:00:00Z",
        "status": "complete", "fingerprint": "host", "target": "app", "state": "warm",
        "metric": "launch", "median": median,
      ]
    }
  }

  private static var launches: [[String: Any]] {
    var launches: [[String: Any]] = []
    for block in 0..<6 {
      launches.append(launch("app@old", block, 1_000 + 100 * block))
      launches.append(launch("app@new", block, 1_100 + 110 * block))
    }
    return launches
  }

  private static func launch(_ target: String, _ block: Int, _ time: Int) -> [String: Any] {
    let disturbances: [String] = []
    return [
      "run": "p1", "block": block, "target": target, "state": "warm", "kind": "plain",
      "outcome": "ready", "state_reached": "reached", "disturbed": disturbances,
      "launch_ns": time,
    ]
  }

  private func recompute(
    _ finding: [String: Any],
    withLaunches: Bool = true
  ) throws -> Tool.Output {
    let directory = TemporaryDirectory.path
    func write(_ objects: [[String: Any]], to name: String) throws -> String {
      let lines = try objects.map { object in
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      }
      let path = "\(directory)/\(name)"
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
      return path
    }
    var arguments = [
      Self.script, try write(Self.nights, to: "nights.jsonl"), try write([], to: "alerts.jsonl"),
      try write([finding], to: "finding.json"),
    ]
    if withLaunches { arguments.append(try write(Self.launches, to: "launches.jsonl")) }
    return try Tool.run(
      "python3",
      arguments,
      environment: ["PYTHONDONTWRITEBYTECODE": "1"]
    )
  }

  @Test func `agrees with what was computed by hand`() throws {
    let output = try recompute(Self.finding())
    #expect(output.status == 0, "\(output.stdout)\(output.stderr)")
    #expect(output.stdout.contains("same  t-prediction limit: why 112.42431"))
    #expect(output.stdout.contains("same  proof smallest detectable"))
  }

  struct Change: CustomTestStringConvertible {
    var testDescription: String
    var place: Int
    var member: String
    var value: any Sendable
  }

  @Test(arguments: [
    Change(testDescription: "a value", place: 0, member: "value", value: 100.000_001),
    Change(testDescription: "a limit", place: 4, member: "limit", value: 112.5),
    Change(testDescription: "what is met", place: 5, member: "met", value: true),
    Change(testDescription: "n", place: 6 - 1, member: "n", value: 2),
    Change(testDescription: "an id", place: 6, member: "id", value: "guess"),
    Change(testDescription: "a night", place: 1, member: "runs", value: ["n1", "n9"]),
    Change(testDescription: "a bound", place: 8, member: "value", value: 1.09),
  ])
  func `notices another number`(_ change: Change) throws {
    var criteria = Self.criteria
    criteria[change.place][change.member] = change.value
    let output = try recompute(Self.finding(criteria))
    #expect(output.status == 1, "\(output.stdout)")
    #expect(output.stderr.isEmpty)
  }

  @Test func `asks for the launches of a proof`() throws {
    let output = try recompute(Self.finding(), withLaunches: false)
    #expect(output.status == 1)
    #expect(output.stdout.contains("PROBLEM  the launches of the proof p1 were not given"))
  }
}
