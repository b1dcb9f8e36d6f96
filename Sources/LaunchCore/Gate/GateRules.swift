/// What a gate lets in: what is new among the things that take part in a launch, and by how much its
/// figures may grow.
package struct GateRules: Hashable, Codable, Sendable {
  package var libraries = Admission.review
  package var initializers = Admission.review
  package var tasks = Admission.review

  /// By which share of the base each figure may grow, by the name of the figure's key.
  package var limits = Figure.usual

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

  /// A figure that is limited.
  package enum Figure: String, Hashable, Codable, Sendable, CaseIterable {
    /// Addresses that the loader adjusts.
    case relocations

    /// The memory that the executable and its libraries map.
    case mapped

    /// Calls that open files.
    case files

    /// Programs started, and threads.
    case processes
    case instructions
    case peakRSS = "peak_rss"

    /// The time of a plain launch.
    case launch

    /// The limits where a scenario does not say its own.
    package static let usual: [Self: Double] = [
      .relocations: 0.05, .mapped: 0.05, .files: 0.1, .processes: 0, .instructions: 0.01,
      .peakRSS: 0.05, .launch: 0.02,
    ]
  }

  package func limit(of figure: Figure) -> Double { limits[figure] ?? Figure.usual[figure] ?? 0 }
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
