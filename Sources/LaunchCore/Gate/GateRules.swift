/// What a gate lets in: what is new among the things that take part in a launch, and by how much its
/// figures may grow.
package struct GateRules: Hashable, Codable, Sendable {
  package var libraries = Admission.review
  package var initializers = Admission.review
  package var tasks = Admission.review

  /// By which share of the base each figure may grow, where a scenario says it.
  package var limits: [Figure: Double] = [:]

  /// How many more launches of head may be slow, as a share; 0 where only the typical launch is judged,
  /// nil where a scenario does not say it.
  private var tail: Double?

  package var tailLimit: Double? {
    get { tail == 0 ? nil : tail ?? 0.05 }
    set { tail = newValue ?? 0 }
  }

  /// Whether the absolute budgets of the scenario hold for head too.
  package var budgets = Budgets.keep

  /// The absolute path of the file of approvals; nil for that beside the scenario.
  package var approvals: String?

  package init() {}

  /// What becomes of a new thing.
  package enum Admission: String, Hashable, Codable, Sendable, CaseIterable {
    /// It needs an approval.
    case review

    /// No approval helps.
    case forbid

    /// Anything may come.
    case ignore
  }

  package enum Budgets: String, Hashable, Codable, Sendable, CaseIterable {
    /// A broken one fails.
    case keep
    case ignore
  }

  /// A figure that is limited, in the order in which differences are told.
  package enum Figure: String, Hashable, Codable, Sendable, CaseIterable {
    // What is in the files.
    case relocations
    case symbols
    case mapped
    case size

    // What is counted in launches.
    case processes
    case files
    case lookups
    case modules
    case systemCalls = "system_calls"
    case pageFaults = "page_faults"
    case pageIns = "page_ins"
    case instructions
    case peakRSS = "peak_rss"

    /// The time of a plain launch.
    case launch

    /// What it is called.
    package var title: String { definition.title }

    package var unit: Metric.Unit { definition.unit }

    /// The limit where a scenario does not say its own, as a share.
    package var usualLimit: Double { definition.limit }

    /// A difference that is smaller never fails: linkers round to pages, allocators to arenas.
    package var least: Double { definition.least }

    private typealias Definition = (
      title: String, unit: Metric.Unit, limit: Double, least: Double
    )

    private var definition: Definition {
      switch self {
      case .relocations: ("relocations of own files", .count, 0.05, 50)
      case .symbols: ("symbols that own files import", .count, 0.1, 50)
      case .mapped: ("memory that own files map", .bytes, 0.05, 256 * 1024)
      case .size: ("size of own files", .bytes, 0.1, 1024 * 1024)
      case .processes: ("programs and threads started", .count, 0, 1)
      case .files: ("calls that open files", .count, 0.1, 3)
      case .lookups: ("lookups of missing files", .count, 0.1, 5)
      case .modules: ("modules loaded", .count, 0.1, 3)
      case .systemCalls: ("system calls", .count, 0.1, 20)
      case .pageFaults: ("pages touched", .count, 0.1, 100)
      case .pageIns: ("cold page-ins of own files", .count, 0.1, 64)
      case .instructions: ("instructions", .count, 0.01, 50_000)
      case .peakRSS: ("peak memory", .bytes, 0.05, 512 * 1024)
      case .launch: ("time of a launch", .nanoseconds, 0.02, 0)
      }
    }
  }

  /// By which share of the base a figure may grow.
  package func limit(of figure: Figure) -> Double { limits[figure] ?? figure.usualLimit }
}

/// A library, an initializer or a task, which takes part in a launch and can be approved.
package struct GateThing: Hashable, Codable, Sendable, Comparable {
  package var kind: GateApproval.Kind
  package var name: String

  /// What an initializer or a task is in.
  package var library: String?

  package init(kind: GateApproval.Kind, name: String, library: String? = nil) {
    self.kind = kind
    self.name = name
    self.library = library
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.library ?? "", left.name)
      < (right.kind.rawValue, right.library ?? "", right.name)
  }
}

/// What is allowed to take part in a launch although it is new, and why.
package struct GateApproval: Hashable, Codable, Sendable {
  package var kind: Kind

  /// The name of what is approved; with `*` where ``isPattern`` says so.
  package var name: String

  /// The library that an initializer is in; nil for any.
  package var library: String?

  /// Whether `*` in the name stands for anything.
  package var isPattern: Bool
  package var reason: String

  /// Who approved it.
  package var by: String

  /// The last day on which it holds, as `YYYY-MM-DD`; nil for ever.
  package var until: String?

  package init(
    kind: Kind,
    name: String,
    library: String? = nil,
    isPattern: Bool = false,
    reason: String,
    by: String,
    until: String? = nil
  ) {
    self.kind = kind
    self.name = name
    self.library = library
    self.isPattern = isPattern
    self.reason = reason
    self.by = by
    self.until = until
  }

  package enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    case library, initializer, task
  }

  /// Whether it has expired on a day that is written in the same way.
  package func hasExpired(on day: String) -> Bool { until.map { $0 < day } ?? false }

  /// Whether it is of this thing.
  package func covers(_ kind: Kind, _ name: String, in library: String?) -> Bool {
    guard kind == self.kind, self.library.map({ $0 == library }) ?? true else { return false }
    guard isPattern else { return name == self.name }
    let parts = self.name.split(separator: "*", omittingEmptySubsequences: false)
    var rest = name[...]
    for (place, part) in parts.enumerated() {
      if place == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if place == parts.count - 1 {
        guard rest.hasSuffix(part) else { return false }
      } else {
        guard let found = rest.range(of: part) else { return false }
        rest = rest[found.upperBound...]
      }
    }
    return parts.count > 1 || rest.isEmpty
  }
}

extension Substring {
  /// The first place of a text in this one.
  fileprivate func range(of text: Substring) -> Range<Index>? {
    guard !text.isEmpty else { return startIndex..<startIndex }
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
