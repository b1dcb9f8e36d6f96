package import LabAnalysis
package import LabModel

/// Compares what a command line names: commands, revisions of a scenario, or stored runs.
package struct ComparisonCommand {
  private let options: CompareOptions

  package init(_ options: CompareOptions) { self.options = options }

  /// What was concluded.
  package enum Answer: Sendable {
    /// From launches that were made for it, in the same blocks.
    case interleaved(ComparisonSummary)

    /// From two runs that were made before.
    case stored(StoredComparison)

    package var exitCode: LabExitCode {
      switch self {
      case .interleaved(let summary): summary.exitCode
      case .stored(let comparison): comparison.exitCode
      }
    }
  }

  /// Compares.
  ///
  /// - Parameter observe: Told what goes on, between launches only.
  /// - Returns: What is concluded, also of a run that failed or was interrupted part-way.
  /// - Throws: a ``LabError`` when the options are wrong, or nothing could be measured.
  package func run(_ observe: @escaping (RunEvent) -> Void) async throws -> Answer {
    if options.revisions != nil {
      let request = try await RevisionsWorkflow(options).request(observe)
      return .interleaved(try await CompareWorkflow(request: request).run(observe))
    }
    if try namesRuns() { return .stored(try StoredComparisonWorkflow(options).comparison()) }
    try refuseTargets()
    let request = try CompareRequest(commands: options)
    return .interleaved(try await CompareWorkflow(request: request).run(observe))
  }

  /// Whether two stored runs are meant.
  private func namesRuns() throws(WorkflowError) -> Bool {
    let names = options.words.filter(StoredRuns.isName)
    guard !names.isEmpty else { return false }
    guard names.count == 2, options.words.count == 2 else {
      throw .cannotCompare(
        reason: "\"\(names[0])\" names a stored run, and is not one of two",
        remedy: "give two runs listed by `launchlab history`, or the whole path of a program"
      )
    }
    return true
  }

  private func refuseTargets() throws(WorkflowError) {
    guard let target = options.targets.first else { return }
    throw .badOption(
      name: "--target",
      value: target,
      expected: "it with a scenario or with stored runs only"
    )
  }
}
