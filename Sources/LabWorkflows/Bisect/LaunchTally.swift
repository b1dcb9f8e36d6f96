import LabAnalysis
import LabModel

/// Numbers that collectors count on a launch, by the names that `--metric` takes.
enum LaunchTally {
  /// Symbols that the loader looked up, and addresses that it adjusted, before `main`.
  static let relocations = "relocations"

  /// Pages that came into the page cache, of the target's own files and others.
  static let pageIns = "page_ins"

  /// All that can be asked for.
  static let names = [
    "libraries", "libraries_loaded_later", "initializers", relocations, pageIns, "programs",
    "processes",
  ]

  /// The number of a launch.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - result: The launch.
  ///   - stages: What was concluded from it.
  /// - Returns: Nil when it could not be had.
  static func value(_ name: String, of result: LaunchResult, _ stages: LaunchStages) -> Int64? {
    switch name {
    case pageIns: stages.pageIns.map { $0.files.reduce(0) { $0 + Int64($1.pages) } }
    case relocations: result.observation.flatMap { relocations(in: $0.loaderText) }
    // It is left out when there are none.
    case "libraries_loaded_later" where stages.counters["libraries"] != nil:
      stages.counters[name] ?? 0
    default: stages.counters[name]
    }
  }

  /// The sum over all programs that the loader reported of.
  private static func relocations(in loaderText: [UInt8]) -> Int64? {
    let text = StageText.parse(loaderText, name: "LD_DEBUG=statistics")
    let counters = text.blocks.filter { $0.format == StageTextFormat.glibcStartup }
      .flatMap(\.counters)
    return counters.isEmpty ? nil : counters.reduce(0) { $0 + $1.value }
  }
}
