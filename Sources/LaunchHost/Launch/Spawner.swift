import CLabHost
import CLaunchWire
import Foundation
import Glibc
package import LaunchCore
import SystemPackage

/// Launches programs, one at a time, by way of a small process that does nothing else.
///
/// Nothing that a launched program starts outlives its launch, nor the spawner.
package final class Spawner {
  private let program: String

  /// How long the spawner may be late before it counts as stuck.
  private let patience: Nanoseconds
  private let runtime: OwnedDirectory
  private var runtimeDirectory: String { runtime.path.string }
  private let interrupt: InterruptFlag?

  /// The processors of the spawner and those of targets that ask for none; nil leaves them alone.
  private let affinity: (harness: [Int], targets: [Int])?

  /// Where its cgroup is made; nil means below that of launchlab.
  private let cgroupParent: FilePath?
  private var cgroup: RunCgroup?
  private var process: HelperProcess?

  /// Whether the spawner may not find back into the host's network.
  private var mayBeOffNetwork = false

  /// How often the process was started: one that was lost or stuck is replaced, and so is its
  /// cgroup, by one that may have the same name.
  private(set) var starts = 0

  /// Told how the process ended, such as `signal 9`, whenever it was lost.
  var whenLost: (String) -> Void = { _ in }

  /// After how many losses in a row a launch is given up.
  package static let toleratedLosses = 5

  /// The path of the socket that a program tells of its launch mark, when that is its readiness.
  package var notificationPath: String { "\(runtimeDirectory)/\(NOTIFICATION_SOCKET)" }

  /// Starts a spawner, and ends what an earlier launchlab that was killed has left.
  ///
  /// - Parameters:
  ///   - temporaryDirectory: Where a private directory for its sockets is made; a short path.
  ///   - interrupt: Ends a waiting launch when it is set.
  ///   - patience: How long an answer may be late before the launch counts as stuck.
  ///   - harnessCPUs: The processors that the spawner itself is kept on, of those that
  ///     ``ProcessAffinity/available()`` lists. Targets that ask for none run on those that
  ///     launchlab has now, so it should not be pinned itself yet.
  ///   - cgroupParent: The directory of the cgroup that its own is made in; nil means that of
  ///     launchlab.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package init(
    temporaryDirectory: String = "/tmp",
    interrupt: InterruptFlag? = nil,
    patience: Nanoseconds = .seconds(5),
    harnessCPUs: [Int]? = nil,
    cgroupParent: String? = nil
  ) throws(HostError) {
    // Every user may pass through, to the notification socket, but nobody can look around.
    runtime = try OwnedDirectory.makeTemporary(in: temporaryDirectory, permissions: 0o711)
    program = try EmbeddedHelper.spawner.unpacked()
    self.interrupt = interrupt
    self.patience = patience
    self.cgroupParent = cgroupParent.map { FilePath($0) }
    affinity = harnessCPUs.map { ($0, ProcessAffinity.allowed()) }
    _ = try running()
  }

  deinit { close() }

  /// The process that launches; nil while there is none.
  var processID: pid_t? { process?.pid }

  /// The cgroup that holds the spawner and all that it launches; nil where there is none.
  var cgroupDirectory: String? { cgroup?.directory.string }

  /// The mark of what is launched, by which it is found where no cgroup holds it.
  ///
  /// It is the value of the variable `LAUNCHLAB_RUN` of targets, and the journal has it.
  ///
  /// - Returns: Nil where a cgroup holds what is launched.
  /// - Throws: ``HostError/journal(operation:path:errno:)``.
  func mark(in journal: ControlJournal) throws(HostError) -> String? {
    guard cgroup == nil else { return nil }
    // Processes of two containers may have the same id and start.
    let mark = "\(ProcessIdentity.current)-\(LabMark.ownNamespaces)"
    try journal.record(.processes(mark: mark), of: nil)
    return mark
  }

  /// What holds the processes of a launch together, and why it is no cgroup if it is none.
  package var containment: ControlReceipt {
    if cgroup != nil {
      return ControlReceipt(
        name: "containment",
        wanted: "cgroup",
        after: "cgroup",
        status: .applied
      )
    }
    return ControlReceipt(
      name: "containment",
      wanted: "cgroup",
      after: "child subreaper",
      status: .unavailable,
      reason: "no cgroup v2 can be written to"
    )
  }

  /// Launches once, and again when the spawner was lost meanwhile, which says nothing of the target.
  ///
  /// - Parameter request: What is launched; nothing has to be prepared for it.
  /// - Returns: What became of it, whatever the target did.
  /// - Throws: As ``launchOnce(_:padding:)``, but a loss only after ``toleratedLosses`` in a row.
  package func launch(_ request: LaunchRequest) throws(HostError) -> LaunchResult {
    for _ in 1..<Self.toleratedLosses {
      do throws(HostError) {
        return try launchOnce(request)
      } catch .spawnerLost {
        continue
      }
    }
    do throws(HostError) {
      return try launchOnce(request)
    } catch .spawnerLost(let status, _) {
      throw .spawnerLost(status: status, times: Self.toleratedLosses)
    }
  }

  /// Launches once, waits until the target is ready, and stops it with all it has started.
  ///
  /// - Parameters:
  ///   - request: What is launched.
  ///   - padding: The length of the variable that pads the environment, from 0 to 4,095; it counts
  ///     only where the conditions of the request ask for one.
  /// - Returns: What became of it, whatever the target did.
  /// - Throws: ``HostError/interrupted`` when the flag is set, and
  ///   ``HostError/spawnerLost(status:times:)``, after which another spawner is started for the next
  ///   launch. Nothing of the target is left then either.
  package func launchOnce(
    _ request: LaunchRequest,
    padding: Int? = nil
  ) throws(HostError) -> LaunchResult {
    if interrupt?.heedIfSet() == true { throw .interrupted }
    try running(for: request.conditions.network)
    guard process?.send(request.bytes(padding: padding ?? 0)) == true else {
      throw lose(request.stop)
    }
    let sight = sight(of: request)
    let limit = request.timeout + (request.stop.after ?? .zero) + request.stop.grace + patience
    switch process?.receive(within: limit, interrupt: interrupt?.descriptor ?? -1) {
    case .message(let bytes):
      guard let answer = SpawnerAnswer(bytes, tracepoints: request.tracepoints) else {
        throw lose(request.stop)
      }
      var result = answer.result(of: request)
      if result.outcome == .timedOut { result.sight = sight }
      return result
    case .interrupted:
      interrupt?.heed()
      end()
      throw .interrupted
    case .late:
      process.take()?.kill()
      sweep()
      return LaunchResult(
        outcome: .notStarted(
          reason: "the launch was stuck, before the program began or when it was to end"
        )
      )
    case .ended, nil:
      throw lose(request.stop)
    }
  }

  /// Looks at the processes of a launch twice shortly before its time runs out, if it comes to that,
  /// while they still live.
  private func sight(of request: LaunchRequest) -> TreeSight? {
    guard let pid = process?.pid else { return nil }
    let window = min(Nanoseconds(request.timeout.count / 2), Self.longestWindow)
    // What the look itself takes must not come after the end.
    let margin = Nanoseconds(window.count / 2)
    let interrupt = self.interrupt?.descriptor ?? -1
    let look = TreeLook(spawner: pid)
    guard process?.isSilent(for: request.timeout - window, interrupt: interrupt) == true else {
      return nil
    }
    let before = look.used()
    let beginning = MonotonicClock.now
    guard process?.isSilent(for: window - margin, interrupt: interrupt) == true else { return nil }
    return look.sight(since: before, window: MonotonicClock.now - beginning)
  }

  private static let longestWindow = Nanoseconds.seconds(2)

  /// Ends the spawner; no launch may follow.
  package func close() {
    process.take()?.dismiss()
    cgroup.take()?.remove()
    runtime.remove()
  }

  // MARK: - The process

  /// Sees to it that there is a spawner, in the host's network where that is asked for.
  ///
  /// A launch does so itself; this is for who must know its cgroup before.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func running(for network: TargetNetwork) throws(HostError) {
    if network == .host, mayBeOffNetwork { end() }
    try running()
    mayBeOffNetwork = network != .host
  }

  private func running() throws(HostError) {
    if process != nil { return }
    cgroup = RunCgroup.make(in: cgroupParent)
    if cgroup == nil { OrphanSweep.prepare() }
    var arguments = [runtimeDirectory, cgroup?.directory.string ?? ""]
    if let affinity {
      arguments += [affinity.harness, affinity.targets]
        .map { $0.map(String.init).joined(separator: ",") }
    }
    process = try HelperProcess(program: program, arguments: arguments)
    starts += 1
  }

  /// Ends the spawner in the middle of a launch, with everything that it launched.
  @discardableResult private func end() -> String {
    let status = process.take()?.abandon() ?? "an unknown status"
    sweep()
    return status
  }

  /// Ends what a spawner that was lost has left: politely first, as at the end of a launch, so that
  /// the target takes away what would keep the next one from starting, such as its socket.
  private func lose(_ stop: StopPolicy) -> HostError {
    let status = process.take()?.abandon() ?? "an unknown status"
    let deadline = ContinuousClock.now + .nanoseconds(stop.grace.count)
    for pid in survivors { _ = Glibc.kill(pid, stop.signal) }
    while !survivors.isEmpty, ContinuousClock.now < deadline, interrupt?.heedIfSet() != true {
      _ = poll(nil, 0, 1)
    }
    sweep()
    whenLost(status)
    return .spawnerLost(status: status)
  }

  /// What lives of all that was launched.
  private var survivors: [pid_t] {
    cgroup?.living ?? OrphanSweep().orphans.map(\.pid)
  }

  private func sweep() {
    if let cgroup = cgroup.take() {
      cgroup.kill()
      cgroup.remove()
    } else {
      OrphanSweep().run()
    }
  }
}

/// Kills what a lost spawner has left, where there is no cgroup to do it.
///
/// This process adopts the orphans of its spawner. A target has a session of its own, by which it
/// is told from other children of this process. Other helpers, such as a second spawner, go on with
/// all that they have started.
struct OrphanSweep {
  /// Makes this process adopt orphans from now on.
  static func prepare() { _ = lab_adopt_orphans() }

  /// Kills until nothing is left, for which it waits up to two seconds.
  func run() {
    // One that waits for its parent may have threads that still hold its files.
    var killed: Set<pid_t> = []
    for _ in 0..<2_000 {
      let orphans = orphans
      for orphan in orphans { _ = kill(orphan.pid, SIGKILL) }
      killed.formUnion(orphans.map(\.pid))
      if orphans.isEmpty, killed.isEmpty { return }
      _ = poll(nil, 0, 1)
      killed = killed.filter { waitpid($0, nil, WNOHANG) == 0 }
    }
  }

  /// What is left of launches, living or not, but for processes that only wait for their parent.
  var orphans: [ProcessStatus] {
    let children = Dictionary(grouping: ProcessStatus.all, by: \.parent)
    let session = getsid(0)
    var found: [ProcessStatus] = []
    var pending = children[getpid()] ?? []
    while let process = pending.popLast() {
      if process.session == session || ForcedEnd.isHelper(process.pid) { continue }
      found.append(process)
      pending.append(contentsOf: children[process.pid] ?? [])
    }
    return found
  }
}
