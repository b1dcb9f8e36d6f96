/// The processors that a target may use, as the kernel numbers and groups them.
enum ProcessorList {
  /// The given ones, or all that are online.
  static func used(_ cpus: [Int]?, in tree: HostTree) -> Set<Int> {
    if let cpus { return Set(cpus) }
    let online = tree.text(at: "sys/devices/system/cpu/online")
    return online.flatMap { CPUList($0) }?.cpus ?? [0]
  }

  /// Processors with those that share a core with them.
  static func withSiblings(_ cpus: Set<Int>, in tree: HostTree) -> Set<Int> {
    cpus.reduce(into: cpus) { all, cpu in
      let path = "sys/devices/system/cpu/cpu\(cpu)/topology/thread_siblings_list"
      all.formUnion(CPUList(tree.text(at: path) ?? "")?.cpus ?? [])
    }
  }
}
