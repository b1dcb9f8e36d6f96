import CLaunchWire
import Glibc
package import LaunchCore

/// Finds out which conditions of a launch this machine refuses, by launching a program that does
/// nothing, with one of them at a time and at last with all that can be had.
package struct LaunchTrial {
  private let launch: (LaunchRequest) throws(HostError) -> LaunchResult

  /// - Parameter spawner: One that launches nothing else meanwhile.
  package init(spawner: Spawner) {
    self.init { request throws(HostError) in try spawner.launch(request) }
  }

  init(launch: @escaping (LaunchRequest) throws(HostError) -> LaunchResult) {
    self.launch = launch
  }

  /// Why conditions cannot be had, with the remedy, by the control that asks for them; empty when
  /// all of them can.
  ///
  /// - Throws: ``HostError`` when the trial itself failed.
  package func refusals(
    of conditions: LaunchConditions
  ) throws(HostError) -> [ControlName: String] {
    var refusals: [ControlName: String] = [:]
    var granted = LaunchConditions()
    for (name, adopt) in Self.parts(of: conditions) {
      var single = LaunchConditions()
      adopt(&single)
      refusals[name] = try refusal(of: single)
      if refusals[name] == nil { adopt(&granted) }
    }
    // A user namespace costs rights that the priority may need.
    if granted.network != .host, let reason = try refusal(of: granted) {
      refusals[.network] = "not together with the other controls: \(reason)"
    }
    return refusals
  }

  /// The conditions that are asked for, each as what it changes.
  private static func parts(
    of all: LaunchConditions
  ) -> [(ControlName, (inout LaunchConditions) -> Void)] {
    var parts: [(ControlName, (inout LaunchConditions) -> Void)] = []
    if all.cpus != nil { parts.append((.cpus, { $0.cpus = all.cpus })) }
    if !all.randomizesAddresses { parts.append((.aslr, { $0.randomizesAddresses = false })) }
    if all.priority != nil { parts.append((.priority, { $0.priority = all.priority })) }
    if all.isRealTime { parts.append((.scheduling, { $0.isRealTime = true })) }
    if all.network != .host { parts.append((.network, { $0.network = all.network })) }
    return parts
  }

  private func refusal(of conditions: LaunchConditions) throws(HostError) -> String? {
    let program = try EmbeddedHelper.empty.unpacked()
    let request: LaunchRequest
    do throws(HostError) {
      request = try LaunchRequest(
        program: program,
        arguments: [program],
        environment: [],
        directory: "/",
        timeout: .seconds(10),
        conditions: conditions
      )
    } catch .launchRefused(let refusal) {
      return "\(refusal.diagnostic.problem); \(refusal.diagnostic.remedy ?? "ask for another one")"
    }
    return switch try launch(request).outcome {
    case .ready: nil
    case .notStarted(let reason): reason
    case let outcome: "a program that does nothing did not run with it: \(outcome)"
    }
  }
}

/// What holds for a launched program from before its first instruction.
package struct LaunchConditions: Hashable, Sendable {
  /// The processors it runs on; nil means that its affinity is not touched.
  package var cpus: [Int]?

  /// Whether its addresses are randomized as on the host; false switches that off for it alone.
  package var randomizesAddresses: Bool = true

  package var priority: LaunchPriority?

  /// Whether it and the spawner run before every other program; `priority` does not count then.
  package var isRealTime: Bool = false

  package var network: TargetNetwork = .host

  /// Whether each launch is given a padding variable of 0 to 4,095 bytes.
  package var padsEnvironment: Bool = false
}

/// Conditions as the spawner reads them; the encoding is that of `launch_wire.h`.
extension LaunchConditions {
  /// The nice value and the policy that the program gets in the end.
  var givenPriority: LaunchPriority? { isRealTime ? RealTimeScheduling.priority : priority }

  /// The flags of the request that ask for them.
  var encodedFlags: UInt32 {
    let priority = givenPriority
    let flags: [(UInt32, Bool)] = [
      (REQUEST_CPUS, cpus != nil),
      (REQUEST_FIXED_ADDRESSES, !randomizesAddresses),
      (REQUEST_NICE, priority?.nice != nil),
      (REQUEST_POLICY, priority?.policy != nil),
      (REQUEST_NO_NETWORK, network == .none),
      (REQUEST_PADDING, padsEnvironment),
      (REQUEST_REALTIME, isRealTime),
    ]
    return flags.reduce(0) { $1.1 ? $0 | $1.0 : $0 }
  }

  /// The processors, as words of 64 bits.
  ///
  /// - Throws: ``HostError/launchRefused(_:)`` for a processor that can never be there.
  func encodedCPUs() throws(HostError) -> [UInt64] {
    var words = [UInt64](repeating: 0, count: CPU_WORDS)
    for cpu in cpus ?? [] {
      guard (0..<ProcessAffinity.limit).contains(cpu) else {
        throw .launchRefused(.unknownProcessor(cpu))
      }
      words[cpu / 64] |= 1 << UInt64(cpu % 64)
    }
    return words
  }
}

extension LaunchPriority {
  /// The policy, and the level, which is 0 for policies without one; sched(7).
  var encodedPolicy: (policy: scheduling_policy, level: UInt32) {
    let level = UInt32(clamping: level ?? 1)
    return switch policy {
    case .fifo: (POLICY_FIFO, level)
    case .rr: (POLICY_RR, level)
    case .batch: (POLICY_BATCH, 0)
    case .other, nil: (POLICY_OTHER, 0)
    }
  }
}
