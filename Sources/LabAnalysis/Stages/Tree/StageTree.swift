package import LabModel

/// Brings what a collector saw of a launch into its stages.
package enum StageTree {
  /// Concludes how a launch was spent; O(n log n) in the number of events.
  ///
  /// The parts of the stage `launch` sum exactly to it. `exec` reaches to the first mark in the
  /// program that became ready, which is the last one that the ready process began before the ready
  /// instant; the programs that the target's own process ran before are details of `exec`. Where a
  /// program is chosen, what was before it is the stage `launcher`, and what follows its end
  /// `after_program`. Events after the ready instant are not counted. Where a boundary was not seen, the stage before it
  /// holds the next one as well and is flagged `merged`.
  ///
  /// - Parameters:
  ///   - observation: What was seen.
  ///   - processes: When the programs of the launch ran, by the kernel's records.
  ///   - hasLoader: Whether the program that became ready has a dynamic loader, where that is known;
  ///     if not, breakpoints that saw none at work are taken for those of a static program.
  ///   - spawn: From before `clone` to the `execve` request, which is shown beside the launch.
  ///   - resolution: How far the ready instant may lie above the truth.
  /// - Returns: The stages; the launch has no duration if it did not become ready.
  package static func stages(
    of observation: StageObservation,
    processes: [LaunchProcess]? = nil,
    hasLoader: Bool? = nil,
    spawn: Nanoseconds? = nil,
    resolution: Nanoseconds = .zero
  ) -> LaunchStages {
    var builder = StageTreeBuilder(observation, processes: processes, hasLoader: hasLoader)
    var stages = builder.stages()
    stages.launch.resolution = resolution
    let lasting = [StageName.mainToReady, StageName.afterProgram]
    if let last = stages.launch.children.lastIndex(where: { lasting.contains($0.name) }) {
      stages.launch.children[last].resolution = resolution
    }
    if let spawn {
      stages.launch.children.append(
        Stage(
          name: StageName.spawn,
          kind: .excluded,
          duration: spawn,
          source: observation.collector
        )
      )
    }
    return stages
  }

  /// Concludes how a launch was spent from its result; nil for one without an observation.
  package static func stages(of result: LaunchResult) -> LaunchStages? {
    result.observation.map {
      stages(
        of: $0,
        processes: result.processes,
        hasLoader: $0.hasLoader,
        spawn: result.spawn,
        resolution: result.resolution
      )
    }
  }

  /// Lays stages that the target or its loader printed beside each other under the launch.
  ///
  /// They are details without a start, since what is printed may overlap, and says only how long
  /// something took.
  ///
  /// - Parameters:
  ///   - printed: The stages of all blocks of text, in order.
  ///   - collector: Whose text it is.
  ///   - result: The result of the launch.
  ///   - notes: What could not be had, and why.
  /// - Returns: The stages; the launch has no duration if it did not become ready.
  package static func stages(
    printed: [Stage],
    by collector: StageCollector,
    result: LaunchResult,
    notes: [String] = []
  ) -> LaunchStages {
    let launch = Stage(
      name: StageName.launch,
      start: .zero,
      duration: result.launch,
      resolution: result.resolution,
      source: collector,
      children: printed.map(\.laid)
    )
    var notes = notes
    if result.launch == nil { notes.append("the launch did not become ready, so it has no total") }
    return LaunchStages(
      collector: collector,
      launch: launch,
      pid: result.trace?.readyProcess ?? result.trace?.process,
      notes: notes
    )
  }
}

extension LaunchStages {
  /// The stages with what the runtime printed of itself as details below `main_to_ready`, since a
  /// runtime begins with `main`; below the launch where that was not seen.
  package func adding(printed: [Stage]) -> Self {
    var stages = self
    let details = printed.map(\.laid)
    if let last = launch.children.lastIndex(where: { $0.name == StageName.mainToReady }) {
      stages.launch.children[last].children += details
    } else {
      stages.launch.children += details
    }
    return stages
  }
}

extension Stage {
  /// The stage as a detail without a start.
  fileprivate var laid: Stage {
    var laid = withoutStarts
    if laid.kind == .part { laid.kind = .detail }
    return laid
  }

  fileprivate var withoutStarts: Stage {
    var stage = self
    stage.start = nil
    stage.children = children.map(\.withoutStarts)
    return stage
  }
}
