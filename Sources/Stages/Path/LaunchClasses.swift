package import LaunchCore

/// What an actor does in a class of time; the code in it does not matter.
package enum ActivityClass: Hashable, Sendable {
  case ownCode

  /// In the kernel, in a system call of this name.
  case call(String)

  /// Waiting in a system call of this name.
  case wait(String)
  case diskWait
  case faultWait
}

/// A class of time whose exact length is known; samples can divide it among functions.
package struct ClassKey: Hashable, Sendable {
  package var actor: LaunchActor
  package var activity: ActivityClass

  package init(actor: LaunchActor, activity: ActivityClass) {
    self.actor = actor
    self.activity = activity
  }
}

/// A resource that time was spent on, as the path to it in a tree, the outermost node first.
///
/// - `own code`
/// - `page faults`: waits for pages that came without the disk
/// - `files`, the directory, the path, the system call
/// - `sockets`, the address, the system call
/// - `processes`, the system call, and what it executed
/// - `kernel`, the system call, and what it worked on if that is known, such as a pipe
/// - `waits`, the system call, and what it waited for if that is known
/// - `disk`, the path, or the system call when no path is known
package struct ResourceKey: Hashable, Sendable, ExpressibleByArrayLiteral {
  package var path: [String]

  package init(_ path: [String]) { self.path = path }

  package init(arrayLiteral elements: String...) { path = elements }
}

/// The time of one launch by class and by resource.
///
/// Both divide the same time, so their sums are equal; with ``queue``, ``harness`` and ``unknown``
/// they add up to the launch.
package struct LaunchClasses: Hashable, Sendable {
  package private(set) var classes: [ClassKey: Nanoseconds] = [:]
  package private(set) var resources: [ResourceKey: Nanoseconds] = [:]

  /// The number of events, which cost time by themselves, in each class.
  package private(set) var classEvents: [ClassKey: Int] = [:]

  /// The number of events, which cost time by themselves, in each resource.
  package private(set) var resourceEvents: [ResourceKey: Int] = [:]

  /// Waiting for a processor.
  package private(set) var queue = Nanoseconds.zero

  /// From when the launch was ready until launchlab noticed.
  package private(set) var harness = Nanoseconds.zero

  /// What the events do not say.
  package private(set) var unknown = Nanoseconds.zero

  package init(_ path: LaunchPath) {
    // What is the same is added up first, because names are slow to hash.
    var sums: [Doing: Sum] = [:]
    for (place, segment) in path.segments.enumerated() {
      let events = place < path.eventCounts.count ? path.eventCounts[place] : 0
      let doing = Doing(actor: segment.actor, activity: segment.activity)
      sums[doing, default: Sum()].add(Sum(time: segment.duration, events: events))
    }
    var classes: [ClassKey: Sum] = [:]
    var resources: [ResourceKey: Sum] = [:]
    for (doing, sum) in sums {
      switch doing.activity {
      case .queue: queue = queue + sum.time
      case .harness: harness = harness + sum.time
      case .unknown: unknown = unknown + sum.time
      case .ownCode, .systemCall, .wait, .diskWait, .faultWait:
        guard let activity = ActivityClass(doing.activity) else { continue }
        classes[ClassKey(actor: doing.actor, activity: activity), default: Sum()].add(sum)
        resources[ResourceKey(doing.activity), default: Sum()].add(sum)
      }
    }
    self.classes = classes.mapValues(\.time)
    self.resources = resources.mapValues(\.time)
    classEvents = classes.mapValues(\.events)
    resourceEvents = resources.mapValues(\.events)
  }

  private struct Doing: Hashable {
    let actor: LaunchActor
    let activity: Activity
  }

  private struct Sum {
    var time = Nanoseconds.zero
    var events = 0

    mutating func add(_ other: Self) {
      time = time + other.time
      events += other.events
    }
  }

  /// The time that the launch itself took: all but ``queue``, ``harness`` and ``unknown``.
  package var attributable: Nanoseconds { classes.values.reduce(.zero, +) }
}

extension ActivityClass {
  /// The class of what an actor did; nil for time that is lost to it.
  package init?(_ activity: Activity) {
    switch activity {
    case .ownCode: self = .ownCode
    case .systemCall(let name, _): self = .call(name)
    case .wait(let name, _, _): self = .wait(name)
    case .diskWait: self = .diskWait
    case .faultWait: self = .faultWait
    case .queue, .harness, .unknown: return nil
    }
  }
}

extension ResourceKey {
  /// The resource of what an actor did; empty for time that is lost to it.
  package init(_ activity: Activity) {
    switch activity {
    case .ownCode: self = ["own code"]
    case .systemCall(let name, let object): self.init(call: name, on: object)
    case .wait(let name, let object, _): self.init(["waits", name] + (object.map { [$0] } ?? []))
    case .diskWait(let name, let object): self = ["disk", object ?? name ?? "page fault"]
    case .faultWait: self = ["page faults"]
    case .queue, .harness, .unknown: self = []
    }
  }

  /// The system calls by which processes and threads come and go.
  private static let ofProcesses: Set = [
    "clone", "clone3", "fork", "vfork", "execve", "execveat", "wait4", "waitid", "exit",
    "exit_group",
  ]

  private init(call name: String, on object: String?) {
    if Self.ofProcesses.contains(name) {
      path = ["processes", name] + (object.map { [$0] } ?? [])
      return
    }
    guard let object else {
      path = ["kernel", name]
      return
    }
    switch ObjectName.kind(of: object) {
    case .file: path = ["files", Self.directory(of: object), object, name]
    case .socket: path = ["sockets", object, name]
    case .kernelObject: path = ["kernel", name, object]
    }
  }

  /// The directory that a path is in; `.` for a name alone.
  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
