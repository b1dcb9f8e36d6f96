import Foundation
import LabTestSupport

@testable import LaunchCore
@testable import LaunchHost
@testable import Measuring

extension WorkflowContext {
  /// A world in the directory of the test, with a lab lock of its own and nothing of this machine.
  ///
  /// - Parameters:
  ///   - now: What its clock says at first; every reading is a second later.
  ///   - directory: The working directory; nil means that of the test.
  ///   - laboratory: What the launches of a plan are made on.
  /// - Returns: A context that tells nobody what goes on.
  static func fake(
    at now: Date = SampleNight.evening,
    directory: String? = nil,
    launching laboratory: @escaping (Plan) throws -> any LaunchLaboratory = { plan in
      FakeLaboratory(launching: plan)
    }
  ) -> Self {
    let root = TemporaryDirectory.path
    let flag = Result { () throws(HostError) in try InterruptFlag() }
    var readings = 0.0
    return Self(
      now: {
        defer { readings += 1 }
        return now + readings
      },
      environment: ["LAUNCHLAB_STATE_DIR": "\(root)/state", "HOME": root, "PATH": "/usr/bin:/bin"],
      directory: directory ?? root,
      interrupt: { () throws(HostError) in try flag.get() },
      laboratory: { plan, _, _, _ in try laboratory(plan) },
      observe: { _ in }
    )
  }
}

/// What workflows tell while they go on.
final class ToldEvents {
  private(set) var all: [RunEvent] = []

  func add(_ event: RunEvent) { all.append(event) }

  /// The launches that were made.
  var launches: Int {
    all.count { if case .launched = $0 { true } else { false } }
  }

  /// How many launches were stored before each run that began.
  var starts: [Int] {
    all.compactMap { if case .started(_, let done) = $0 { done } else { nil } }
  }

  /// The arms of each proof that began.
  var proofs: [String] {
    all.compactMap { if case .proving(let arms, _, _) = $0 { arms } else { nil } }
  }
}

/// A program that says itself what becomes of its launches.
enum FakeProgram {
  /// Writes a program into the directory of the test.
  ///
  /// - Parameters:
  ///   - text: Such as `40 ms`; what names no time fails to launch.
  ///   - name: Its path in the directory.
  /// - Returns: Its absolute path.
  /// - Throws: An error of the file system.
  @discardableResult
  static func write(_ text: String, to name: String = "app") throws -> String {
    let path = "\(TemporaryDirectory.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true
    )
    try Data("#!/bin/sh\n# \(text)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }
}

extension FakeLaboratory {
  /// Launches programs as they say of themselves.
  ///
  /// Launches of one program differ by up to 2 %, in the same way in every run.
  ///
  /// - Parameters:
  ///   - plan: Its targets are those of ``FakeProgram``.
  ///   - factor: How many times as long everything takes here.
  convenience init(launching plan: Plan, slowedBy factor: Double = 1) {
    let texts = plan.scenario.targets.reduce(into: [:]) { texts, target in
      texts[target.name] = try? String(contentsOfFile: target.command[0], encoding: .utf8)
    }
    self.init { arm, number in
      guard let match = texts[arm.target]?.firstMatch(of: /# (\d+) ms/),
        let time = Double(match.1)
      else { return .ended(.exited(code: 3)) }
      let noise = Double(number * 7 % 11) / 500
      return LaunchResult(
        outcome: .ready,
        launch: Nanoseconds(Int64(time * 1e6 * factor * (1 + noise))),
        figures: Figures(majorFaults: 0)
      )
    }
  }
}
