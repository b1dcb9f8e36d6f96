import Foundation
import Glibc
import LaunchCore
import SystemPackage

/// The display that the targets of a run are shown on, and what sees their windows.
final class TargetDisplay {
  private let plan: DisplayPlan

  private let observer: DisplayObserver

  /// The directory of a launch's own that its session has: sockets, and the message bus.
  private let runtime: FilePath

  /// The program of the message bus, where a launch has one of its own.
  private let busProgram: String?

  /// Variables that targets are given; nil takes one away.
  private(set) var variables: [String: String?] = [:]

  private static let busName: FilePath.Component = "bus"

  /// Starts the display server, unless the session's is meant, and connects to it.
  ///
  /// - Parameters:
  ///   - plan: Which display.
  ///   - workspace: Gives the directories of sockets.
  ///   - notifications: The spawner's socket, which is told when a launch is ready.
  /// - Throws: ``HostError/display(_:)``.
  init(_ plan: DisplayPlan, in workspace: Workspace, notifications: String) throws(HostError) {
    self.plan = plan
    runtime = workspace.temporary.appending("session")
    let environment = ProcessInfo.processInfo.environment
    let place: DisplayObserver.Place
    if plan.isSession {
      place = try Self.session(plan.server, environment, sockets: workspace.sockets)
      busProgram = nil
    } else {
      place = try Self.headless(plan, environment, sockets: workspace.sockets)
      busProgram = try? Self.program("dbus-daemon", environment)
    }
    observer = try DisplayObserver(place, notifications: notifications)
    do throws(HostError) {
      let name = try observer.name()
      variables = targetVariables(place, name: name)
    } catch {
      observer.close()
      throw error
    }
  }

  /// The display of a scenario's launches; nil where none is needed.
  ///
  /// - Throws: As ``init(_:in:notifications:)``.
  static func needed(
    by scenario: Scenario,
    in workspace: Workspace,
    notifications: String
  ) throws(HostError) -> TargetDisplay? {
    guard let plan = scenario.neededDisplay else { return nil }
    return try TargetDisplay(plan, in: workspace, notifications: notifications)
  }

  func close() { observer.close() }

  // MARK: - Where it is

  private static func session(
    _ server: DisplayPlan.Server,
    _ environment: [String: String],
    sockets: FilePath
  ) throws(HostError) -> DisplayObserver.Place {
    switch server {
    case .x11:
      guard let display = environment["DISPLAY"], !display.isEmpty else {
        throw .display(.noSession(variable: "DISPLAY"))
      }
      let authority =
        environment["XAUTHORITY"] ?? environment["HOME"].map { "\($0)/.Xauthority" } ?? ""
      return DisplayObserver.Place(server: server, display: display, authority: authority)
    case .wayland:
      guard let display = environment["WAYLAND_DISPLAY"], !display.isEmpty else {
        throw .display(.noSession(variable: "WAYLAND_DISPLAY"))
      }
      let directory = environment["XDG_RUNTIME_DIR"] ?? "/"
      return DisplayObserver.Place(
        server: server,
        display: FilePath(directory).pushing(FilePath(display)).string,
        socket: sockets.appending("wayland").string
      )
    }
  }

  private static func headless(
    _ plan: DisplayPlan,
    _ environment: [String: String],
    sockets: FilePath
  ) throws(HostError) -> DisplayObserver.Place {
    switch plan.server {
    case .x11:
      let cookies = sockets.appending("xauthority")
      try writeCookie(to: cookies)
      // It exits with its last client, which is the observer.
      return DisplayObserver.Place(
        server: .x11,
        display: "",
        authority: cookies.string,
        command: [
          try program("Xvfb", environment), "-displayfd", "4", "-terminate", "-nolisten", "tcp",
          "-auth", cookies.string, "-dpi", "96",
          "-screen", "0", "\(plan.width)x\(plan.height)x24",
        ]
      )
    case .wayland:
      let own = sockets.appending("compositor")
      guard unsafe mkdir(own.string, 0o700) == 0 || errno == EEXIST else {
        throw .system(operation: "make a directory", path: own.string, errno: errno)
      }
      return DisplayObserver.Place(
        server: .wayland,
        display: own.appending("display").string,
        socket: sockets.appending("wayland").string,
        command: [
          try program("env", environment), "XDG_RUNTIME_DIR=\(own)",
          try program("weston", environment), "--backend=headless-backend.so", "--use-pixman",
          "--no-config", "--idle-time=0", "--socket=display",
          "--width=\(plan.width)", "--height=\(plan.height)",
        ]
      )
    }
  }

  /// The programs for displays of runs' own that are not in PATH.
  static var missingPrograms: [String] {
    let environment = ProcessInfo.processInfo.environment
    return ["Xvfb", "weston", "dbus-daemon"].filter { name in
      (try? program(name, environment)) == nil
    }
  }

  private static func program(
    _ name: String,
    _ environment: [String: String]
  ) throws(HostError) -> String {
    do throws(HostError) {
      return try ExecutableLookup.resolve(
        command: name,
        path: environment["PATH"],
        directory: "/"
      )
    } catch {
      throw .display(.serverMissing(program: name))
    }
  }

  /// Writes the right to connect, which everybody but its owner lacks.
  ///
  /// Source of the format: Xau(3); family 65535 is that of any host.
  private static func writeCookie(to path: FilePath) throws(HostError) {
    func field(_ bytes: [UInt8]) -> [UInt8] {
      [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }
    let cookie = (0..<16).map { _ in UInt8.random(in: 0...255) }
    let entry =
      [0xff, 0xff] + field([]) + field([]) + field(Array("MIT-MAGIC-COOKIE-1".utf8)) + field(cookie)
    do {
      let file = try FileDescriptor.open(
        path,
        .writeOnly,
        options: [.create, .truncate, .closeOnExec],
        permissions: [.ownerReadWrite]
      )
      _ = try file.closeAfter { try file.writeAll(entry) }
    } catch {
      let number = (error as? Errno)?.rawValue ?? EIO
      throw .system(operation: "write the X cookie", path: path.string, errno: number)
    }
  }

  // MARK: - What targets are told

  private func targetVariables(
    _ place: DisplayObserver.Place,
    name: String
  ) -> [String: String?] {
    var variables: [String: String?] = ["WAYLAND_SOCKET": nil]
    switch plan.server {
    case .x11:
      variables["DISPLAY"] = name
      variables["XAUTHORITY"] = .some(place.authority)
      variables["WAYLAND_DISPLAY"] = .some(nil)
    case .wayland:
      variables["WAYLAND_DISPLAY"] = name
      variables["DISPLAY"] = .some(nil)
      variables["XAUTHORITY"] = .some(nil)
    }
    guard !plan.isSession else { return variables }
    variables["XDG_SESSION_TYPE"] = plan.server.rawValue
    variables["XDG_RUNTIME_DIR"] = runtime.string
    for name in ["GDK_BACKEND", "QT_QPA_PLATFORM", "SESSION_MANAGER", "XDG_CURRENT_DESKTOP"] {
      variables[name] = .some(nil)
    }
    // Programs that are told of no bus look for one, or start one that outlives them.
    variables["DBUS_SESSION_BUS_ADDRESS"] =
      busProgram == nil ? "disabled:" : "unix:path=\(runtime.appending(Self.busName))"
    return variables
  }

  // MARK: - One launch

  /// Makes the directory of the session of the launch that comes next.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func makeSession() throws(HostError) {
    guard !plan.isSession else { return }
    guard unsafe mkdir(runtime.string, 0o700) == 0 || errno == EEXIST else {
      throw .system(operation: "make a directory", path: runtime.string, errno: errno)
    }
  }

  /// Looks for the windows of the launch that comes next, and starts its message bus.
  ///
  /// - Parameters:
  ///   - condition: What it waits for; nil where it waits for no window.
  ///   - spawner: The process that will launch.
  ///   - environment: That of the target, which its message bus gets as well.
  ///   - isFilmed: Whether a film is made of it.
  /// - Throws: ``HostError/display(_:)``.
  func begin(
    _ condition: WindowCondition?,
    spawner: Int32,
    environment: [String: String],
    isFilmed: Bool
  ) throws(HostError) {
    let bus = busProgram.map { program in
      let socket = runtime.appending(Self.busName).string
      _ = unsafe unlink(socket)
      return DisplayObserver.Bus(
        socket: socket,
        command: [
          program, "--session", "--nofork", "--nopidfile", "--nosyslog",
          "--address=unix:path=\(socket)",
        ],
        environment: environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      )
    }
    try observer.begin(condition, spawner: spawner, bus: bus, isFilmed: isFilmed)
  }

  /// Adds what was seen to the result of a launch that waited for a window.
  ///
  /// - Throws: ``HostError/display(_:)`` when the server has ended meanwhile.
  func end(
    _ request: LaunchRequest,
    isFilmed: Bool,
    _ result: inout LaunchResult
  ) throws(HostError) {
    let beginning = result.trace?.begin ?? MonotonicClock.now
    let windows = try observer.end(since: beginning, until: beginning + request.timeout)
    guard let condition = request.ready.window else { return }
    result.windows = windows
    guard let chosen = windows.first(where: \.isChosen), let launch = result.launch else { return }
    // The moment that was waited for is the launch, also where the window matched only later.
    switch condition.moment {
    case .window:
      result.windowTimes = WindowTimes(window: launch)
    case .frame:
      result.windowTimes = WindowTimes(window: chosen.mapped, frame: launch)
    case .settled:
      result.windowTimes = WindowTimes(
        window: chosen.mapped,
        frame: chosen.content,
        settled: launch
      )
    }
    guard isFilmed else { return }
    // What changes later is too little to be waited for.
    let pictures = try observer.film(since: beginning).filter { $0.time <= launch }
    guard !pictures.isEmpty else { return }
    let film = Film(developing: pictures)
    result.film = film
    result.speedIndex = film.speedIndex
  }

  /// What became of the display, for the record of the run.
  var receipt: ControlReceipt {
    // Programs reach a GPU by a render node; nobody tells whether they do.
    let hasGPU = unsafe access("/dev/dri/renderD128", F_OK) == 0
    let place =
      plan.isSession
      ? "the session's, \(hasGPU ? "with" : "without") a GPU"
      : "headless, \(plan.width)x\(plan.height)"
    let text = "\(plan.server.rawValue), \(place)"
    return ControlReceipt(
      name: "display",
      wanted: text,
      after: text,
      status: .applied,
      reason: plan.isSession || busProgram != nil
        ? nil : "launches have no message bus: dbus-daemon is not in PATH"
    )
  }
}

/// Why windows cannot be seen.
package enum DisplayProblem: Hashable, Sendable {
  /// The program that shows windows, or helps to, is not there.
  case serverMissing(program: String)

  /// launchlab runs in no session.
  case noSession(variable: String)

  /// The reason is a sentence without a full stop.
  case unusable(reason: String)

  var diagnostic: Diagnostic {
    switch self {
    case .serverMissing(let program):
      Diagnostic(
        .error,
        id: "no-display",
        problem: "a display of the run's own needs \(program), which is not in PATH",
        remedy: "\(Self.remedy(forMissing: [program])), or use the session with "
          + "`display: {x11: session}`"
      )
    case .noSession(let variable):
      Diagnostic(
        .error,
        id: "no-display",
        problem: "there is no session to show windows on: \(variable) is not set",
        remedy: "run launchlab in the session, or use a headless display"
      )
    case .unusable(let reason):
      Diagnostic(.error, id: "no-display", problem: "windows cannot be seen: \(reason)")
    }
  }

  /// How programs are installed on Debian and Ubuntu.
  static func remedy(forMissing programs: [String]) -> String {
    let packages = ["Xvfb": "xvfb", "dbus-daemon": "dbus", "env": "coreutils"]
    let names = programs.map { packages[$0] ?? $0 }.joined(separator: " ")
    return "install \(programs.count == 1 ? "it" : "them"), such as with `apt-get install \(names)`"
  }
}
