import Foundation

@testable import Bisection
@testable import LaunchCore

/// A simulated bisection of `Fixtures/bisect`, with what was asked for and answered.
struct GoldenRun: Decodable {
  var config: Config
  var maxLaunches: Int
  var events: [Event]
  var verdict: String
  var culprits: [[Int]]
  var builds: Int
  var launches: Int

  init(_ name: String) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: bisectFixture(name))
  }

  /// The engine as it was when the run was made.
  var engine: BisectEngine {
    let parameters = BisectParameters(
      findsAll: ["two", "comp", "spike"].contains(config.scenario),
      limits: BisectLimits(launches: maxLaunches)
    )
    let weights = [Double](repeating: 1, count: config.n + 1)
    return BisectEngine(weights: weights, parameters: parameters, rules: .reference)
  }

  struct Config: Decodable {
    var n: Int
    var scenario: String
  }

  struct Event: Decodable {
    var action: Action
    var ok: Bool?
    var y: [[Double]]?
    var after: Belief?
  }

  struct Belief: Decodable {
    var best: [Int]
    var mass: Double
    var delta: Double
    var tau: Double
    var two: Double
    var s1: Double
  }

  /// An action as `["build", 3]`, `["pairs", 0, 64, 16]`, `["rounds", [0, 5, 64], 6]` or
  /// `["done", "found"]`.
  enum Action: Decodable, Equatable {
    case build(Int)
    case launch([Int], Int)
    case done(String)

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      switch try values.decode(String.self) {
      case "build": self = .build(try values.decode(Int.self))
      case "pairs":
        let arms = [try values.decode(Int.self), try values.decode(Int.self)]
        self = .launch(arms, try values.decode(Int.self))
      case "rounds":
        let arms = try values.decode([Int].self)
        self = .launch(arms, try values.decode(Int.self))
      default: self = .done(try values.decode(String.self))
      }
    }

    init(_ action: BisectAction) {
      switch action {
      case .build(let revision): self = .build(revision)
      case .launch(let arms, let rows): self = .launch(arms, rows)
      case .done(let answer):
        switch answer.outcome {
        case .found: self = .done("found")
        case .refused, .failed: self = .done("refused")
        case .inconclusive: self = .done("inconclusive")
        }
      }
    }
  }
}

/// Reads a file of `Fixtures/bisect`.
func bisectFixture(_ name: String) throws -> Data {
  let file = Bundle.module.bundleURL.appending(components: "Fixtures", "bisect", "\(name).json")
  return try Data(contentsOf: file)
}
