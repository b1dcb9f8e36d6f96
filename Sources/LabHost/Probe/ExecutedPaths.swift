import LabModel
import SystemPackage

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
