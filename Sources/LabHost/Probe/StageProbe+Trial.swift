import LabModel

extension StageProbe {
  /// Tries the probe on a program that does nothing; to be done once before it is used on a host.
  ///
  /// - Parameter spawner: What launches the program.
  /// - Returns: Why the probe must not be used on this host, without a full stop; nil when it works,
  ///   or when the program is none that it applies to.
  /// - Throws: ``HostError``, when nothing can be launched or launchlab is interrupted.
  package func problem(with spawner: Spawner) throws(HostError) -> String? {
    let program = "/bin/true"
    guard case .applies = ProbeApplicability(program: program, environment: [:], directory: "/")
    else { return nil }
    let environment = environment(addingTo: [:]).map { "\($0.key)=\($0.value)" }
    let request = try LaunchRequest(
      program: program,
      arguments: [program],
      environment: environment,
      directory: "/",
      timeout: .seconds(10)
    )
    try reset()
    let result = try spawner.launch(request)
    guard result.outcome == .ready else {
      return "with the probe \(program) does not end as it should: \(result.outcome)"
    }
    let message = result.output.stdout.head + result.output.stderr.head
    guard message.isEmpty else {
      return "with the probe \(program) says: \(String(decoding: message, as: UTF8.self).trimmed)"
    }
    guard let trace = result.trace else { return "\(program) could not be started" }
    let seen = Set(try observation(from: trace, ready: nil).events.map(\.kind))
    try reset()
    return seen.isSuperset(of: [.programBegan, .objectOpened, .consistent, .mainBegins])
      ? nil : "the loader of \(program) does not tell the probe what happens"
  }
}
