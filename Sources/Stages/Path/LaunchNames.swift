import Foundation
import LaunchCore

/// The names of a launch, each stored once under a number.
struct LaunchNames {
  private(set) var calls: [String] = []
  private(set) var objects: [ObjectName] = []

  /// The names of programs and of those who woke others.
  private(set) var words: [String] = []

  /// What the launched program is called.
  var naming = ProgramNaming()

  private var rules: [CallRule] = []
  private var callNumbers: [String: Int32] = [:]
  private var pathNumbers: [String: Int32] = [:]
  private var addressNumbers: [String: Int32] = [:]
  private var objectNumbers: [ObjectName: Int32] = [:]
  private var wordNumbers: [String: Int32] = [:]
  private var pathsBelow: [PathBelow: Int32] = [:]

  private struct PathBelow: Hashable {
    var directory: Int32
    var path: String
  }

  // MARK: - Numbers

  mutating func call(_ name: String) -> Int32 {
    if let number = callNumbers[name] { return number }
    let number = Int32(truncatingIfNeeded: calls.count)
    calls.append(name)
    rules.append(CallRule.of(name))
    callNumbers[name] = number
    return number
  }

  func rule(of call: Int32) -> CallRule { rules[Int(call)] }

  mutating func object(_ name: ObjectName) -> Int32 {
    if let number = objectNumbers[name] { return number }
    let number = Int32(truncatingIfNeeded: objects.count)
    objects.append(name)
    objectNumbers[name] = number
    return number
  }

  mutating func path(_ path: String) -> Int32 {
    if let number = pathNumbers[path] { return number }
    let number = object(ObjectName(path: naming.name(of: path)))
    pathNumbers[path] = number
    return number
  }

  mutating func address(_ address: String) -> Int32 {
    if let number = addressNumbers[address] { return number }
    let number = object(ObjectName(address: address))
    addressNumbers[address] = number
    return number
  }

  mutating func word(_ word: String) -> Int32 {
    if let number = wordNumbers[word] { return number }
    let number = Int32(truncatingIfNeeded: words.count)
    words.append(word)
    wordNumbers[word] = number
    return number
  }

  /// The name of a program: the last part of its path.
  mutating func program(_ path: String) -> Int32 {
    let path = objects[Int(self.path(path))].text
    return word(path.split(separator: "/").last.map(String.init) ?? path)
  }

  mutating func kernelObject(_ name: String) -> Int32 { object(ObjectName(kernelObject: name)) }

  var streams: [Int32] {
    mutating get { ObjectName.streams.map { kernelObject($0) } }
  }

  var mappedByExecution: Int32 {
    mutating get { kernelObject(ObjectName.mappedByExecution) }
  }

  /// A call that executes a program and was not recorded.
  var execve: OpenCall {
    mutating get {
      let name = call("execve")
      return OpenCall(name: name, object: nil, rule: rule(of: name), arguments: [])
    }
  }

  // MARK: - Objects of calls

  /// Finds what a call works on.
  ///
  /// - Parameters:
  ///   - call: As it was entered.
  ///   - text: The path or the address that it was given.
  ///   - resources: Those of its process.
  /// - Returns: The number of the object; nil for none, and for one that the events do not say.
  mutating func object(
    of call: OpenCall,
    _ text: String?,
    in resources: inout ProcessResources
  ) -> Int32? {
    switch call.rule.object {
    case .none: nil
    case .path: text.map { path($0) }
    case .pathAt(let argument): path(text, below: call.argument(argument), in: &resources)
    case .descriptor(let argument): resources.object(of: call.argument(argument))
    case .address(let argument):
      text.map { address($0) } ?? resources.object(of: call.argument(argument))
    case .mapping: resources.mappedObject(call.arguments)
    }
  }

  private mutating func path(
    _ text: String?,
    below descriptor: Int64,
    in resources: inout ProcessResources
  ) -> Int32? {
    guard let text, !text.isEmpty else { return resources.object(of: descriptor) }
    let currentDirectory: Int32 = -100
    guard !text.hasPrefix("/"), Int32(truncatingIfNeeded: descriptor) != currentDirectory,
      let directory = resources.object(of: descriptor)
    else { return path(text) }
    let below = PathBelow(directory: directory, path: text)
    if let number = pathsBelow[below] { return number }
    let parent = objects[Int(directory)].text
    let number = path(parent.hasSuffix("/") ? parent + text : "\(parent)/\(text)")
    pathsBelow[below] = number
    return number
  }
}

/// What of a launched program has another name in another build of it, and what it is called instead.
package struct ProgramNaming: Hashable, Sendable {
  /// The absolute path of the program; nil leaves it as it is.
  private var program: String?

  /// The directory that it is in, with a slash at its end; nil leaves it as it is.
  private var directory: String?

  /// The directories that are another one in the other command, with slashes at their ends.
  private var differing: [String] = []

  /// Leaves all names as they are.
  package init() {}

  /// Calls one of two programs that are compared the same as the other: `program`, and `…/` for the
  /// directory that it is in, where each of them has one of its own.
  ///
  /// - Parameters:
  ///   - program: Its absolute path.
  ///   - other: That of the other one.
  package init(of program: String, besides other: String) {
    guard program != other else { return }
    self.program = program
    let directories = [program, other].map { $0[...($0.lastIndex(of: "/") ?? $0.startIndex)] }
    let isInstalled = directories.contains {
      ["/bin/", "/usr/bin/", "/usr/local/bin/"].contains($0)
    }
    if directories[0] != directories[1], !isInstalled { directory = String(directories[0]) }
  }

  /// Calls the directories the same, `…`, in which the words of two commands look for the same, such as
  /// `/srv/old` and `/srv/new` of `/srv/old/src/main.py` and `/srv/new/src/main.py`.
  ///
  /// A launch may read from both, and so both have that name in both.
  ///
  /// - Parameters:
  ///   - own: The words of its command.
  ///   - other: Those of the other one.
  ///   - workingDirectory: What relative directories lie in.
  package mutating func unify(_ own: [String], _ other: [String], below workingDirectory: String) {
    guard own.count == other.count else { return }
    for (one, two) in zip(own, other) where one != two {
      let parts = [one, two].map { $0.split(separator: "/", omittingEmptySubsequences: false) }
      let common = zip(parts[0], parts[1]).prefix { $0 == $1 }.count
      // Where the last parts differ, these are files.
      guard parts.allSatisfy({ common + 1 < $0.count }),
        parts[0].last == parts[1].last || parts[0][common + 1] == parts[1][common + 1]
      else { continue }
      let directories = parts.map { part in
        let path = Self.path(in: part[...common].joined(separator: "/"))
        let absolute = path.hasPrefix("/") ? String(path) : "\(workingDirectory)/\(path)"
        return (path, absolute: (absolute as NSString).standardizingPath)
      }
      guard !directories.contains(where: { Self.isShared($0.absolute) }) else { continue }
      for (path, absolute) in directories {
        differing.append("\(absolute)/")
        if !path.hasPrefix("/") { differing.append("\(path)/") }
      }
    }
  }

  /// The last path in a word, such as `/b` in `NAME=/a:/b`.
  private static func path(in word: String) -> Substring {
    let start = word.lastIndex { "=:,; '\"".contains($0) }.map(word.index(after:))
    return word[(start ?? word.startIndex)...]
  }

  /// Whether what many programs use lies in a directory, and not only what a command brings along.
  private static func isShared(_ directory: String) -> Bool {
    let names = directory.split(separator: "/")
    guard let first = names.first, let last = names.last else { return true }
    let isOfSystem = ["usr", "lib", "lib64", "var", "etc", "home", "run"].contains(first)
    return names.count < (isOfSystem ? 3 : 2) || commonNames.contains(last)
  }

  private static let commonNames: Set<Substring> = [
    "bin", "sbin", "lib", "lib64", "libexec", "share",
  ]

  func name(of path: String) -> String {
    if path == program { return "program" }
    for directory in [directory].compactMap(\.self) + differing {
      if path.hasPrefix(directory) { return "…/" + path.dropFirst(directory.count) }
      if path.count + 1 == directory.count, directory.hasPrefix(path) { return "…" }
    }
    return path
  }
}

/// How often each thing happened in a launch.
struct LaunchCounts {
  private var counts: [Thing: Int] = [:]

  enum Thing: Hashable {
    case call(name: Int32, object: Int32?)
    case missing(name: Int32, object: Int32?)
    case thread
    case process(program: Int32?)
    case fault(object: Int32?)
    case pageIn(object: Int32?)
    case readAhead(object: Int32?)
  }

  mutating func add(_ thing: Thing, count: Int = 1) {
    guard count > 0 else { return }
    counts[thing, default: 0] += count
  }

  func named(by names: LaunchNames) -> [CountedThing: Int] {
    var named: [CountedThing: Int] = [:]
    named.reserveCapacity(counts.count)
    for (thing, count) in counts { named[Self.name(thing, names), default: 0] += count }
    return named
  }

  private static func name(_ thing: Thing, _ names: LaunchNames) -> CountedThing {
    func text(_ object: Int32?) -> String? { object.map { names.objects[Int($0)].text } }
    return switch thing {
    case .call(let name, let object):
      .call(name: names.calls[Int(name)], object: text(object))
    case .missing(let name, let object):
      .missing(name: names.calls[Int(name)], object: text(object))
    case .thread: .threads
    case .process(let program): .processes(program: program.map { names.words[Int($0)] })
    case .fault(let object): .faults(file: text(object))
    case .pageIn(let object): .pageIns(file: text(object))
    case .readAhead(let object): .readAhead(file: text(object))
    }
  }
}
