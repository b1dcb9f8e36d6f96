import CLabHost
import Foundation
import Glibc
import LaunchCore
import Synchronization

/// Ends launchlab at once, with the machine set back, when a second signal comes, or when the first
/// one goes unheeded because a long computation never asks for it.
///
/// It has a thread of its own, since the others may be anywhere. What was stored by then stays.
enum ForcedEnd {
  /// Held while the machine is changed or set back, so that no change comes after the last undoing.
  private static let gate = NSRecursiveLock()

  private static let journal = Mutex<ControlJournal?>(nil)

  /// The sockets of the running spawners, by process.
  private static let spawners = Mutex<[pid_t: Int32]>([:])

  /// How long a change that is being made or undone may take, in seconds.
  private static let longestChange = 60.0

  // MARK: - What has to be undone

  /// Changes the machine, or sets it back; once launchlab is being ended it never returns.
  static func changing<Result, Failure>(
    _ change: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    gate.lock()
    defer { gate.unlock() }
    return try change()
  }

  /// Says which journal has the changes from now on; nil when there are none left.
  static func use(_ journal: ControlJournal?) { self.journal.withLock { $0 = journal } }

  static func add(spawner: pid_t, socket: Int32) {
    spawners.withLock { $0[spawner] = socket }
  }

  /// Whether a process is a spawner or another helper of this launchlab.
  static func isHelper(_ pid: pid_t) -> Bool { spawners.withLock { $0[pid] != nil } }

  /// Must be called before the socket is closed, whose number may be another file's afterwards.
  static func remove(spawner: pid_t) { spawners.withLock { $0[spawner] = nil } }

  // MARK: - The thread

  /// Watches signals for the rest of the process.
  ///
  /// - Parameters:
  ///   - signals: An eventfd that counts them.
  ///   - flag: What the first one sets.
  static func watch(_ signals: Int32, _ flag: InterruptFlag) {
    Thread.detachNewThread {
      while wait(for: signals, limit: -1) == 0 {}
      var patience = EndPatience()
      let thread = ownThread
      var more = 0
      while true {
        let sight = EndPatience.Sight(
          signals: more,
          isHeeded: flag.wasSeen,
          isIdle: isIdle(besides: thread),
          cpu: clock(CLOCK_PROCESS_CPUTIME_ID),
          now: clock(CLOCK_MONOTONIC)
        )
        if let reason = patience.reason(toEndAfter: sight) { end(because: reason) }
        more = wait(for: signals, limit: EndPatience.step)
      }
    }
  }

  /// Waits for signals, and says how many came.
  private static func wait(for signals: Int32, limit: Int32) -> Int {
    var state = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
    var count: UInt64 = 0
    guard unsafe poll(&state, 1, limit) > 0,
      unsafe read(signals, &count, MemoryLayout<UInt64>.size) > 0
    else { return 0 }
    return Int(clamping: count)
  }

  private static func clock(_ id: clockid_t) -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(id, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The id of the thread that asks, as proc_thread-self(5) has it.
  private static var ownThread: String? {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return link?.split(separator: "/").last.map { String($0) }
  }

  /// Whether every other thread waits for something that may never come.
  ///
  /// One that waits for a processor or a disk does not: it will go on by itself.
  private static func isIdle(besides own: String?) -> Bool {
    HostTree().names(in: "proc/self/task").filter { $0 != own }.allSatisfy { thread in
      let status = HostTree().text(at: "proc/self/task/\(thread)/stat") ?? ""
      return status.split(separator: ")").last?.hasPrefix(" S") ?? true
    }
  }

  // MARK: - The end

  private static func end(because reason: EndPatience.Reason) -> Never {
    // It is never given back: who waits for it has nothing to change any more.
    let isFree = gate.lock(before: Date(timeIntervalSinceNow: longestChange))
    endSpawners()
    endDescendants()
    // Targets of a spawner that was stuck would be in the way of the undoing.
    RunCgroup.removeStale(orOwn: true)
    let undone = isFree ? journal.withLock { $0 }?.undoAll() ?? [] : []
    ProbeDirectory.removeStale(orOwn: true)
    say(reason, undone, isFree: isFree)
    _exit(LabExitCode.interrupted.rawValue)
  }

  /// Closes the sockets, upon which spawners kill what they launched and exit; one that does not
  /// within a second is killed.
  private static func endSpawners() {
    let pids = spawners.withLock { spawners in
      for socket in spawners.values { shutdown(socket, Int32(SHUT_RDWR)) }
      return Array(spawners.keys)
    }
    for pid in pids {
      for _ in 0..<1_000 where waitpid(pid, nil, WNOHANG) == 0 { _ = poll(nil, 0, 1) }
      if waitpid(pid, nil, WNOHANG) == 0 { _ = kill(pid, SIGKILL) }
    }
  }

  /// Kills what is left: builds, and tools.
  private static func endDescendants() {
    for _ in 0..<100 {
      let children = Dictionary(grouping: ProcessStatus.all, by: \.parent)
      var pending = children[getpid()] ?? []
      if pending.isEmpty { return }
      while let process = pending.popLast() {
        _ = kill(process.pid, SIGKILL)
        pending += children[process.pid] ?? []
      }
      _ = poll(nil, 0, 1)
    }
  }

  /// Says what happened, unless nobody reads it.
  private static func say(
    _ reason: EndPatience.Reason,
    _ undone: [UndoneChange],
    isFree: Bool
  ) {
    let settings = undone.filter { $0.control != nil }
    let restored = settings.filter { $0.status == .restored }.count
    let isWhole = isFree && !undone.contains { $0.status == .failed }
    var text = isatty(STDERR_FILENO) == 1 ? "\r\u{1B}[K" : ""
    text += "warning: \(reason.rawValue): restored \(restored) "
    text += restored == 1 ? "setting and stopped\n" : "settings and stopped\n"
    text +=
      isWhole
      ? "  help: what was stored by then is kept; resume with "
        + "`launchlab run SCENARIO --resume last`\n"
      : "  help: something could not be restored; run `launchlab restore`\n"
    var state = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&state, 1, 100) > 0, state.revents & Int16(POLLOUT) != 0 else { return }
    let bytes = Array(text.utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}

/// Decides how long a first signal may take to be heeded.
///
/// All times are in milliseconds.
struct EndPatience {
  /// How often it is asked.
  static let step: Int32 = 20

  /// Signals this close together are one: `timeout` and systemd send several at once.
  static let oneSignal: Int64 = 100

  /// How much may be computed before the flag is looked at.
  static let unheededWork: Int64 = 700

  /// How long all threads may wait before the flag is looked at.
  static let unheededRest: Int64 = 900

  /// How much may be computed, and how long it may take, to end in good order.
  static let heededWork: Int64 = 3_000
  static let heededTime: Int64 = 20_000

  /// Why launchlab ends, as its message begins.
  enum Reason: String {
    case again = "interrupted again"
    case unheeded = "interrupted while computing"
  }

  /// What is seen in one step.
  struct Sight {
    /// How many more signals came.
    var signals = 0

    /// Whether the flag was looked at since it is set.
    var isHeeded = false

    /// Whether every thread waits.
    var isIdle = false

    /// What the process has computed.
    var cpu: Int64
    var now: Int64
  }

  private var first: Sight?
  private var heeded: Sight?
  private var restSince: Int64?

  /// Why launchlab has to be ended now; nil when it may go on.
  mutating func reason(toEndAfter sight: Sight) -> Reason? {
    let first = first ?? sight
    self.first = first
    if sight.signals > 0, sight.now - first.now >= Self.oneSignal { return .again }
    if sight.isHeeded {
      let heeded = heeded ?? sight
      self.heeded = heeded
      let isLate =
        sight.cpu - heeded.cpu >= Self.heededWork || sight.now - heeded.now >= Self.heededTime
      return isLate ? .unheeded : nil
    }
    restSince = sight.isIdle ? restSince ?? sight.now : nil
    let isResting = restSince.map { sight.now - $0 >= Self.unheededRest } ?? false
    return isResting || sight.cpu - first.cpu >= Self.unheededWork ? .unheeded : nil
  }
}
