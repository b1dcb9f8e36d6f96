/// The processors that a target may use, as the kernel numbers and groups them.
enum ProcessorList {
  /// The processors of a list in the kernel's notation, such as `0-3,5`.
  static func numbers(in text: String) -> [Int] {
    text.split(separator: ",").flatMap { part in
      let ends = part.split(separator: "-").compactMap { Int($0.trimmed) }
      guard let first = ends.first, let last = ends.last, first <= last else { return [Int]() }
      return Array(first...last)
    }
  }

  /// The given ones, or all that are online.
  static func used(_ cpus: [Int]?, in tree: HostTree) -> Set<Int> {
    Set(cpus ?? numbers(in: tree.text(at: "sys/devices/system/cpu/online") ?? "0"))
  }

  /// Processors with those that share a core with them.
  static func withSiblings(_ cpus: Set<Int>, in tree: HostTree) -> Set<Int> {
    cpus.reduce(into: cpus) { all, cpu in
      let path = "sys/devices/system/cpu/cpu\(cpu)/topology/thread_siblings_list"
      all.formUnion(numbers(in: tree.text(at: path) ?? ""))
    }
  }
}
