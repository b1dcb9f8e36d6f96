package import LabModel

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
