import Glibc
import LaunchCore
import SystemPackage

/// The files of a target that are watched, and which of them are its own.
///
/// Own are the executable, its shared libraries outside the system's library directories, the
/// interpreters of a script, and what the scenario names. System libraries are watched only.
struct OwnFiles: Sendable {
  /// In the order they were found, each once; the executable first.
  private(set) var files: [WatchedFile] = []

  /// What could not be found out, as notes.
  private(set) var notes: [Diagnostic] = []

  private var indices: [FilePath: Int] = [:]

  /// The working directory of the target, where a relative element of its PATH begins.
  private let directory: String

  /// The id of the note that a shell script's programs are not known.
  static let shellNote = "shell-script"

  /// How many interpreters the kernel follows, of which each may itself be a script.
  private static let interpreterLimit = 4

  private init(directory: String) { self.directory = directory }

  /// Finds the files of a target.
  ///
  /// - Parameters:
  ///   - target: Names the further files.
  ///   - executable: Absolute; links are resolved here.
  ///   - environment: The target's whole environment.
  /// - Returns: The files, the executable first, and notes on what could not be found out.
  /// - Throws: When the executable, or a file that the scenario names, is not there.
  static func find(
    for target: Target,
    executable: FilePath,
    environment: [String: String]
  ) async throws(HostError) -> Self {
    var found = Self(directory: target.directory)
    guard let program = DeclaredDirectory.realPath(of: executable) else {
      throw .system(operation: "find the executable", path: executable.string, errno: ENOENT)
    }
    await found.addProgram(program, environment: environment)
    let declared = Self.declared(by: target)
    try found.addDeclared(declared, areRequired: true)
    found.leaveOut(declared)
    return found
  }

  /// What the scenario names as the target's own.
  static func declared(by target: Target) -> [FilePattern] {
    Ownership.patterns(target.files)
      + target.install.map { path in
        FilePattern(plain: DeclaredDirectory.realPath(of: FilePath(path))?.string ?? path)
      }
  }

  /// Adds the files that a scenario names and that are there now, and others that are learnt.
  static func adding(
    _ declared: [FilePattern],
    _ learnt: [WatchedFile] = [],
    to files: [WatchedFile]
  ) throws(HostError) -> [WatchedFile] {
    guard !declared.isEmpty || !learnt.isEmpty else { return files }
    var found = Self(directory: "/")
    for file in files + learnt { found.add(file.path, isOwn: file.isOwn) }
    try found.addDeclared(declared, areRequired: false)
    found.leaveOut(declared)
    return found.files
  }

  private mutating func add(_ path: FilePath, isOwn: Bool) {
    if let index = indices[path] {
      files[index].isOwn = files[index].isOwn || isOwn
    } else {
      indices[path] = files.count
      files.append(WatchedFile(path: path, isOwn: isOwn))
    }
  }

  private mutating func note(
    id: String,
    _ problem: String,
    at path: FilePath,
    remedy: String? = nil
  ) {
    notes.append(Diagnostic(.note, id: id, problem: problem, place: path.string, remedy: remedy))
  }

  // MARK: - Programs

  private mutating func addProgram(_ executable: FilePath, environment: [String: String]) async {
    var program = executable
    for _ in 0...Self.interpreterLimit {
      add(program, isOwn: true)
      switch ProgramFile(at: program) {
      case .dynamic(let loader):
        return await addLibraries(of: program, loader: loader, environment: environment)
      case .fixed:
        return
      case .pointer:
        return note(
          id: "unknown-program",
          "\"\(program)\" is \(ProgramFile.pointerReason)",
          at: program,
          remedy: ProgramFile.pointerRemedy
        )
      case .unknown:
        return note(
          id: "unknown-program",
          "\"\(program)\" is neither an ELF program nor a script",
          at: program
        )
      case .script(let interpreter, let argument):
        let next = await interpreterProgram(
          interpreter,
          argument,
          of: program,
          environment: environment
        )
        guard let next else { return }
        program = next
      }
    }
  }

  private mutating func interpreterProgram(
    _ interpreter: String,
    _ argument: String?,
    of script: FilePath,
    environment: [String: String]
  ) async -> FilePath? {
    guard let direct = DeclaredDirectory.realPath(of: FilePath(interpreter)) else {
      note(
        id: "missing-interpreter",
        "the interpreter \"\(interpreter)\" does not exist",
        at: script
      )
      return nil
    }
    noteShell(interpreter, argument, of: script)
    guard FilePath(interpreter).lastComponent?.string == "env",
      let name = Self.programName(inEnvArguments: argument ?? "")
    else { return direct }
    add(direct, isOwn: true)
    if case .dynamic(let loader) = ProgramFile(at: direct) {
      await addLibraries(of: direct, loader: loader, environment: environment)
    }
    let program = try? ExecutableLookup.resolve(
      command: name,
      path: environment["PATH"],
      directory: directory
    )
    if let program { return DeclaredDirectory.realPath(of: FilePath(program)) }
    note(id: "missing-interpreter", "\"\(name)\" is not in the target's PATH", at: script)
    return nil
  }

  /// What a shell script starts in its turn cannot be known without running it.
  private mutating func noteShell(_ interpreter: String, _ argument: String?, of script: FilePath) {
    let words = [interpreter] + (argument ?? "").split(separator: " ").map(String.init)
    guard words.contains(where: Self.isShell) else { return }
    note(
      id: Self.shellNote,
      "\"\(script)\" is a shell script; the files of the programs that it starts are neither "
        + "evicted nor checked",
      at: script,
      remedy: "name the real program as the target, or list it under `files`"
    )
  }

  static func isShell(_ program: String) -> Bool {
    ["sh", "bash", "dash", "zsh", "ksh"].contains(FilePath(program).lastComponent?.string)
  }

  /// The program in the arguments of env(1): the first word that is no option and no variable.
  static func programName(inEnvArguments arguments: String) -> String? {
    var words = arguments.split(whereSeparator: \.isWhitespace).map(String.init)[...]
    while let word = words.popFirst() {
      if ["-u", "--unset", "-C", "--chdir"].contains(word) {
        words = words.dropFirst()
      } else if word.hasPrefix("-S"), word.count > 2 {
        return String(word.dropFirst(2))
      } else if !word.hasPrefix("-"), !word.contains("=") {
        return word
      }
    }
    return nil
  }

  private mutating func addLibraries(
    of program: FilePath,
    loader: String,
    environment: [String: String]
  ) async {
    let libraries = await SharedLibraries.list(
      of: program,
      loader: loader,
      environment: environment
    )
    for path in [loader] + libraries.paths {
      guard let path = DeclaredDirectory.realPath(of: FilePath(path)) else { continue }
      add(path, isOwn: !Self.isSystemLibrary(path))
    }
    guard let problem = libraries.problem else { return }
    note(
      id: "libraries-unknown",
      "the libraries of \"\(program)\" are not all known: \(problem)",
      at: program
    )
  }

  /// Whether a library belongs to the system: below `/lib*` or `/usr/lib*`.
  static func isSystemLibrary(_ path: FilePath) -> Bool {
    let names = path.components.map(\.string)
    guard let top = names.first, names.count > 1 else { return false }
    return top.hasPrefix("lib") || (top == "usr" && names[1].hasPrefix("lib"))
  }

  // MARK: - Declared files

  private mutating func addDeclared(
    _ patterns: [FilePattern],
    areRequired: Bool
  ) throws(HostError) {
    for pattern in patterns where !pattern.isExclusion {
      guard let root = DeclaredDirectory.realPath(of: FilePath(pattern.root)) else {
        guard areRequired, pattern.isPlain else { continue }
        throw .system(operation: "find the target's file", path: pattern.root, errno: ENOENT)
      }
      if try OpenFile(reading: root).status().isRegular {
        addOwn(root, patterns)
      } else {
        try addFiles(below: ConfinedDirectory(followingMountsTo: root), patterns, depth: 1)
      }
    }
  }

  private mutating func addFiles(
    below directory: borrowing ConfinedDirectory,
    _ patterns: [FilePattern],
    depth: Int
  ) throws(HostError) {
    for name in try directory.names().sorted(by: { $0.string < $1.string }) {
      guard let status = try directory.status(of: name) else { continue }
      if status.isRegular { addOwn(directory.path.appending(name), patterns) }
      if status.isDirectory, depth < Reinstaller.depthLimit {
        try addFiles(below: directory.directory(name), patterns, depth: depth + 1)
      }
    }
  }

  /// What the scenario leaves out is watched only.
  private mutating func leaveOut(_ patterns: [FilePattern]) {
    guard patterns.contains(where: \.isExclusion) else { return }
    for index in files.indices
    where FilePattern.verdict(of: patterns, on: files[index].path.string) == false {
      files[index].isOwn = false
    }
  }

  private mutating func addOwn(_ path: FilePath, _ patterns: [FilePattern]) {
    if FilePattern.verdict(of: patterns, on: path.string) == true { add(path, isOwn: true) }
  }
}
