package import LaunchCore

/// Reads fleet files.
package enum FleetFile {
  /// Reads the fleet file at a path.
  ///
  /// - Parameter path: Absolute, or relative to the working directory; places show it as given.
  /// - Returns: A fleet with absolute paths.
  /// - Throws: ``ScenarioError`` with everything that is wrong with the file.
  package static func load(path: String) throws(ScenarioError) -> FleetPlan {
    let text = try ScenarioFile.text(at: path, as: .fleet)
    return try ScenarioFile.read(FleetKeys.fleet, "the fleet", in: text, path: path)
  }
}

/// Every key of a fleet file.
enum FleetKeys {
  static let fleet = Form<FleetPlan>.section(keys, of: FleetPlan())
    .refusing(
      "partitions are Slurm's, and the engine is local",
      remedy: "remove the key, or write `engine: slurm`",
      at: "partition"
    ) { plan, _, _ in plan.engine == .local }
    .refusing(
      "the engine local does not know what hosts there are",
      remedy: "add `hosts:` with a name, such as [bench-1]",
      id: "missing-key",
      at: "engine"
    ) { plan, _, _ in plan.engine == .local && plan.hosts.isEmpty }
    .then { plan, value, reading in
      var plan = plan
      plan.directory = reading.directory
      plan.scenarios = plan.scenarios.map(reading.absolute)
      if plan.engine == .local { plan.namesHosts = true }
      if let both = plan.builders.first(where: plan.hosts.contains) {
        reading.report(
          "contradiction",
          "\(quoted(both)) is a host and a builder",
          at: value["builders"]?.place ?? value.place,
          remedy: "take it out of one of the lists: what builds does not measure"
        )
      }
      return plan
    }

  static let keys: [Field<FleetPlan>] = [
    Field("fleet", .name, \.name, isRequired: true) {
      "The name of the fleet, which its jobs begin with."
    },
    Field("depot", depot, \.depot, isRequired: true) {
      "The URI of the depot that keeps what the hosts measure, without a password."
    },
    Field(
      "scenarios",
      .list(of: .path, each: "the scenario"),
      \.scenarios,
      isRequired: true
    ) {
      "Scenario files that every host runs each night, in this order, at the same paths everywhere."
    },
    Field("hosts", .list(of: .name, each: "the host"), \.hosts) {
      "The hosts, as the engine names them. Default: all nodes of the partition."
    },
    Field("builders", .list(of: .name, each: "the builder"), \.builders) {
      "Hosts that only build, for `launchlab fleet bisect`. Default: none."
    },
    Field("engine", .word, \.engine) {
      "What gives hosts their work; local starts processes on this machine. Default: slurm."
    },
    Field("partition", .name, \.partition) {
      "The partition of Slurm. Default: the one that Slurm takes by default."
    },
    Field("program", program, \.program) {
      "The absolute path of launchlab on the hosts. Default: where it is on the head."
    },
    Field("time", .duration, \.timeLimit) {
      "How long a job of one host and night may take. Default: an hour, and three times as long as "
        + "the scenarios are expected to take."
    },
    Field("named", .boolean, \.namesHosts) {
      "Whether a host is known by its name, not its machine id: for machines that are fresh every "
        + "night, or several nodes on one machine. Default: false; with the engine local, true."
    },
    Field("drain", .boolean, \.drains) {
      "Whether a host whose machine has changed on several nights gets no job until somebody "
        + "brings it back. Default: false."
    },
  ]

  private static let depot = Form<String>.text.refusing(
    "{} is not the URI of a depot",
    remedy: "write it as in postgresql:///lab or postgresql://?service=lab"
  ) { !$0.contains("://") }

  private static let program = Form<String>.path.refusing(
    "the path {} of launchlab is not absolute",
    remedy: "write it as in /usr/local/bin/launchlab"
  ) { !$0.hasPrefix("/") }
}
