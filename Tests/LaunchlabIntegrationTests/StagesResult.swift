import Foundation

/// The result of `stages`, as `--json` writes it.
struct StagesResult: Decodable {
  let schema: String
  let command: [String]
  let launches: Int
  let collector: String?
  let blocks: [Block]
  let summaries: [Summary]

  /// One launch.
  struct Block: Decodable {
    let format: String
    let pid: Int?
    let program: String?
    let totalNs: Int64?
    let preMainNs: Int64?
    let stages: [Stage]
    let images: [Image]
    let programs: [Program]
    let processes: [LaunchedProgram]?
    let counters: [String: Int]
    let flags: [String]
    let notes: [String]
  }

  /// A program that a process executed or forked.
  struct LaunchedProgram: Decodable {
    let pid: Int
    let parent: Int?
    let program: String
    let isExecuted: Bool
    let startNs: Int64
    let endNs: Int64?
  }

  struct Stage: Decodable {
    let name: String
    let ns: Int64?
    let startNs: Int64?
    let share: Double?
    let kind: String
    let flags: [String]
    let source: String
    let place: Place?
    let children: [Stage]

    /// The stage and everything below it.
    var all: [Stage] { [self] + children.flatMap(\.all) }
  }

  struct Place: Decodable {
    let file: String
    let offset: Int64?
    let symbol: String?
  }

  struct Image: Decodable {
    let name: String
    let ns: Int64
  }

  /// Another program of the launch.
  struct Program: Decodable {
    let pid: Int
    let program: String
    let isWrapper: Bool
    let stages: [Stage]
  }

  /// The medians of one collector.
  struct Summary: Decodable {
    let collector: String
    let program: String?
    let launches: Int
    let notReady: Int
    let medianNs: Double?
    let preMainNs: Double?
    let stages: [MedianStage]
    let counters: [String: Int]
    let cost: Cost?
    let sumCheck: SumCheck?
    let notes: [Note]
  }

  struct MedianStage: Decodable {
    let name: String
    let medianNs: Double?
    let share: Double?
    let n: Int
    let kind: String
    let place: Place?
    let children: [MedianStage]

    /// The stage and everything below it.
    var all: [MedianStage] { [self] + children.flatMap(\.all) }
  }

  struct Cost: Decodable {
    let n: Int
    let medianNs: Double
  }

  struct SumCheck: Decodable {
    let sumNs: Double
    let launchNs: Double
    let plainNs: Double?
    let worstLaunch: Double
    let isOff: Bool
  }

  struct Note: Decodable {
    let note: String
    let launches: Int
  }

  init(_ text: String) throws {
    self = try StoredRun.decoder.decode(Self.self, from: Data(text.utf8))
  }
}

extension StagesResult.Block {
  /// The stages that sum to the launch.
  var parts: [StagesResult.Stage] { stages.filter { $0.kind == "part" } }

  /// Every stage of the launch, parents first.
  var all: [StagesResult.Stage] { stages.flatMap(\.all) }

  func part(_ name: String) -> StagesResult.Stage? { parts.first { $0.name == name } }

  /// The initializers that have a time of their own, the slowest first.
  var initializers: [StagesResult.Stage] {
    (part("init")?.all ?? []).filter { $0.place?.offset != nil }
      .sorted { ($0.ns ?? 0) > ($1.ns ?? 0) }
  }

  /// The paths of the libraries that were found and mapped before `main`, in their order.
  var libraries: [String] { (part("load")?.children ?? []).compactMap(\.place?.file) }

  /// Whether a note has a text in it.
  func notes(_ text: String) -> Bool { notes.contains { $0.contains(text) } }
}
