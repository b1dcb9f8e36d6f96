import LabModel

extension HostFacts {
  /// The machine in one phrase, without what is unknown.
  var phrase: String {
    let facts: [String?] = [
      cpuModel, cpuCount.map { Quantity.count($0, "cpu") },
      memoryBytes.map { Quantity.text(Double($0), .bytes) }, "Linux \(kernel) \(architecture)",
      libc, [fileSystem, device].compactMap(\.self).joined(separator: " on "),
      virtualization.map { "under \($0)" }, "host \(fingerprint.prefix(12))",
    ]
    return facts.compactMap(\.self).filter { !$0.isEmpty }.map(\.printable).joined(separator: " · ")
  }
}
