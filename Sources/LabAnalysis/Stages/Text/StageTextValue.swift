/// A named time in a text.
package struct StageTextValue: Hashable, Sendable {
  /// As printed.
  package var name: String

  /// The name of the stage that it is brought to, of `StageName`; nil where there is none.
  package var stage: String?

  /// How long it took; nil where the text has no time for it.
  package var amount: StageTextAmount?

  /// In percent of the total, digits as printed with a digit before the point; nil for none.
  package var percent: String?

  /// Those of ``StageTextFlag``.
  package var flags: [String] = []

  /// The number of its line, from 1.
  package var line: Int

  /// The best guess at a wrapped time in nanoseconds: the total less the other stages, at least 0.
  package var repaired: Int64?

  /// The cycles that passed, with the last digit restored as 0; nil when they cannot be told.
  package var cycles: Int64?

  /// When it began, or for a mark and for the JVM when it ended.
  package var instant: StageTextAmount?

  /// The part of the time that was not spent in what it contains.
  package var own: StageTextAmount?

  /// How deep it is nested, from 0.
  package var depth: Int?

  package var pid: Int64?

  /// What else the line counts, such as `bytes`.
  package var counters: [String: Int64] = [:]

  init(
    name: String,
    stage: String? = nil,
    amount: StageTextAmount?,
    percent: String? = nil,
    flags: [String] = [],
    line: Int,
    instant: StageTextAmount? = nil
  ) {
    self.name = name
    self.stage = stage
    self.amount = amount
    self.percent = percent
    self.flags = flags
    self.line = line
    self.instant = instant
  }
}

/// A printed number with its unit, kept exactly.
package struct StageTextAmount: Hashable, Sendable {
  /// The digits as printed, with `.` as the decimal point and without grouping; may be empty.
  package var printed: String

  package var unit: Unit

  /// In whole nanoseconds, rounded; nil when it is not usable or its scale is not known.
  package var nanoseconds: Int64?

  /// The place after the decimal point, in seconds, of the last digit; nil for cycles.
  package var places: Int?

  /// How far the value may be off, in nanoseconds; nil when that is not known.
  package var resolution: Int64?

  /// The printed number in seconds, without zeros at its end; nil for cycles.
  package var printedSeconds: String? {
    unit.places.map { ExactDecimal.shifted(printed, by: $0) }
  }

  /// The value in seconds, without zeros at its end; nil when it is not usable.
  package var seconds: String? { nanoseconds == nil ? nil : printedSeconds }

  /// The resolution in seconds; nil for cycles.
  package var resolutionSeconds: String? {
    places.map { ExactDecimal.shifted("1", by: $0) }
  }

  /// Creates an amount of time whose resolution is its last digit.
  ///
  /// - Parameters:
  ///   - printed: Digits, with at most one point among them.
  ///   - unit: A unit of time.
  init(_ printed: String, _ unit: Unit) {
    self.printed = printed
    self.unit = unit
    guard let unitPlaces = unit.places else { return }
    let places = unitPlaces + ExactDecimal.fractionDigits(of: printed)
    self.places = places
    nanoseconds = ExactDecimal.integer(printed, timesTenTo: 9 - unitPlaces)
    resolution = places >= 9 ? 1 : ExactDecimal.power(9 - places)
  }

  /// The units in which texts print.
  package enum Unit: String, Sendable {
    case seconds
    case milliseconds
    case microseconds
    case nanoseconds
    case cycles

    /// How many decimal places a second has in it; nil for cycles.
    var places: Int? {
      switch self {
      case .seconds: 0
      case .milliseconds: 3
      case .microseconds: 6
      case .nanoseconds: 9
      case .cycles: nil
      }
    }
  }
}
