import LabModel

extension JSONValue {
  /// The facts of a host; null where a fact is not known.
  init(host: HostFacts) {
    self = [
      "fingerprint": .string(host.fingerprint),
      "cpu_model": JSONValue(host.cpuModel),
      "cpu_count": JSONValue(host.cpuCount),
      "memory_bytes": JSONValue(host.memoryBytes),
      "architecture": .string(host.architecture),
      "kernel": .string(host.kernel),
      "kernel_build": JSONValue(host.kernelBuild),
      "libc": JSONValue(host.libc),
      "microcode": JSONValue(host.microcode),
      "governor": JSONValue(host.governor),
      "file_system": JSONValue(host.fileSystem),
      "device": JSONValue(host.device),
      "storage": JSONValue(host.storage),
      "read_ahead_kilobytes": JSONValue(host.readAheadKilobytes),
      "io_scheduler": JSONValue(host.ioScheduler),
      "proactive_reclaim": JSONValue(host.proactiveReclaim),
      "virtualization": JSONValue(host.virtualization),
    ]
  }
}
