import CLaunchWire
import Foundation
import Glibc
package import LaunchCore
import SystemPackage

/// The probe, ready to be loaded into targets, and the file that it writes to.
///
/// One launch at a time: ``reset()``, a launch with the environment, ``observation(from:ready:)``.
package final class StageProbe {
  /// What programs write to; programs with launch marks may be told its path as well.
  package let events: EventsFile

  /// A script that a program of Node can be made to load; see ``KnownRuntime``.
  var nodeScript: String { directory.nodeScript }

  private let directory: ProbeDirectory

  /// Another probe may have taken the name of the directory then.
  private var isRemoved = false

  /// Unpacks the probe into a private directory.
  ///
  /// - Parameters:
  ///   - fallback: A directory to use where none in memory will do; it should be open to other
  ///     users, to whom a target may change.
  ///   - environment: That of launchlab, for `XDG_RUNTIME_DIR`.
  ///   - journal: Has the directory before it is there.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package init(
    fallback: String,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    journal: ControlJournal? = nil
  ) throws(HostError) {
    let directory = try ProbeDirectory.make(
      memory: ["/dev/shm", environment["XDG_RUNTIME_DIR"] ?? "", "/run/user/\(getuid())"],
      fallback: fallback,
      journal: journal
    )
    do throws(HostError) {
      try Self.unpack(EmbeddedHelper.probe.program, to: directory.probe)
      try Self.unpack(Array(KnownRuntime.nodeScript.utf8), to: directory.nodeScript)
      events = try EventsFile(at: directory.events)
    } catch {
      directory.remove()
      throw error
    }
    self.directory = directory
  }

  deinit { remove() }

  /// Whether the target's environment is to be without `LD_AUDIT`, from the next reset on.
  ///
  /// No other program that it executes is seen then.
  package var isHidden: Bool {
    get { events.isHidden }
    set { events.isHidden = newValue }
  }

  /// The environment with the probe before any other auditor.
  ///
  /// - Parameter environment: The target's environment.
  /// - Returns: The same with other values of `LD_AUDIT` and `GLIBC_TUNABLES`.
  package func environment(addingTo environment: [String: String]) -> [String: String] {
    var changed = environment
    let others = environment["LD_AUDIT"].map { $0.isEmpty ? "" : ":\($0)" } ?? ""
    changed["LD_AUDIT"] = directory.probe + others
    let tunables = environment["GLIBC_TUNABLES"] ?? ""
    if !tunables.contains("glibc.rtld.optional_static_tls=") {
      changed["GLIBC_TUNABLES"] = LAUNCH_EVENTS_TUNABLE + (tunables.isEmpty ? "" : ":\(tunables)")
    }
    return changed
  }

  /// The tunables without the one that is set for a probe.
  ///
  /// - Parameter tunables: The value of `GLIBC_TUNABLES`, or nil for none.
  /// - Returns: What is left of it; nil when that is nothing.
  package static func removedTunable(from tunables: String?) -> String? {
    parts(of: tunables) { $0 != LAUNCH_EVENTS_TUNABLE }
  }

  /// The auditors without the probes of launchlabs, since one of another launch would write to the
  /// events of this one.
  ///
  /// - Parameter auditors: The value of `LD_AUDIT`, or nil for none.
  /// - Returns: What is left of it; nil when that is nothing.
  package static func removed(from auditors: String?) -> String? {
    parts(of: auditors) { !ProbeDirectory.isProbe($0) }
  }

  /// Some parts of a variable whose parts are separated by colons; nil for none.
  private static func parts(of variable: String?, where isKept: (String) -> Bool) -> String? {
    let kept = variable?.split(separator: ":").map(String.init).filter(isKept)
    return kept.flatMap { $0.isEmpty ? nil : $0.joined(separator: ":") }
  }

  /// Forgets what the last launch has written.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func reset() throws(HostError) { try events.reset() }

  /// What was seen of the launch since the last reset.
  ///
  /// - Parameters:
  ///   - trace: What was launched and when.
  ///   - ready: The ready instant; nil when the target did not become ready.
  /// - Returns: The events, also those after the ready instant.
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package func observation(
    from trace: LaunchTrace,
    ready: Nanoseconds?
  ) throws(HostError) -> StageObservation {
    var content = try events.content(from: trace.begin, to: MonotonicClock.now)
    var paths = ExecutedPaths()
    content.events = paths.resolved(content.events)
    return StageObservation(
      collector: .probe,
      begin: trace.begin,
      ready: ready,
      process: trace.process,
      readyProcess: trace.readyProcess,
      events: content.events,
      lostEvents: content.lost,
      notes: notes(on: content)
    )
  }

  /// What a loader says on stderr when it cannot load the probe, as sentences without a full stop.
  ///
  /// A program in a sandbox such as that of bwrap has a /dev/shm of its own, and one in a chroot too;
  /// the environment of both still names the probe. Source: glibc, elf/rtld.c.
  static func loaderErrors(in output: [UInt8]) -> [String] {
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    let isSaid = lines.contains { line in
      line.hasPrefix("ERROR: ld.so: object '") && line.contains("/\(ProbeDirectory.fileName)'")
        && line.contains("audit interface")
    }
    return isSaid
      ? [
        "a loader says on the target's stderr that it cannot load the probe: a program of the launch "
          + "has another root directory, or a private /dev/shm, and was not watched"
      ] : []
  }

  /// Removes the private directory; nothing may be launched with the probe then.
  package func remove() {
    if !isRemoved { directory.remove() }
    isRemoved = true
  }

  // MARK: - Details

  private func notes(on content: EventsFile.Content) -> [String] {
    var notes: [String] = []
    if !content.events.contains(where: { $0.kind == .programBegan }) {
      notes.append("the probe was not loaded: no program of the launch has a loader that takes it")
    }
    for event in content.events where event.kind == .loaderTooOld {
      notes.append("process \(event.pid) runs on a glibc before 2.35, where nothing is watched")
    }
    if content.lostText > 0 { notes.append("paths of \(content.lostText) bytes found no room") }
    if content.rejected > 0 {
      notes.append("\(content.rejected) events are broken and were left out")
    }
    if !directory.isOpenToAll {
      notes.append("the probe is in \(directory.path), which other users cannot reach")
    }
    return notes
  }

  static func unpack(_ content: [UInt8], to path: String) throws(HostError) {
    do {
      let file = try FileDescriptor.open(
        FilePath(path),
        .writeOnly,
        options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite
      )
      try file.closeAfter {
        _ = try file.writeAll(content)
        guard fchmod(file.rawValue, 0o755) == 0 else { throw Errno(rawValue: errno) }
      }
    } catch {
      let code = (error as? Errno)?.rawValue ?? EIO
      throw .system(operation: "unpack", path: path, errno: code)
    }
  }
}

extension StageProbe {
  /// Tries the probe on a program that does nothing; to be done once before it is used on a host.
  ///
  /// - Parameter spawner: What launches the program.
  /// - Returns: Why the probe must not be used on this host, without a full stop; nil when it works,
  ///   or when the program is none that it applies to.
  /// - Throws: ``HostError``, when nothing can be launched or launchlab is interrupted.
  package func problem(with spawner: Spawner) throws(HostError) -> String? {
    let program = "/bin/true"
    guard case .applies = ProbeApplicability(program: program, environment: [:], directory: "/")
    else { return nil }
    let environment = environment(addingTo: [:]).map { "\($0.key)=\($0.value)" }
    let request = try LaunchRequest(
      program: program,
      arguments: [program],
      environment: environment,
      directory: "/",
      timeout: .seconds(10)
    )
    try reset()
    let result = try spawner.launch(request)
    guard result.outcome == .ready else {
      return "with the probe \(program) does not end as it should: \(result.outcome)"
    }
    let message = result.output.stdout.head + result.output.stderr.head
    guard message.isEmpty else {
      return "with the probe \(program) says: \(String(decoding: message, as: UTF8.self).trimmed)"
    }
    guard let trace = result.trace else { return "\(program) could not be started" }
    let seen = Set(try observation(from: trace, ready: nil).events.map(\.kind))
    try reset()
    return seen.isSuperset(of: [.programBegan, .objectOpened, .consistent, .mainBegins])
      ? nil : "the loader of \(program) does not tell the probe what happens"
  }
}
