/// What `/proc/cpuinfo` tells of the processors, on x86 and on ARM.
struct CPUInfo: Hashable, Sendable {
  /// The model names, different ones joined by ` + `; nil when the file names none.
  var model: String?

  /// How many processors are online; nil when the file lists none.
  var count: Int?

  /// The microcode revision, different ones joined by ` + `; x86 only.
  var microcode: String?

  /// Whether the processor says that a hypervisor runs below; x86 only.
  var hasHypervisorFlag = false

  init(text: String) {
    let processors = Self.processors(of: text)
    count = processors.isEmpty ? nil : processors.count
    microcode = Self.joined(processors.compactMap { $0["microcode"] })
    hasHypervisorFlag =
      processors.first?["flags"]?.split(separator: " ").contains("hypervisor") ?? false
    model = Self.joined(processors.compactMap { $0["model name"] ?? Self.armModel(of: $0) })
  }

  private static func joined(_ values: [String]) -> String? {
    values.isEmpty ? nil : Set(values).sorted().joined(separator: " + ")
  }

  /// What is kept of a processor; a large machine lists a hundred of them.
  private static let names: Set = [
    "microcode", "flags", "model name", "CPU implementer", "CPU part", "CPU variant",
    "CPU revision",
  ]

  private static func processors(of text: String) -> [[String: String]] {
    var processors: [[String: String]] = []
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = Substring(line[..<colon]).trimmed
      if name == "processor" { processors.append([:]) }
      guard names.contains(name), let last = processors.indices.last else { continue }
      processors[last][name] = Substring(line[line.index(after: colon)...]).trimmed
    }
    return processors
  }

  /// ARM kernels give numbers only: the Main ID Register in parts.
  private static func armModel(of fields: [String: String]) -> String? {
    guard let implementer = fields["CPU implementer"], let part = fields["CPU part"] else {
      return nil
    }
    let revision = "r\(fields["CPU variant"] ?? "?")p\(fields["CPU revision"] ?? "?")"
    return "ARM implementer \(implementer) part \(part) \(revision)"
  }
}

/// What sets the clocks of a machine's processors.
struct CPUGovernor {
  var tree: HostTree

  /// The governors of all processors, different ones joined by commas; nil without cpufreq.
  var description: String? {
    let directory = "sys/devices/system/cpu"
    let governors = tree.names(in: directory)
      .filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
      .compactMap { tree.text(at: "\(directory)/\($0)/cpufreq/scaling_governor") }
    return governors.isEmpty ? nil : Set(governors).sorted().joined(separator: ",")
  }
}

/// Names the hypervisor below a machine.
struct Virtualization {
  var tree: HostTree
  var hasHypervisorFlag: Bool

  /// The hypervisor, such as `kvm`; nil on bare metal.
  ///
  /// On x86 the processor's flag decides, since firmware names a cloud's bare machines like its
  /// virtual ones. Elsewhere only a product name that is always virtual counts.
  var description: String? {
    if let type = tree.text(at: "sys/hypervisor/type"), !type.isEmpty { return type }
    if hasHypervisorFlag { return clock ?? product ?? "unknown hypervisor" }
    return product
  }

  /// Guests of these hypervisors are offered a clock of their own.
  private var clock: String? {
    let source = "sys/devices/system/clocksource/clocksource0/available_clocksource"
    let clocks = (tree.text(at: source) ?? "").split(separator: " ")
    let known = [("kvm-clock", "kvm"), ("hyperv_clocksource_tsc_page", "hyper-v"), ("xen", "xen")]
    return known.first { clocks.contains(Substring($0.0)) }?.1
  }

  private var product: String? {
    let names = ["sys_vendor", "product_name"]
      .compactMap { tree.text(at: "sys/class/dmi/id/\($0)")?.lowercased() }.joined(separator: " ")
    let known = [
      ("vmware", "vmware"), ("virtualbox", "virtualbox"), ("kvm", "kvm"), ("qemu", "qemu"),
      ("hvm domu", "xen"), ("parallels", "parallels"), ("apple virtualization", "apple"),
      ("microsoft corporation virtual machine", "hyper-v"), ("bochs", "bochs"),
      ("google compute engine", "google"),
    ]
    return known.first { names.contains($0.0) }?.1
  }
}

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
  package var withoutRepetitions: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
