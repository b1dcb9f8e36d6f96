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
