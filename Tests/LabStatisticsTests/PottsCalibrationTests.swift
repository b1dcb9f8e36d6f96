import Foundation
import Testing

@testable import LaunchStatistics

/// A shape of the scatter of nightly medians around 400 ms.
enum NightNoise: String, CaseIterable, Sendable {
  case gauss
  case correlated
  case bimodal
  case spiky
  case drifting

  /// A series with a step of the given share at the given place.
  func series(_ count: Int, step: Double, at place: Int, seed: UInt64) -> [Double] {
    var generator = SeededGenerator(seed: seed)
    var before = 0.0
    return (0..<count).map { index in
      var noise = 6 * generator.nextNormal()
      switch self {
      case .gauss: break
      case .correlated:
        noise = 0.6 * before + 0.8 * noise
        before = noise
      case .bimodal: noise = noise / 2 + (generator.nextUniform() < 0.3 ? 16 : 0)
      case .spiky: noise += generator.nextUniform() < 0.05 ? 200 * generator.nextUniform() : 0
      case .drifting: noise += 8 * Double(index) / Double(count)
      }
      return 400 * (1 + (index >= place ? step : 0)) + noise
    }
  }
}

/// How often levels are told where there is one, and how often a planted one is found.
@Suite struct PottsCalibrationTests {
  /// Nights in a series, and how many series stand for each figure.
  private static let nights = 80
  private static let series = 40

  @Test(arguments: NightNoise.allCases)
  func `tells few levels of steady series`(noise: NightNoise) {
    let alarms = (0..<Self.series).count { index in
      let values = noise.series(Self.nights, step: 0, at: 0, seed: UInt64(1_000 + index))
      return PottsSegmentation.levels(of: values, effect: 0.02).count > 1
    }
    #expect(alarms <= (noise == .bimodal ? 2 : 1))
  }

  /// A step looks much like correlated noise, which is what keeps correlated noise quiet.
  @Test(arguments: NightNoise.allCases)
  func `finds a planted step of 6 %`(noise: NightNoise) {
    let found = (0..<Self.series).count { index in
      let place = 25 + index % 30
      let values = noise.series(Self.nights, step: 0.06, at: place, seed: UInt64(2_000 + index))
      let levels = PottsSegmentation.levels(of: values, effect: 0.02)
      return levels.dropFirst().contains { abs($0.range.lowerBound - place) <= 3 }
    }
    let least: [NightNoise: Int] = [.correlated: 8, .bimodal: 24]
    #expect(found >= least[noise, default: 36])
  }
}
