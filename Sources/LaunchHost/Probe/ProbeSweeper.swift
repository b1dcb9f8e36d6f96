import Foundation
import Glibc
package import LaunchCore
import SystemPackage

/// Runs programs with the probe and without it, for what they do to be compared.
///
/// Each run has a HOME of its own that is empty, no terminal, no input, a time limit, and where the
/// machine allows it no network. Root runs them as nobody, and without rights that they could gain.
package final class ProbeSweeper {
  /// What a reader must know of how programs were run, as sentences without a full stop.
  package private(set) var notes: [String] = []

  /// Why the probe must not be used on this host, without a full stop; nil when it works.
  package let problem: String?

  private let workspace: Workspace
  private let place: OwnedDirectory
  private let spawner: Spawner
  private let probe: StageProbe
  private let conditions: LaunchConditions

  /// What is put before each command so that it has fewer rights.
  private let wrapper: [String]

  /// How long a program may take; what answers at all does so at once.
  package static let limit = Nanoseconds.seconds(10)

  /// Prepares for runs.
  ///
  /// - Parameters:
  ///   - session: The lab, in which nothing else is launched.
  ///   - interrupt: Ends a run that is waited for.
  /// - Throws: ``HostError``, when nothing can be launched, or no private directory be made.
  package init(session: LabSession, interrupt: InterruptFlag) throws(HostError) {
    let scratch = try ScratchDirectory.path()
    workspace = try ForcedEnd.changing { () throws(HostError) in
      try Workspace(below: scratch, journal: session.journal)
    }
    let sockets = workspace.sockets
    do throws(HostError) {
      place = try OwnedDirectory.make(sockets.appending("sweep"), permissions: 0o711)
      spawner = try Spawner(temporaryDirectory: sockets.string, interrupt: interrupt)
      probe = try StageProbe(fallback: sockets.string, journal: session.journal)
      problem = try probe.problem(with: spawner)
      let wanted = LaunchConditions(network: .none)
      let refusal = try LaunchTrial(spawner: spawner).refusals(of: wanted)[.network]
      conditions = refusal == nil ? wanted : LaunchConditions()
      if let refusal { notes.append("programs had the network of the host: \(refusal)") }
    } catch {
      workspace.remove()
      throw error
    }
    wrapper = geteuid() == 0 ? Self.lesserRights : []
    if geteuid() == 0 {
      notes.append(
        wrapper.isEmpty
          ? "programs were run as root, since there is no setpriv"
          : "programs were run as nobody (uid \(Self.nobody))"
      )
    }
  }

  /// Removes the private directories.
  package func close() {
    probe.remove()
    spawner.close()
    workspace.remove()
  }

  /// A command that becomes nobody and runs another one; empty where there is none.
  private static var lesserRights: [String] {
    let found = try? ExecutableLookup.resolve(
      command: "setpriv",
      path: TargetVariables.pinnedPath,
      directory: "/"
    )
    return found.map {
      [$0, "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", "--no-new-privs", "--"]
    } ?? []
  }

  private static let nobody: uid_t = 65_534

  // MARK: - Programs

  /// The executable files of a directory, by name.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  package static func programs(in directory: String) throws(HostError) -> [String] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      throw .system(operation: "list the programs", path: directory, errno: ENOENT)
    }
    let parent = FilePath.absolute(directory)
    return names.sorted().map { parent.appending($0).string }
      .filter { path in
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
          && status.st_mode & 0o111 != 0
      }
  }

  /// Why the probe does not apply to a program; nil when it does.
  package func refusal(of program: String) -> String? {
    let found = ProbeApplicability(
      program: program,
      environment: environment(isProbed: false),
      directory: "/"
    )
    guard case .refused(let reason) = found else { return nil }
    return reason
  }

  // MARK: - Runs

  /// Runs a program once.
  ///
  /// - Parameters:
  ///   - program: An absolute path.
  ///   - arguments: What it is given.
  ///   - isProbed: Whether the probe is loaded into it.
  /// - Returns: What it did, and whether the probe saw it.
  /// - Throws: ``HostError``.
  package func run(
    _ program: String,
    _ arguments: [String],
    isProbed: Bool
  ) throws(HostError) -> (run: ProgramRun, isSeen: Bool) {
    try makeHome()
    let command = wrapper + [program] + arguments
    let request = try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: environment(isProbed: isProbed).map { "\($0.key)=\($0.value)" }.sorted(),
      directory: home.string,
      stop: StopPolicy(grace: .seconds(1)),
      timeout: Self.limit,
      conditions: conditions
    )
    if isProbed { try probe.reset() }
    let result = try spawner.launch(request)
    let run = ProgramRun(
      outcome: result.outcome,
      stdout: result.output.stdout,
      stderr: result.output.stderr
    )
    guard isProbed, let trace = result.trace else { return (run, false) }
    let events = try probe.observation(from: trace, ready: nil).events
    let programs = events.count { $0.kind == .programBegan }
    return (run, programs > (wrapper.isEmpty ? 0 : 1))
  }

  private var home: FilePath { place.path.appending("home") }

  /// Makes an empty HOME at the same path for each run, so that no run finds what another left.
  private func makeHome() throws(HostError) {
    if DiskUse.status(of: home) != nil { try place.remove("home") }
    let owner = wrapper.isEmpty ? geteuid() : Self.nobody
    guard unsafe mkdir(home.string, 0o700) == 0, unsafe chown(home.string, owner, owner) == 0 else {
      throw .system(operation: "make a private HOME", path: home.string, errno: errno)
    }
  }

  private func environment(isProbed: Bool) -> [String: String] {
    let plain = [
      "HOME": home.string, "LANG": "C.UTF-8", "LOGNAME": "nobody",
      "PATH": TargetVariables.pinnedPath, "TERM": "dumb", "TMPDIR": home.string, "USER": "nobody",
    ]
    return isProbed ? probe.environment(addingTo: plain) : plain
  }
}

/// Finds the files that were really executed, from the paths by which they were.
///
/// The probe says what the kernel was asked for; a path may be a link, and of a script it is the
/// script's. Each path is looked up once.
struct ExecutedPaths {
  private var found: [String: String] = [:]

  /// How many interpreters the kernel follows.
  private static let interpreterLimit = 5

  /// The events with the paths of the files.
  mutating func resolved(_ events: [LaunchEvent]) -> [LaunchEvent] {
    events.map { event in
      let isProgram = event.kind == .programBegan
      guard isProgram || event.kind == .objectOpened && event.object == 0 else { return event }
      var event = event
      event.text = file(of: event.text)
      return event
    }
  }

  /// The program that the kernel runs for a path; a path that leads nowhere stays as it is.
  mutating func file(of path: String) -> String {
    if let known = found[path] { return known }
    var file = path
    for _ in 0..<Self.interpreterLimit {
      guard case .script(let interpreter, _) = ProgramFile(at: FilePath(file)) else { break }
      file = interpreter
    }
    if file.hasPrefix("/"), let real = DeclaredDirectory.realPath(of: FilePath(file)) {
      file = real.string
    }
    found[path] = file
    return file
  }
}
