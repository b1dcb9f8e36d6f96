import LabAnalysis

/// The pages of the target's own files, over the worst launch of each file.
struct OwnPages {
  let resident: Int
  let total: Int

  /// Adds up the pages; nil when no own file was read, because nothing is known then.
  init?(_ summary: ArmSummary) {
    let own = summary.residency.filter(\.isOwn)
    guard !own.isEmpty else { return nil }
    resident = own.reduce(0) { $0 + $1.maximumResidentPages }
    total = own.reduce(0) { $0 + $1.totalPages }
  }
}
