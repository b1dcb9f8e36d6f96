/// A set of processors in the kernel's notation, such as `0-3,5`.
///
/// Source: cpuset(7), list format.
struct CPUList: Hashable, CustomStringConvertible {
  var cpus: Set<Int>

  init(_ cpus: some Sequence<Int>) { self.cpus = Set(cpus) }

  /// Reads the notation; an empty text is an empty list, nil is what is no such list.
  init?(_ text: String) {
    cpus = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
        .map { Int($0.trimmed) }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first <= last
      else { return nil }
      cpus.formUnion(first...last)
    }
  }

  var description: String {
    var parts: [ClosedRange<Int>] = []
    for cpu in cpus.sorted() {
      if let last = parts.last, last.upperBound == cpu - 1 {
        parts[parts.count - 1] = last.lowerBound...cpu
      } else {
        parts.append(cpu...cpu)
      }
    }
    return parts.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }
}
