/// How much memory a machine has.
enum MemorySize {
  /// What is installed, in bytes, where the kernel counts memory in blocks; or else what it manages.
  ///
  /// What it manages is a few megabytes more or less with every boot, and less while a hypervisor
  /// takes memory back.
  /// Source: the kernel's admin-guide/mm/memory-hotplug.rst.
  static func bytes(in tree: HostTree) -> Int64? { installed(in: tree) ?? managed(in: tree) }

  private static func installed(in tree: HostTree) -> Int64? {
    let directory = "sys/devices/system/memory"
    guard let text = tree.text(at: "\(directory)/block_size_bytes"),
      let size = Int64(text, radix: 16)
    else { return nil }
    let blocks = tree.names(in: directory)
      .filter { $0.hasPrefix("memory") && Int($0.dropFirst(6)) != nil }
    return blocks.isEmpty ? nil : size * Int64(blocks.count)
  }

  private static func managed(in tree: HostTree) -> Int64? {
    let line = (tree.text(at: "proc/meminfo") ?? "").split(separator: "\n")
      .first { $0.hasPrefix("MemTotal:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }.map { $0 * 1024 }
  }

  /// The size rounded up to an eighth of the next lower power of two, in MiB.
  ///
  /// A kernel keeps up to 4 % for itself, so that what it manages of the usual sizes lies well
  /// between two steps.
  static func roundedMebibytes(_ bytes: Int64) -> Int64 {
    let mebibytes = max(8, (bytes + (1 << 20) - 1) >> 20)
    let step = Int64(1) << (63 - mebibytes.leadingZeroBitCount - 3)
    return (mebibytes + step - 1) / step * step
  }
}
