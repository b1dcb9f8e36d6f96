package import LaunchCore
import SystemPackage

/// Reads what the files of a target say of its launches, without launching it.
///
/// The loader lists the libraries, and a process of its own reads the files.
package struct ObjectReader: Sendable {
  /// The program that reads; tests put another in its place.
  var helper = EmbeddedHelper.objects

  /// How long reading may take altogether; the helper itself allows each file 10 s.
  var limit = Duration.seconds(60)

  package init() {}

  /// Reads the executable of a target, its libraries, and what else the scenario says it launches.
  ///
  /// - Parameters:
  ///   - target: With absolute paths.
  ///   - policy: What its environment begins with.
  /// - Returns: What could be read, and why the rest could not.
  /// - Throws: `HostError` where the executable, or a file that the scenario names, is not there.
  package func objects(
    of target: Target,
    in policy: TargetEnvironment
  ) async throws(HostError) -> LaunchedObjects {
    let environment = TargetVariables(policy: policy, mark: nil).variables(of: target, home: nil)
    let executable = try ExecutableLookup.resolve(
      command: target.command[0],
      path: environment["PATH"],
      directory: target.directory
    )
    let files = try await OwnFiles.find(
      for: target,
      executable: FilePath(executable),
      environment: environment
    )
    let notes = files.notes.filter { $0.id != OwnFiles.shellNote }.map(\.problem)
    // Data that the scenario names is no object; what the loader found always is.
    let found = await objects(at: files.files.map(\.path.string).filter(Self.isELF))
    let own = Set(files.files.filter(\.isOwn).map(\.path.string))
    let objects = found.objects.map { object in
      var object = object
      object.isOwn = own.contains(object.path)
      return object
    }
    let program = objects.first { $0.path == files.files.first?.path.string }
    return LaunchedObjects(
      program: program,
      libraries: objects.filter { $0.path != program?.path },
      problems: notes,
      unread: found.unread
    )
  }

  private static func isELF(_ path: String) -> Bool {
    guard let file = ProgramFile.open(FilePath(path)) else { return false }
    defer { try? file.close() }
    return ProgramFile.reader(of: file)(0, 4) == [0x7F, 0x45, 0x4C, 0x46]
  }

  /// Reads files.
  ///
  /// - Returns: Those that could be read, in their order, and why others could not.
  package func objects(
    at paths: [String]
  ) async -> (objects: [LaunchedObject], unread: [String: String]) {
    func none(_ reason: String) -> (objects: [LaunchedObject], unread: [String: String]) {
      ([], Dictionary(paths.map { ($0, reason) }) { first, _ in first })
    }
    guard !paths.isEmpty else { return ([], [:]) }
    let reading = ReadingHelper(
      name: "the reader of objects",
      helper: helper,
      variables: [:],
      limit: limit
    )
    switch await reading.answer([], to: paths.flatMap { Array($0.utf8) + [0] }) {
    case .success(let bytes):
      guard let answer = ObjectAnswer(bytes, to: paths) else {
        return none("the answer of its reader was not understood")
      }
      return (await Self.named(answer.objects), answer.unread)
    case .failure(let failure):
      return none(failure.reason)
    }
  }

  /// Gives initializers the names that people know.
  private static func named(_ objects: [LaunchedObject]) async -> [LaunchedObject] {
    let places = objects.flatMap { object in
      object.initializers.map { CodePlace(file: object.path, offset: $0.address) }
    }
    let names = await SymbolReader().symbols(for: places).names
    return objects.map { object in
      var object = object
      for index in object.initializers.indices {
        let place = CodePlace(file: object.path, offset: object.initializers[index].address)
        object.initializers[index].name = names[place] ?? object.initializers[index].name
      }
      return object
    }
  }
}

/// What the native helper `objects` wrote: records that end with a zero byte, the first byte of which
/// says what they are, with tabs between their fields.
struct ObjectAnswer {
  private(set) var objects: [LaunchedObject] = []

  /// Why files could not be read, by path.
  private(set) var unread: [String: String] = [:]

  /// Nil when it is no answer to a question of these files.
  init?(_ bytes: [UInt8], to paths: [String]) {
    guard bytes.last == 0 else { return nil }
    var files = paths[...]
    var object: LaunchedObject?
    for record in bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false) {
      guard let kind = record.first else { return nil }
      let fields = record.dropFirst().split(separator: 0x09, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      if kind == UInt8(ascii: "F") {
        if let object { objects.append(object) }
        guard let path = files.popFirst() else { return nil }
        object = LaunchedObject(path: path)
      } else if kind == UInt8(ascii: "E") {
        guard let path = object?.path else { return nil }
        unread[path] = fields.joined(separator: " ")
        object = nil
      } else {
        guard object?.add(fields, of: kind) ?? false else { return nil }
      }
    }
    if let object { objects.append(object) }
    guard files.isEmpty else { return nil }
  }
}

extension LaunchedObject {
  /// Takes a record; false where it is none of this file.
  fileprivate mutating func add(_ fields: [String], of kind: UInt8) -> Bool {
    func whole(_ place: Int) -> Int { fields.indices.contains(place) ? Int(fields[place]) ?? 0 : 0 }
    func line(_ place: Int) -> SourceLine? {
      guard fields.indices.contains(place + 1), !fields[place].isEmpty else { return nil }
      return Int(fields[place + 1]).map { SourceLine(file: fields[place], line: $0) }
    }
    switch UnicodeScalar(kind) {
    case "H": (machine, is64Bit) = (whole(0), fields.count > 1 && fields[1] == "64")
    case "P": interpreter = fields[0]
    case "S": soname = fields[0]
    case "N": needed.append(fields[0])
    case "O", "R": runPaths += fields[0].split(separator: ":").map(String.init)
    case "I" where fields.count >= 3:
      let name = fields[2].isEmpty ? nil : fields[2]
      guard let address = UInt64(fields[1], radix: 16) else { return false }
      initializers.append(
        Initializer(section: fields[0], address: address, name: name, source: line(3))
      )
    case "L" where fields.count == 2: relocations[fields[0], default: 0] += whole(1)
    case "X": (exported, imported) = (whole(0), whole(1))
    case "M": mapped = Int64(whole(0))
    case "Z": size = Int64(whole(0))
    case "D": hardening = Set(fields[0].split(separator: " ").map(String.init))
    case "T" where fields.count >= 3:
      tasks.append(Task(name: fields[0], phase: fields[1], source: line(3)))
    default: return false
    }
    return true
  }
}
