import Foundation
import LaunchCore
import LaunchHost
import SystemPackage

/// What is kept in a log of its own, so that it can go on after any interruption; the raw value is
/// what it is called.
package enum LoggedWork: String, Sendable {
  case bisection
  case explanation

  /// The command that does it, and the directory beside the store that its logs are below.
  package var command: String { self == .bisection ? "bisect" : "explain" }
}

/// Where the logs of one kind of work are kept: a directory each, beside the store.
package struct LogLocation: Sendable {
  package let work: LoggedWork

  /// The absolute path of the directory of the store.
  package let storeDirectory: String

  /// The absolute path of the directory of all of them.
  package var directory: String { "\(storeDirectory)/\(work.command)" }

  package init(_ work: LoggedWork, storeDirectory: String) {
    self.work = work
    self.storeDirectory = storeDirectory
  }

  /// Finds the place beside a store.
  ///
  /// - Throws: ``WorkflowError/badOption(name:value:expected:)`` for a store that is a directory.
  package init(_ work: LoggedWork, besideStore path: String) throws(WorkflowError) {
    var isDirectory: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard !path.hasSuffix("/"), !(exists && isDirectory.boolValue) else {
      let directory = path.hasSuffix("/") ? path : path + "/"
      throw .badOption(
        name: "--store",
        value: path,
        expected: "the path of a file, such as \(directory)launchlab.sqlite"
      )
    }
    self.init(work, storeDirectory: (path as NSString).deletingLastPathComponent)
  }

  /// The directory of one of them.
  package func directory(of id: String) -> String { "\(directory)/\(id)" }

  package func log(of id: String) -> String { "\(directory(of: id))/log.jsonl" }

  /// Where the report of a bisection goes.
  package func report(of id: String) -> String { "\(directory(of: id))/report.md" }

  /// The ids of all, the newest last.
  package var ids: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { FileManager.default.fileExists(atPath: log(of: $0)) }.sorted()
  }

  /// Removes all but the newest ones; what has been given another name stays.
  ///
  /// - Parameters:
  ///   - count: How many stay at most.
  ///   - bytes: What those that stay take of the disk at most; the newest one stays anyway.
  package func removeAll(butNewest count: Int, within bytes: Int64) {
    var total: Int64 = 0
    for (place, id) in ids.filter(RunID.isOne).reversed().enumerated() {
      total += DiskUse.bytes(below: FilePath(directory(of: id)))
      guard place > 0, place >= count || total > bytes else { continue }
      try? FileManager.default.removeItem(atPath: directory(of: id))
    }
  }

  /// The one whose id begins with some digits; `last` means the newest.
  ///
  /// - Throws: ``WorkflowError/unknownLog(_:id:problem:newest:)``.
  package func id(_ name: String) throws -> String {
    let ids = ids
    if name == "last", let last = ids.last(where: RunID.isOne) ?? ids.last { return last }
    let found = ids.filter { $0.hasPrefix(name) }
    if found.contains(name) { return name }
    guard found.count == 1 else {
      throw WorkflowError.unknownLog(
        work,
        id: name,
        problem: found.isEmpty ? "none in \(directory)" : "\(found.count) begin with it",
        newest: ids.suffix(3).joined(separator: ", ")
      )
    }
    return found[0]
  }
}

/// A log of events: one as JSON on each line, only ever appended to.
///
/// It is the whole state, so that any interruption can go on and any log can be computed again.
package struct EventLog<Event: Codable & Sendable>: Sendable {
  private let file: AppendedFile
  private let work: LoggedWork
  private let path: String

  /// Begins a log in a directory of its own.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package init(_ work: LoggedWork, startingAt path: String, with start: Event) throws {
    self.work = work
    self.path = path
    // Timelines and samples say more of what was launched than others should read.
    let permissions: UInt32 = work == .explanation ? 0o700 : 0o755
    file = try Self.writing(path, work) { try AppendedFile(creating: path, in: permissions) }
    try append(start)
  }

  /// Goes on with a log; a last line that was cut off is removed.
  ///
  /// - Parameters:
  ///   - work: What is logged.
  ///   - path: The file.
  ///   - length: The length of the lines that are kept, in bytes.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)`` and ``WorkflowError/logInUse(_:path:)``.
  package init(_ work: LoggedWork, resumingAt path: String, length: Int) throws {
    self.work = work
    self.path = path
    file = try Self.writing(path, work) { try AppendedFile(continuing: path, keeping: length) }
  }

  /// Writes an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - isDurable: Whether it is on the disk when this returns, with all before it; else it is handed
  ///     to the kernel, which a killed process loses nothing of.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func append(_ event: Event, isDurable: Bool = true) throws {
    try Self.writing(path, work) {
      var line = try Self.encoder.encode(event)
      line.append(UInt8(ascii: "\n"))
      try file.append(line)
      if isDurable { try file.sync() }
    }
  }

  package func close() { file.close() }

  private static func writing<Result>(
    _ path: String,
    _ work: LoggedWork,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as HostError {
      throw error
    } catch is AppendedFile.InUse {
      throw WorkflowError.logInUse(work, path: path)
    } catch {
      throw WorkflowError.cannotWrite(path: path, reason: HostError.reason(of: error, at: path))
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }

  // MARK: - Reading

  /// An event, and where its line ends in the file, in bytes.
  package typealias Line = (event: Event, end: Int)

  /// Reads a log; what was cut off in the middle of a line is left out.
  ///
  /// - Parameters:
  ///   - work: What is logged.
  ///   - path: The file.
  ///   - start: What the first event says; nil of all others.
  /// - Returns: The start, and all events with it.
  /// - Throws: ``WorkflowError/otherRules(_:path:rules:known:version:)``, ``WorkflowError/badLog(_:path:line:reason:)`` for a line that is no event, and
  ///   ``WorkflowError/cannotRead(path:reason:)``.
  package static func read<Start: LogStart>(
    _ work: LoggedWork,
    at path: String,
    start: (Event) -> Start?
  ) throws -> (start: Start, lines: [Line]) {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw WorkflowError.cannotRead(path, because: error)
    }
    let whole = data.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var first: Start?
    var lines: [Line] = []
    for (place, line) in data[..<whole].split(separator: UInt8(ascii: "\n")).enumerated() {
      let event: Event
      do {
        event = try decoder.decode(Event.self, from: line)
      } catch {
        throw WorkflowError.badLog(
          work,
          path: path,
          line: place + 1,
          reason: "the line is not an event of \(work.withArticle)"
        )
      }
      lines.append((event, line.endIndex + 1))
      guard place == 0, let start = start(event) else { continue }
      // By other rules the lines after it may be other events, too.
      guard start.rules == Start.currentRules else {
        throw WorkflowError.otherRules(
          work,
          path: path,
          rules: start.rules,
          known: Start.currentRules,
          version: start.launchlabVersion
        )
      }
      first = start
    }
    guard let first else {
      throw WorkflowError.badLog(work, path: path, line: 1, reason: "it has no start")
    }
    return (first, lines)
  }
}

/// What the first line of a log says of who wrote it.
package protocol LogStart {
  /// The version of the rules that it was written by; another one does not go on.
  var rules: Int { get }
  var launchlabVersion: String { get }

  static var currentRules: Int { get }
}

extension LoggedWork {
  package var withArticle: String { (self == .bisection ? "a " : "an ") + rawValue }
}
