import LaunchCore
import Stages

/// How often each call stack of each class was sampled in the launches of one program, and how long
/// threads waited in it.
struct StackCounts: Sendable {
  /// The stacks of each class, in the order in which they were first seen.
  private(set) var stacks: [ClassKey: [Stack]] = [:]

  /// A call stack from the actor to what it did.
  struct Stack: Sendable {
    var path: [TreeLabel]

    /// By block the number of its samples, or how many nanoseconds it waited.
    var counts: [Int: Int]

    /// The number of its samples in all blocks.
    var samples = 1

    var total: Int { counts.values.reduce(0, +) }
  }

  /// The blocks with a profile.
  private(set) var profiled: Set<Int> = []

  /// The mean time between two samples of a thread, in nanoseconds.
  private(set) var period = 0.0

  init(_ profiles: [LaunchProfile?], of arm: Side, reader: SampleReading) {
    var names: [CodeFrame: CodeFrame] = [:]
    var places: [[TreeLabel]: Int] = [:]
    for (block, profile) in profiles.enumerated() {
      guard let profile else { continue }
      profiled.insert(block)
      period += (Double(profile.period.count) - period) / Double(profiled.count)
      let actors = ProfileActors(profile)
      for sample in profile.samples
      where sample.time >= profile.begin && sample.time <= profile.ready {
        guard let actor = actors.actor(of: sample) else { continue }
        let name = reader.name(of: actor, in: arm)
        guard let activity = Self.activity(of: sample) else { continue }
        let waited = sample.waited.map { Int(min($0, profile.ready - sample.time).count) }
        var labels: [TreeLabel] = [.actor(name)]
        for frame in Self.withoutStart(sample.user) {
          let known = names[frame] ?? reader.name(of: frame, in: arm)
          names[frame] = known
          labels.append(.frame(known))
          Self.fold(&labels)
        }
        labels.append(.leaf(activity.leaf))
        let key = ClassKey(actor: name, activity: activity.activity)
        // The last label says the class, so a path is in one class only.
        if let place = places[labels] {
          stacks[key]?[place].counts[block, default: 0] += waited ?? 1
          stacks[key]?[place].samples += 1
        } else {
          places[labels] = stacks[key]?.count ?? 0
          stacks[key, default: []].append(Stack(path: labels, counts: [block: waited ?? 1]))
        }
      }
    }
  }

  /// The number of samples of a class.
  func samples(of key: ClassKey) -> Int {
    stacks[key]?.reduce(0) { $0 + $1.samples } ?? 0
  }

  /// How long a launch was seen to wait in a class, in nanoseconds; nil for a class of no waits.
  func meanWait(of key: ClassKey) -> Double? {
    switch key.activity {
    case .ownCode, .call: nil
    case .wait, .diskWait, .faultWait:
      Double(stacks[key]?.reduce(0) { $0 + $1.total } ?? 0) / Double(max(1, profiled.count))
    }
  }

  /// What a thread was doing, by the functions of the kernel, outermost first.
  ///
  /// - Returns: Nil for a stop to wait that is in no call and no page fault.
  static func activity(
    of sample: ProfileSample
  ) -> (activity: ActivityClass, leaf: TimeLeaf)? {
    let name = sample.kernel.lazy.compactMap(callName).first
    let isFault = sample.kernel.contains { faults.contains($0) }
    guard sample.waited != nil else {
      if let name { return (.call(name), .call(name)) }
      return (.ownCode, isFault ? .pageFaults : .ownCode)
    }
    let isForDisk = sample.kernel.contains { function in
      diskWaits.contains { function.hasPrefix($0) }
    }
    if isForDisk { return (.diskWait, .diskWait) }
    if let name { return (.wait(name), .wait(name)) }
    return isFault ? (.faultWait, .faultWait) : nil
  }

  /// How kernel functions begin in which a thread waits for a block device; kernel/sched/core.c.
  private static let diskWaits = ["io_schedule", "bit_wait_io"]

  /// The system call that a function of the kernel carries out.
  private static func callName(of function: String) -> String? {
    let prefix = callPrefixes.first { function.hasPrefix($0) }
    guard let prefix else { return nil }
    var name = String(function.dropFirst(prefix.count))
    if let cut = name.firstIndex(of: ".") { name = String(name[..<cut]) }
    return renamedCalls[name] ?? name
  }

  private static let callPrefixes = [
    "__x64_sys_", "__ia32_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_",
  ]

  /// Kernel functions that are not called as the system call is.
  private static let renamedCalls = [
    "newfstatat": "newfstatat", "newstat": "stat", "newlstat": "lstat", "newfstat": "fstat",
    "newuname": "uname", "sendfile64": "sendfile", "fadvise64_64": "fadvise64",
    "mmap_pgoff": "mmap", "umount": "umount2",
  ]

  private static let faults: Set = [
    "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "handle_mm_fault", "el0_da",
    "el0_ia", "do_mem_abort", "do_page_fault",
  ]

  /// The functions without those that begin every program or thread.
  private static func withoutStart(_ frames: [CodeFrame]) -> ArraySlice<CodeFrame> {
    frames.drop { SampleReading.isStart($0.function) || SampleReading.isThreadStart($0) }
  }

  /// Drops the last functions when they repeat those before them, as recursion does.
  private static func fold(_ labels: inout [TreeLabel]) {
    for length in 1...3 where labels.count > 2 * length {
      let end = labels.count
      if labels[(end - length)...] == labels[(end - 2 * length)..<(end - length)] {
        labels.removeLast(length)
        return
      }
    }
  }
}
