import Glibc
import LabAnalysis

/// The pages of the target's own files, over the worst launch of each file.
struct OwnPages {
  let resident: Int
  let total: Int

  /// The size of all of them, with pages of the size that this machine has.
  var bytes: Double { Double(total) * Double(sysconf(Int32(_SC_PAGESIZE))) }

  /// Adds up the pages; nil when no own file was read, because nothing is known then.
  init?(_ summary: ArmSummary) {
    let own = summary.residency.filter(\.isOwn)
    guard !own.isEmpty else { return nil }
    resident = own.reduce(0) { $0 + $1.maximumResidentPages }
    total = own.reduce(0) { $0 + $1.totalPages }
  }
}
