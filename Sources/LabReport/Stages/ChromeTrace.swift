package import LabModel

/// Launches as a Chrome trace, which Perfetto opens.
///
/// The stages of a launch nest on one track; libraries, initializers, and what else is known have
/// tracks of their own, and other programs are processes of their own. Every launch begins at 0.
///
/// Source: "Trace Event Format" of the Chromium project; times are in microseconds with fractions.
package struct ChromeTrace {
  private let launches: [LaunchStages]
  private let command: [String]

  package init(_ launches: [LaunchStages], command: [String]) {
    self.launches = launches
    self.command = command
  }

  /// Writes the JSON text in pieces.
  ///
  /// - Throws: What `sink` throws.
  package func write(to sink: (String) throws -> Void) rethrows {
    var processes = TraceProcesses()
    var events: [JSONValue] = []
    for (index, launch) in launches.enumerated() {
      events += self.events(of: launch, number: index + 1, &processes)
    }
    let value: JSONValue = [
      "traceEvents": .array(events),
      "displayTimeUnit": "ms",
      "otherData": [
        "creator": .string("launchlab \(LaunchlabVersion.current)"),
        "command": .string(ShellQuoting.text(command)),
      ],
    ]
    try JSONText.write(value, .indented, to: sink)
  }

  private func events(
    of launch: LaunchStages,
    number: Int,
    _ processes: inout TraceProcesses
  ) -> [JSONValue] {
    let name = launch.program ?? command.first ?? "target"
    let pid = processes.number(for: launch.pid)
    var process = TraceProcess(pid: pid, name: "launch \(number): \(name)", order: number)
    process.add(launch: launch)
    let others = launch.others.flatMap { program in
      let pid = processes.number(for: program.pid)
      var other = TraceProcess(
        pid: pid,
        name: "\(program.program) of launch \(number)",
        order: number
      )
      other.add(program: program)
      return other.events
    }
    return process.events + others
  }
}

/// Numbers for the processes of all launches, which may have had the same one after another.
struct TraceProcesses {
  private var used: Set<Int> = []

  /// The process's own number, or the next free one above 4194304, the most of Linux.
  mutating func number(for pid: Int32?) -> Int {
    var number = pid.map(Int.init) ?? 4_194_305
    if used.contains(number) { number = 4_194_305 }
    while used.contains(number) { number += 1 }
    used.insert(number)
    return number
  }
}
