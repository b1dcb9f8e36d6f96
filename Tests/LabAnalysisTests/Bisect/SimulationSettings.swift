@testable import Bisection
@testable import LaunchCore

/// A simulated range of revisions and the machine that it is launched on.
///
/// Shares are fractions: 0.05 is 5 %.
struct SimulationSettings: Hashable, Sendable {
  /// The number of revisions after good.
  var candidates = 64

  /// How much slower the change makes a launch, as a share.
  var effect = 0.05

  /// The standard deviation of one launch, as a share.
  var noise = 0.03

  var runs = 200
  var seed: UInt64 = 1
  var scenario = Scenario.single

  /// The standard deviation of the level of each build by itself.
  var jitter = 0.0

  /// The share of revisions that do not build, in runs of about three.
  var broken = 0.05

  /// The most that the machine drifts during one bisection.
  var drift = 0.03

  /// The share of launches that take 30 to 200 % longer.
  var outliers = 0.03

  /// The standard deviation of a slow wander of the machine, which is forgotten after 40 launches.
  var wander = 0.003

  /// The share of launches that lie in bursts of about 30, which make all of them 20 to 100 % slower.
  var bursts = 0.0

  /// The standard deviation of a slow wander of each build by itself, which is forgotten after 200
  /// launches.
  var levels = 0.0

  /// Whether a count is measured, which hardly varies, and not a time.
  var isExact = false

  /// How much slower each change makes a launch, as shares, where they are a set; below 0 for a
  /// faster one.
  var sizes: [Double] = []

  /// How much slower 30 % of the launches are.
  var bimodal = 0.0

  /// How much slower the first launch of a build is.
  var cold = 0.0

  /// What a build costs, in launches.
  var build = 100.0

  /// The most launches of one bisection.
  var launches = 8000

  /// The probability that a culprit must have.
  var confidence = 0.95

  /// The size of the second change as a share of the first one.
  var second = 0.5

  init() {}

  /// Where the changes are.
  enum Scenario: String, CaseIterable, Sendable {
    /// One change for the worse.
    case single

    /// None.
    case null

    /// Two for the worse, all of which are looked for.
    case two

    /// One for the worse and one for the better.
    case comp

    /// Sixteen tiny ones.
    case creep

    /// One that is reverted, and comes again.
    case spike

    /// One of each of some sizes, all of which are looked for.
    case set
  }
}

extension SimulationSettings {
  /// Reads settings such as `n=64,effect=5%,cv=3%,runs=200,seed=1,scenario=two`.
  ///
  /// Keys that are left out keep their defaults. Shares are written as `5%` or `0.05`, the sizes of
  /// several changes as `5%:-3%:2%`. `counts=yes` is a measure that hardly varies, on a quiet machine.
  ///
  /// - Parameter text: Keys with values, separated by commas.
  /// - Throws: ``SimulationError`` for an unknown key or a value that it cannot have.
  init(parsing text: String) throws(SimulationError) {
    self.init()
    for part in text.split(separator: ",") {
      let pieces = part.split(separator: "=", maxSplits: 1).map(Self.trimmed)
      guard pieces.count == 2 else {
        throw SimulationError("unknown setting `\(part)`", remedy: "write it as `key=value`")
      }
      try set(pieces[0], to: pieces[1])
    }
  }

  private mutating func set(_ key: String, to value: String) throws(SimulationError) {
    if let share = Self.shares.first(where: { $0.key == key }) {
      self[keyPath: share.path] = try Self.share(key, value, share.range)
      return
    }
    switch key {
    case "n": candidates = try Self.whole(key, value, 1...65_536)
    case "runs": runs = try Self.whole(key, value, 1...1_000_000)
    case "launches": launches = try Self.whole(key, value, 1...10_000_000)
    case "seed": seed = UInt64(try Self.whole(key, value, 0...Int.max))
    case "scenario":
      guard let known = Scenario(rawValue: value) else {
        throw SimulationError.unknown("scenario", value, among: Scenario.allCases.map(\.rawValue))
      }
      scenario = known
    case "sizes":
      scenario = .set
      sizes = []
      for size in value.split(separator: ":") {
        sizes.append(try Self.share(key, String(size), -0.9...10))
      }
    case "counts":
      guard value == "yes" else {
        throw SimulationError("`counts` cannot be `\(value)`", remedy: "write `counts=yes`")
      }
      isExact = true
      (noise, drift, outliers, wander) = (0.0001, 0, 0, 0)
    default: throw SimulationError.unknown("setting", key, among: Self.keys)
    }
  }

  /// The settings that are one number, with what it may be.
  private static var shares: [Share] {
    [
      Share("effect", \.effect, 0.0001...10), Share("cv", \.noise), Share("jitter", \.jitter),
      Share("broken", \.broken, 0...0.99), Share("drift", \.drift), Share("outliers", \.outliers),
      Share("bursts", \.bursts, 0...0.9), Share("ar", \.wander), Share("levels", \.levels),
      Share("bimodal", \.bimodal, 0...10), Share("cold", \.cold, 0...10),
      Share("second", \.second, 0...10), Share("build", \.build, 0...1_000_000),
      Share("conf", \.confidence, 0.5...0.9999),
    ]
  }

  private struct Share {
    let key: String
    let path: WritableKeyPath<SimulationSettings, Double>
    let range: ClosedRange<Double>

    init(
      _ key: String,
      _ path: WritableKeyPath<SimulationSettings, Double>,
      _ range: ClosedRange<Double> = 0...1
    ) {
      self.key = key
      self.path = path
      self.range = range
    }
  }

  private static var keys: [String] {
    shares.map(\.key) + ["n", "runs", "launches", "seed", "scenario", "sizes", "counts"]
  }

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
struct SimulationError: LabError, Hashable {
  let diagnostics: [Diagnostic]

  var exitCode: LabExitCode { .usage }

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
