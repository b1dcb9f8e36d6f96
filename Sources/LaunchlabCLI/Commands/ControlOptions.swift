import ArgumentParser
import LabModel

/// How the machine is kept the same, as `measure` and `stages` take it from the command line.
struct ControlOptions: ParsableArguments {
  @Option(
    name: .customLong("control"),
    help: ArgumentHelp(
      "Control or watch the machine, as a key of the scenario's section controls; repeatable.",
      discussion: """
        The value is YAML, such as cpus=[1], network=none, aslr=off, governor=performance, \
        services=timers, steal=on, "settle={cpu_idle: 90%, within: 10s}", or require=all to \
        fail if a control is not available (default: only reported).
        """,
      valueName: "key=value"
    ),
    completion: .list((ControlName.allCases.map(\.rawValue) + ["require"]).map { "\($0)=" })
  )
  var controls: [String] = []

  @OptionGroup var suppression: SuppressionOptions

  /// Pairs of a key and its value, as ``MeasureOptions`` takes them.
  var pairs: [String] { controls + suppression.ids.map { "suppress=\($0)" } }

  func validate() throws {
    if let odd = controls.first(where: { !$0.contains("=") }) {
      throw ValidationError("--control needs key=value, such as network=none, not \"\(odd)\"")
    }
  }
}

/// Which findings of doctor are known, as every command takes them that launches.
struct SuppressionOptions: ParsableArguments {
  @Option(
    name: .customLong("suppress"),
    help: .init(
      """
      Do not warn about this finding of `launchlab doctor`, such as virtual-host; repeatable. \
      The run is labelled with it.
      """,
      valueName: "finding"
    )
  )
  var ids: [String] = []
}
