import Foundation

/// The result of `run` or `measure`, as `--json` writes it.
struct RunResult: Decodable {
  let schema: String
  let run: Run
  let arms: [Arm]
  let warnings: [Warning]

  struct Run: Decodable {
    let id: String
    let scenario: String
    let name: String
    let startedAt: String
    let seed: UInt64
    let host: Host
    let controls: [Control]
    let disturbedShare: Double
    let disturbedLimit: Double?

    struct Host: Decodable {
      let fingerprint: String
    }

    struct Control: Decodable {
      let name: String
      let wanted: String?
      let before: String?
      let after: String?
      let status: String
      let reason: String?
    }
  }

  struct Arm: Decodable {
    let target: String
    let state: String
    let launches: Int
    let outcomes: [String: Int]
    let warmUps: Int
    let stateReached: Reached
    let metrics: [String: Metric?]
    let kind: String
    let stages: [StagesResult.MedianStage]
    let collectors: [StagesResult.Summary]
    let pageIns: PageIns?
    let residency: Residency
    let disturbed: Disturbed

    struct Disturbed: Decodable {
      let launches: Int
      let unsettled: Int
      let repeated: Int
      let obstacle: String?
    }

    struct Reached: Decodable {
      let reached: Int
    }

    struct Metric: Decodable {
      let unit: String
      let n: Int
      let mean: Double
      let variance: Double?
      let stddev: Double?
      let cv: Double?
      let median: Double
      let mad: Double
      let min: Double
      let max: Double
      let p90: Double
      let p95: Double
      let ci95: [Double]?
      let values: [Int64]
    }

    struct PageIns: Decodable {
      let launches: Int
      let pages: Int
      let faulted: Int?
      let readAhead: Int?
      let files: [File]

      struct File: Decodable {
        let path: String
        let isOwn: Bool
        let pages: Int
        let faulted: Int?
        let readAhead: Int?
      }
    }

    struct Residency: Decodable {
      let residentPages: Int?
      let totalPages: Int?
      let pinned: [Pinned]

      struct Pinned: Decodable {
        let path: String
      }
    }
  }

  struct Warning: Decodable {
    let severity: String
    let id: String
    let problem: String
  }

  init(_ text: String) throws {
    self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
  }

  /// What became of a control.
  func control(_ name: String) -> Run.Control? { run.controls.first { $0.name == name } }

  /// The arm of a state, when there is one target.
  func arm(_ state: String) -> Arm? { arms.first { $0.state == state } }

  /// The arm of a state, plain or of a collector, when there is one target.
  func arm(_ state: String, _ kind: String) -> Arm? {
    arms.first { $0.state == state && $0.kind == kind }
  }
}
