/// What the kernel tells of one task.
///
/// Source: proc_pid_status(5).
struct TaskStatus {
  let name: String

  /// The processors that it may run on.
  let cpus: Set<Int>

  /// Whether it has memory of its own, which threads of the kernel have not.
  let isOfProgram: Bool

  /// Reads the status of a process or thread; nil when there is none.
  init?(of task: String, in tree: HostTree) {
    let lines = tree.text(at: "proc/\(task)/status")?.split(separator: "\n") ?? []
    func value(_ name: String) -> String? {
      lines.first { $0.hasPrefix("\(name):") }?.dropFirst(name.count + 1).trimmed
    }
    guard let name = value("Name"), let cpus = value("Cpus_allowed_list").flatMap({ CPUList($0) })
    else { return nil }
    self.name = name
    self.cpus = cpus.cpus
    isOfProgram = value("VmSize") != nil
  }
}
