import SystemPackage

/// Whether the probe can see the launch of a program, found out from its files.
package enum ProbeApplicability: Hashable, Sendable {
  case applies

  /// The reason is a sentence for people, without a full stop.
  case refused(reason: String)

  /// How many interpreters the kernel follows.
  private static let interpreterLimit = 5

  /// Examines a program; of a script, what interprets it, and what `env` is to find.
  ///
  /// - Parameters:
  ///   - program: An absolute path.
  ///   - environment: The target's, for its PATH.
  ///   - directory: Where relative elements of the PATH begin.
  package init(program: String, environment: [String: String], directory: String) {
    self.init(
      program,
      path: environment["PATH"],
      directory: directory,
      left: Self.interpreterLimit
    )
  }

  private init(_ program: String, path: String?, directory: String, left: Int) {
    guard left > 0 else {
      self = .refused(reason: "\(program) is behind too many interpreters")
      return
    }
    switch ProgramFile(at: FilePath(program)) {
    case .script(let interpreter, let argument):
      let next = { Self($0, path: path, directory: directory, left: left - 1) }
      let first = next(interpreter)
      guard case .applies = first, interpreter.hasSuffix("/env") else {
        self = first
        return
      }
      guard case .runs(let command) = EnvCommand(argument ?? "") else {
        self = .refused(reason: "\(program) empties the environment, and so loses the probe")
        return
      }
      let found = try? ExecutableLookup.resolve(command: command, path: path, directory: directory)
      self =
        found.map(next) ?? .refused(reason: "\(program) asks for \(command), which is not there")
    case .dynamic(let loader):
      self.init(refusal: ProgramImage(program).refusal(underLoader: loader))
    case .fixed:
      self.init(refusal: ProgramImage(program).refusalWithoutLoader)
    case .unknown:
      self = .refused(reason: "\(program) is neither a program nor a script of this system")
    }
  }

  private init(refusal: String?) { self = refusal.map { .refused(reason: $0) } ?? .applies }
}

/// What `env` does with the rest of the first line of a script; env(1).
enum EnvCommand {
  case runs(String)

  /// It removes the variables that the probe lives by.
  case ends

  init(_ argument: String) {
    var words = argument.split(separator: " ").map(String.init)
    var command = ""
    while let word = words.first {
      words.removeFirst()
      if word == "-i" || word == "-" || word == "--ignore-environment" {
        self = .ends
        return
      }
      if word == "-u" || word == "-C" { words = Array(words.dropFirst()) }
      if word.hasPrefix("-S"), word.count > 2 { words.insert(String(word.dropFirst(2)), at: 0) }
      if word.hasPrefix("-") || word.contains("=") { continue }
      command = word
      break
    }
    self = .runs(command)
  }
}
