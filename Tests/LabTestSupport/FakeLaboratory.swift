package import LaunchCore

/// A laboratory without a machine: it answers from closures and records what it was asked.
package final class FakeLaboratory: LaunchLaboratory {
  /// Every request in order, such as `prepare perl warm`.
  package private(set) var log: [String] = []

  package let host = HostFacts(architecture: "x86_64", kernel: "6.18", fingerprint: "c0ffee")
  package let receipts: [ControlReceipt] = []
  package let notes: [Diagnostic] = []
  package private(set) var isClosed = false

  /// A clock that moves by one microsecond whenever it is read.
  package var now: Nanoseconds {
    reading += 1_000
    return Nanoseconds(reading)
  }

  private var reading: Int64 = 0
  private let result: (Arm, Int) throws -> LaunchResult
  private let preparation: (Arm) -> Preparation
  private var launches = 0

  /// - Parameters:
  ///   - preparation: What preparing an arm gives.
  ///   - result: What the launch of an arm gives; the number counts all launches from 0.
  package init(
    preparation: @escaping (Arm) -> Preparation = { _ in Preparation() },
    result: @escaping (Arm, Int) throws -> LaunchResult
  ) {
    self.preparation = preparation
    self.result = result
  }

  package func prepare(_ arm: Arm) throws -> Preparation {
    log.append("prepare \(arm.target) \(arm.state.rawValue)")
    return preparation(arm)
  }

  package func launch(_ arm: Arm) throws -> LaunchResult {
    log.append("launch \(arm.target) \(arm.state.rawValue)")
    defer { launches += 1 }
    return try result(arm, launches)
  }

  package func stopWaiting() { log.append("stop waiting") }

  package func close() { isClosed = true }
}
