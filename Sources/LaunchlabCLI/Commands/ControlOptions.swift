import ArgumentParser
import LabModel

/// How the machine is kept the same, as `measure` and `stages` take it from the command line.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "Control or watch the machine: a <key=value> of a scenario's section controls.",
      discussion: """
        The value is YAML, such as cpus=[1], network=none, aslr=off, governor=performance, \
        services=timers, steal=on, "settle={cpu_idle: 90%, within: 10s}", or require=all, \
        without which what cannot be had is only reported.
        """
    ),
    completion: .list((ControlName.allCases.map(\.rawValue) + ["require"]).map { "\($0)=" })
  )
  var controls: [String] = []

  @OptionGroup var suppression: SuppressionOptions

  /// Pairs of a key and its value, as ``MeasureOptions`` takes them.
  var pairs: [String] { controls + suppression.ids.map { "suppress=\($0)" } }

  func validate() throws {
    if let odd = controls.first(where: { !$0.contains("=") }) {
      throw ValidationError("--control takes KEY=VALUE, such as network=none, not \"\(odd)\"")
    }
  }
}

/// Which findings of doctor are known, as every command takes them that launches.
struct SuppressionOptions: ParsableArguments {
  @Option(
    name: .customLong("suppress"),
    help: """
      Do not warn of this <finding> of doctor, such as virtual-host; it is shown beside the name \
      of the run.
      """
  )
  var ids: [String] = []
}
