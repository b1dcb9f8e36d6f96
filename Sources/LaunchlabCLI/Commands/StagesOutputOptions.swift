import ArgumentParser
import LabAnalysis
import LabModel
import LabReport
import LabWorkflows

/// Where the result of `stages` goes.
struct StagesOutputOptions: ParsableArguments {
  @Flag(help: "Show all libraries and initializers, not only the slowest.")
  var all = false

  @Option(
    help: .init("Write the result as JSON; - is stdout.", valueName: "file"),
    completion: .file()
  )
  var json: String?

  @Option(
    help: .init("Write a Chrome trace, for Perfetto.", valueName: "file"),
    completion: .file()
  )
  var trace: String?

  @Option(help: .init("Write a profile for speedscope.", valueName: "file"), completion: .file())
  var speedscope: String?

  /// Whether an option is given that only launches have.
  var isForLaunches: Bool { all || trace != nil || speedscope != nil }

  func validate() throws {
    guard [json, trace, speedscope].count(where: { $0 == "-" }) > 1 else { return }
    throw ValidationError("only one of --json, --trace and --speedscope can use stdout")
  }

  /// Compares the files that are written with each other and with those of the launches.
  func check(_ files: CommandFiles) throws {
    try files.writing(json, as: "--json").writing(trace, as: "--trace")
      .writing(speedscope, as: "--speedscope").check()
  }

  /// Shows the text first, so that a file that cannot be written does not hide the result.
  func show(_ result: StagesResult, command: [String], on console: Console) throws {
    let summaries = result.arms.flatMap(\.stages)
    if ![json, trace, speedscope].contains("-") {
      for (index, summary) in summaries.enumerated() {
        let text = StagesText(
          summary,
          command: command,
          style: console.resultStyle,
          showsAll: all
        )
        try console.write((index > 0 ? "\n" : "") + text.rendered())
      }
      // Every collector sees the same pages come in.
      if let pageIns = result.arms.compactMap(\.pageIns).first {
        let lines = PageInText(pageIns, showsAll: all).lines(style: console.resultStyle)
        try console.write((["\n"] + lines.map { $0 + "\n" }).joined())
      }
    }
    console.show(result.summary.warnings)
    for note in result.notes { console.note("note: \(note)") }
    let launches = result.launches.map(\.stages)
    if let trace {
      try ResultFile(trace).write { try ChromeTrace(launches, command: command).write(to: $0) }
    }
    if let speedscope {
      try ResultFile(speedscope).write { try Speedscope(launches, command: command).write(to: $0) }
    }
    if let json {
      try ResultFile(json).write {
        try StagesJSON(command: command, launches: launches, summaries: summaries).write(to: $0)
      }
    }
  }
}
