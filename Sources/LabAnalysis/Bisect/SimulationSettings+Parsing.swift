package import LabModel

extension SimulationSettings {
  /// Reads settings such as `n=64,effect=5%,cv=3%,runs=200,seed=1,scenario=two`.
  ///
  /// Keys that are left out keep their defaults. Shares are written as `5%` or `0.05`.
  ///
  /// - Parameter text: Keys with values, separated by commas.
  /// - Throws: ``SimulationError`` for an unknown key or a value that it cannot have.
  package init(parsing text: String) throws(SimulationError) {
    self.init()
    for part in text.split(separator: ",") {
      let pieces = part.split(separator: "=", maxSplits: 1).map(Self.trimmed)
      guard pieces.count == 2 else {
        throw SimulationError("`\(part)` is no setting", remedy: "write it as `key=value`")
      }
      try set(pieces[0], to: pieces[1])
    }
  }

  private mutating func set(_ key: String, to value: String) throws(SimulationError) {
    switch key {
    case "n": candidates = try Self.whole(key, value, 1...65_536)
    case "runs": runs = try Self.whole(key, value, 1...1_000_000)
    case "launches": launches = try Self.whole(key, value, 1...10_000_000)
    case "seed": seed = UInt64(try Self.whole(key, value, 0...Int.max))
    case "effect": effect = try Self.share(key, value, 0.0001...10)
    case "cv": noise = try Self.share(key, value, 0...1)
    case "jitter": jitter = try Self.share(key, value, 0...1)
    case "broken": broken = try Self.share(key, value, 0...0.99)
    case "drift": drift = try Self.share(key, value, 0...1)
    case "outliers": outliers = try Self.share(key, value, 0...1)
    case "ar": wander = try Self.share(key, value, 0...1)
    case "bimodal": bimodal = try Self.share(key, value, 0...10)
    case "cold": cold = try Self.share(key, value, 0...10)
    case "second": second = try Self.share(key, value, 0...10)
    case "build": build = try Self.share(key, value, 0...1_000_000)
    case "conf": confidence = try Self.share(key, value, 0.5...0.9999)
    case "scenario":
      guard let known = Scenario(rawValue: value) else {
        throw SimulationError.unknown("scenario", value, among: Scenario.allCases.map(\.rawValue))
      }
      scenario = known
    default: throw SimulationError.unknown("setting", key, among: Self.keys)
    }
  }

  private static let keys = [
    "n", "effect", "cv", "runs", "seed", "scenario", "jitter", "broken", "drift", "outliers", "ar",
    "bimodal", "cold", "second", "build", "launches", "conf",
  ]

  private static func whole(
    _ key: String,
    _ text: String,
    _ range: ClosedRange<Int>
  ) throws(SimulationError) -> Int {
    guard let value = Int(text), range.contains(value) else {
      throw SimulationError(
        "`\(key)` cannot be `\(text)`",
        remedy: "write a whole number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return value
  }

  private static func share(
    _ key: String,
    _ text: String,
    _ range: ClosedRange<Double>
  ) throws(SimulationError) -> Double {
    let isPercent = text.hasSuffix("%")
    let number = Double(isPercent ? String(text.dropLast()) : text)
    guard let number, range.contains(isPercent ? number / 100 : number) else {
      throw SimulationError(
        "`\(key)` cannot be `\(text)`",
        remedy: "write a number from \(range.lowerBound) to \(range.upperBound), or a percentage"
      )
    }
    return isPercent ? number / 100 : number
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}

/// A setting of a simulation that cannot be.
package struct SimulationError: LabError, Hashable {
  package let diagnostics: [Diagnostic]

  package var exitCode: LabExitCode { .usage }

  init(_ problem: String, remedy: String) {
    diagnostics = [
      Diagnostic(
        .error,
        id: "simulation-setting",
        problem: problem,
        place: "--simulate",
        remedy: remedy
      )
    ]
  }

  static func unknown(_ what: String, _ word: String, among known: [String]) -> SimulationError {
    SimulationError(
      "there is no \(what) `\(word)`",
      remedy: spellingRemedy(for: word, among: known)
    )
  }
}
