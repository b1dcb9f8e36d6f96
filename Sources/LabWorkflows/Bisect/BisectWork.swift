import LabAnalysis
import LabModel

/// Whoever makes revisions launchable: builds of a source, or ready-made executables.
protocol BisectBuilder {
  /// How many revisions it would build ahead of need; 0 for none.
  var buildsAhead: Int { get }

  /// Builds a revision, or finds it.
  ///
  /// - Parameters:
  ///   - revision: The index of the revision.
  ///   - ahead: Revisions that may be needed next, the likeliest first; they may be built in the
  ///     meantime where there are cores for it.
  ///   - seconds: How long it may take; nil where only the limit of a single build counts.
  /// - Returns: The build, also one that failed, which is a result.
  /// - Throws: a ``LabError`` when nothing can be built at all, or it was interrupted.
  mutating func build(
    _ revision: Int,
    ahead: [Int],
    within seconds: Double?
  ) async throws -> BisectBuilt

  /// Whether what was built before is still there to be launched.
  func isLaunchable(_ built: BisectBuilt) -> Bool
}

/// Whoever launches builds side by side.
protocol BisectLauncher {
  /// Takes the machine for launches, where it was given back; waits while somebody else has it.
  ///
  /// - Parameters:
  ///   - seconds: How long it may wait; nil for a day.
  ///   - tell: Told what goes on meanwhile.
  /// - Throws: a ``LabError`` when it was not to be had, or it was interrupted.
  mutating func open(within seconds: Double?, _ tell: (LabPatience.Event) -> Void) throws

  /// Launches every arm once in each row, after discarded launches that warm it up.
  ///
  /// Odd rows run in reverse order. Between `take` and the next launch nothing else is done.
  ///
  /// - Parameters:
  ///   - arms: The builds by the index of their revision, in the order of the action.
  ///   - rows: The numbers of the rows still to be launched.
  ///   - isNew: Whether an arm was never launched before, so that it is warmed up twice.
  ///   - take: Told of each row that is complete.
  /// - Returns: The arm that cannot be launched, with the reason, if one cannot.
  /// - Throws: a ``LabError`` when the machine fails, or it was interrupted.
  mutating func launch(
    _ arms: [(revision: Int, target: Target)],
    rows: Range<Int>,
    isNew: (Int) -> Bool,
    take: (BisectRow) throws -> Void
  ) async throws -> (revision: Int, reason: String)?

  /// Gives the machine back, with what is kept for launches, such as processors that nothing else may
  /// use.
  ///
  /// It is called before anything is built, and at the end; it can be opened again afterwards.
  mutating func close()
}

extension BisectLauncher {
  mutating func open(within seconds: Double?, _ tell: (LabPatience.Event) -> Void) throws {}

  mutating func close() {}
}
