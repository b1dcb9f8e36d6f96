/// The groups of processors that share a clock, as cpufreq names them.
///
/// Source: Linux, Documentation/admin-guide/pm/cpufreq.rst.
struct CPUFrequencyPolicies {
  static let directory = "sys/devices/system/cpu/cpufreq"

  /// The directories of the policies, in order of their numbers; empty without a driver.
  let directories: [String]

  private let tree: HostTree

  init(tree: HostTree) {
    self.tree = tree
    directories = tree.names(in: Self.directory)
      .compactMap { $0.hasPrefix("policy") ? Int($0.dropFirst(6)) : nil }
      .sorted()
      .map { "\(Self.directory)/policy\($0)" }
  }

  /// The values of one file of all policies, with its path; a policy whose processors are offline
  /// has none.
  func values(of file: String) -> [(path: String, value: String)] {
    directories.compactMap { directory in
      let path = "\(directory)/\(file)"
      return tree.text(at: path).map { (path, $0) }
    }
  }

  /// The different values of one file, in the order of the policies, joined by commas.
  func summary(of file: String) -> String? {
    let found = values(of: file).map(\.value).withoutRepetitions
    return found.isEmpty ? nil : found.joined(separator: ", ")
  }
}

extension Array where Element: Hashable {
  /// The elements, each at its first place only.
  var withoutRepetitions: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
