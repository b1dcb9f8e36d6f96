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
    let processors = text.split(separator: "\n\n").map { Self.fields(of: $0) }
      .filter { $0["processor"] != nil }
    count = processors.isEmpty ? nil : processors.count
    microcode = Self.joined(processors.compactMap { $0["microcode"] })
    hasHypervisorFlag =
      processors.first?["flags"]?.split(separator: " ").contains("hypervisor") ?? false
    model = Self.joined(processors.compactMap { $0["model name"] ?? Self.armModel(of: $0) })
  }

  private static func joined(_ values: [String]) -> String? {
    values.isEmpty ? nil : Set(values).sorted().joined(separator: " + ")
  }

  private static func fields(of processor: Substring) -> [String: String] {
    var fields: [String: String] = [:]
    for line in processor.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].trimmed] = line[line.index(after: colon)...].trimmed
    }
    return fields
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
