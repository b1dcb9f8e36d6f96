import Foundation

/// One run as `history --json` tells it.
struct StoredRun: Decodable {
  let id: String
  let scenario: String
  let status: String
  let plannedLaunches: Int
  let launches: Int
  let blocks: Int
  let verdict: String?
  let exitCode: Int?

  struct List: Decodable {
    let runs: [StoredRun]
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
}

/// One launch as a line of `export` tells it.
struct StoredLaunch: Decodable {
  let run: String
  let block: Int
  let position: Int
  let target: String
  let state: String
  let kind: String
  let outcome: String
  let exitCode: Int?
  let signal: Int?
  let reason: String?
  let launchNs: Int64?
  let flags: [String]
  let stateReached: String

  /// How long it was put off, where the machine had to settle.
  let waitedNs: Int64?

  /// What had not settled.
  let unsettled: String?

  let disturbed: [Disturbance]
  let stdout: Output?

  /// Of collector launches.
  let stages: StagesResult.Block?

  struct Disturbance: Decodable {
    let kind: String
    let amount: Int64
    let limit: Int64
  }

  struct Output: Decodable {
    let head: String
    let totalBytes: Int64
  }
}

extension [StoredLaunch] {
  /// The arms of each block that is stored, by the number of the block.
  var blocks: [Int: [String]] {
    Dictionary(grouping: self, by: \.block).mapValues { launches in
      launches.map { "\($0.target) \($0.state)" }.sorted()
    }
  }
}
