/// How busy the machine is.
package enum MachineLoad {
  /// The load average of the last minute; nil where it cannot be read.
  package static var average: Double? {
    HostTree().text(at: "proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) }
  }
}
