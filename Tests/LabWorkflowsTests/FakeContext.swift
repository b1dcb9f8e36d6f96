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
  ///   - text: Such as `40 ms`, or `48 ms, sleeps 8 ms`; what names no time fails to launch.
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
      let launch = Nanoseconds(Int64(time * 1e6 * factor * (1 + noise)))
      var result = LaunchResult(
        outcome: .ready,
        launch: launch,
        figures: Figures(majorFaults: 0)
      )
      guard arm.kind == .timeline else { return result }
      let sleep = texts[arm.target]?.firstMatch(of: /sleeps (\d+) ms/).flatMap { Int64($0.1) }
      result.timeline = LaunchTimeline(of: launch, sleeping: .milliseconds(sleep ?? 0))
      return result
    }
  }
}

extension LaunchTimeline {
  /// A program that computes, perhaps sleeps once on the way, and exits.
  fileprivate init(of launch: Nanoseconds, sleeping sleep: Nanoseconds) {
    let end = launch.count
    var events: [(time: Int64, kind: TimelineEvent.Kind)] = [
      (0, .enteredCall(.init(name: "execve", arguments: [], text: "/bin/app"))),
      (100_000, .executed(path: "/bin/app")), (110_000, .leftCall(result: 0)),
    ]
    if sleep > .zero {
      let timer = TimelineEvent.Waker(thread: 0, process: 0, name: "swapper", isInterrupt: true)
      let waking = 2_000_000 + sleep.count
      events += [
        (2_000_000, .enteredCall(.init(name: "clock_nanosleep", arguments: []))),
        (2_000_100, .blocked(isForDisk: false)), (waking, .woken(by: timer)),
        (waking, .switchedIn), (waking + 100, .leftCall(result: 0)),
      ]
    }
    events += [
      (end - 20_000, .enteredCall(.init(name: "exit_group", arguments: [0]))),
      (end - 10_000, .ended), (end - 5_000, .blocked(isForDisk: false)),
    ]
    self.init(
      begin: .zero,
      ready: launch,
      process: 100,
      events: events.map {
        TimelineEvent(time: Nanoseconds($0.time), thread: 100, kind: $0.kind)
      }
    )
  }
}
