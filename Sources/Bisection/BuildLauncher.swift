import LaunchCore
import LaunchHost
import Measuring

/// Launches the builds of a bisection side by side on this machine.
///
/// A laboratory is kept while the builds stay the same, since making one takes as long as dozens of
/// launches: 0.5 s for three builds on a busy machine of two processors, and 1.4 s where launches
/// are given processors, which is tried first. It has to be closed before a build, which may then
/// use every processor.
struct BuildLauncher: BisectLauncher {
  private let start: BisectStart
  private let valgrind: ValgrindCount?
  private let open: (Plan) async throws -> any LaunchLaboratory
  private let turns: LabTurns?
  private var kept: (plan: Plan, laboratory: any LaunchLaboratory)?

  /// - Parameters:
  ///   - start: What is measured, and how.
  ///   - valgrind: What counts; nil unless that is how instructions are counted.
  ///   - open: Makes a laboratory that knows the arms of a plan.
  ///   - turns: The labs that laboratories belong to; nil where they need none.
  init(
    start: BisectStart,
    valgrind: ValgrindCount? = nil,
    open: @escaping (Plan) async throws -> any LaunchLaboratory,
    turns: LabTurns? = nil
  ) {
    self.start = start
    self.valgrind = valgrind
    self.open = open
    self.turns = turns
  }

  func open(within seconds: Double?, _ tell: (LabPatience.Event) -> Void) async throws {
    let limit = seconds.map { "\(max(1, Int(clamping: min($0, 86_400).rounded(.up))))s" }
    try await turns?.enter(waiting: limit ?? "24h", tell)
  }

  mutating func launch(
    _ arms: [(revision: Int, target: Target)],
    rows: Range<Int>,
    isNew: (Int) -> Bool,
    take: (BisectRow) throws -> Void
  ) async throws -> (revision: Int, reason: String)? {
    guard !rows.isEmpty else { return nil }
    let plan = start.plan(
      of: arms,
      rows: rows.count,
      // Drawn anew, so that no two batches pad the environment alike.
      seed: UInt64(UInt32.random(in: 0...(.max))),
      valgrind: valgrind
    )
    let batch = LaunchBatch(
      plan: plan,
      revisions: arms.map(\.revision),
      rows: rows,
      discarded: arms.map { discarded(isNew: isNew($0.revision)) },
      values: plan.arms.map { arm in
        LaunchValue(start.measure, arm: arm, stages: plan.scenario.stages, valgrind: valgrind)
      }
    )
    let clock = ContinuousClock()
    let beginning = clock.now
    var laboratory = try await laboratory(for: plan)
    do {
      let spent = (clock.now - beginning) / .seconds(1)
      let unlaunchable = try batch.run(on: &laboratory, after: spent, take: take)
      kept = (plan, laboratory)
      return unlaunchable
    } catch {
      laboratory.close()
      throw error
    }
  }

  mutating func close() {
    endKept()
    turns?.leave()
  }

  private mutating func endKept() {
    kept?.laboratory.close()
    kept = nil
  }

  /// The laboratory that was kept, if it knows the same arms, or a new one; none is kept then.
  private mutating func laboratory(for plan: Plan) async throws -> any LaunchLaboratory {
    if let kept, kept.plan.arms == plan.arms, kept.plan.scenario.targets == plan.scenario.targets {
      self.kept = nil
      return kept.laboratory
    }
    endKept()
    return try await open(plan)
  }

  /// How many launches of an arm are discarded before a batch.
  ///
  /// What is counted by valgrind is not faster for having run before. It only differs where a
  /// program leaves something behind at its first launch, and a warm state is reached by one anyway.
  private func discarded(isNew: Bool) -> Int {
    guard valgrind != nil else { return isNew ? 2 : 1 }
    return isNew && start.scenario.states.first != .warm ? 1 : 0
  }
}

extension BuildLauncher {
  /// Launches where a bisection is run.
  ///
  /// - Parameters:
  ///   - start: What is measured, and how.
  ///   - storeDirectory: The absolute path of the directory of the store.
  ///   - turns: The labs that launches belong to.
  ///   - interrupt: Ends a waiting launch when it is set.
  ///   - context: Makes the laboratories.
  /// - Throws: ``HostError/toolMissing(name:purpose:)`` when valgrind counts and there is none.
  init(
    start: BisectStart,
    storeDirectory: String,
    turns: LabTurns,
    interrupt: InterruptFlag,
    context: WorkflowContext
  ) throws {
    let valgrind = try start.counting == .valgrind ? ValgrindCount(below: storeDirectory) : nil
    self.init(
      start: start,
      valgrind: valgrind,
      open: { plan in
        guard let session = turns.session else {
          preconditionFailure("the machine is taken before launches")
        }
        let laboratory = try await context.laboratory(plan, storeDirectory, session, interrupt)
        turns.note(
          plan.scenario.controls.flatMap {
            UnmetControls($0, receipts: laboratory.receipts).warning
          }
        )
        return laboratory
      },
      turns: turns
    )
  }
}
