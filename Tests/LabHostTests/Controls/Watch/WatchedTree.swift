import Foundation
import LabTestSupport
import SystemPackage

@testable import LaunchHost

/// A small machine in the directory of the test, whose files change while they are open.
struct WatchedTree {
  let tree = HostTree(root: FilePath(TemporaryDirectory.path))

  /// Writes into a file as the kernel does: in place, so that an open descriptor sees it.
  func write(_ text: String, to path: String) throws {
    let file = URL(filePath: TemporaryDirectory.path).appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
  }

  /// The lines of processors 0 and 1 in `/proc/stat`, in ticks; each has the same.
  func writeStat(user: Int = 0, idle: Int, waiting: Int = 0, stolen: Int = 0) throws {
    let line = "\(user) 0 0 \(idle) \(waiting) 0 0 \(stolen) 0 0"
    try write(
      "cpu  \(line)\ncpu0 \(line)\ncpu1 \(line)\nintr 5 0\nctxt 7\n",
      to: "proc/stat"
    )
  }

  /// The processor time of processors 0 and 1, in nanoseconds.
  func writeUsage(_ first: Int64, _ second: Int64 = 0) throws {
    try write("", to: "sys/fs/cgroup/cpuacct/release_agent")
    try write("\(first) \(second) \n", to: "sys/fs/cgroup/cpuacct/cpuacct.usage_percpu")
  }

  /// The cgroup of the run, in microseconds.
  func writeCgroup(used: Int64, waited: Int64) throws {
    try write("usage_usec \(used)\nuser_usec 1\nsystem_usec 1\n", to: "run/cpu.stat")
    try write(
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(waited)\n"
        + "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
      to: "run/cpu.pressure"
    )
  }

  func writePressure(_ total: Int64) throws {
    try write(
      "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(total)\n"
        + "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
      to: "proc/pressure/io"
    )
  }
}
