import Foundation
import GRDB
import Glibc
package import LaunchCore

/// Why the store could not do what was asked for.
package indirect enum StoreError: LabError, Equatable {
  /// The directory of the store could not be created.
  case missingDirectory(path: String, reason: String)

  /// There is no store to read.
  case missingStore(path: String)

  /// The file could not be opened, for a reason that SQLite does not name.
  case cannotOpen(path: String, reason: String)

  /// The file, its directory or its file system does not allow writing; the reason is a phrase.
  case readOnly(path: String, reason: String = "it is read-only")

  /// A newer launchlab made the store; nothing in it was touched.
  case newerSchema(path: String, found: Int, supported: Int)

  /// The store has an older schema and cannot be migrated, because it is only read.
  case olderSchema(path: String, found: Int, supported: Int)

  /// The file is not an SQLite database.
  case notADatabase(path: String)

  /// The file is an SQLite database of another program.
  case notAStore(path: String)

  /// The file is damaged, or holds what launchlab never writes.
  case corrupt(path: String, detail: String)

  /// Another process kept the store locked for longer than the busy timeout.
  case busy(path: String)

  /// The file system of the store has no space left.
  case full(path: String)

  /// The disk or file system failed.
  case inputOutput(path: String, detail: String)

  /// What should be stored breaks a rule of the schema.
  case refused(path: String, rule: String)

  /// Storing a run stopped; `blocks` blocks of it are safe.
  case cutShort(run: String, blocks: Int, cause: StoreError)

  /// A run of that id is stored already.
  case duplicateRun(id: String)

  /// No stored run has an id that begins with the text.
  case unknownRun(text: String)

  /// Several stored runs have ids that begin with the text.
  case ambiguousRun(text: String, matches: [String])

  /// No stored alert has the number.
  case unknownAlert(number: Int)

  /// Another process has written to an alert since it was read.
  case changedAlert(number: Int)

  package var diagnostics: [Diagnostic] {
    [Diagnostic(.error, id: id, problem: problem, place: place, remedy: remedy)]
  }

  package var exitCode: LabExitCode {
    switch self {
    case .unknownRun, .ambiguousRun, .unknownAlert: .usage
    default: .couldNotMeasure
    }
  }
}

// MARK: - Text

extension StoreError {
  private var id: String {
    switch self {
    case .missingDirectory: "store-directory"
    case .missingStore: "store-missing"
    case .cannotOpen: "store-open"
    case .readOnly: "store-read-only"
    case .newerSchema: "store-newer"
    case .olderSchema: "store-older"
    case .notADatabase: "store-not-a-database"
    case .notAStore: "store-foreign"
    case .corrupt: "store-corrupt"
    case .busy: "store-busy"
    case .full: "store-full"
    case .inputOutput: "store-io"
    case .refused: "store-refused"
    case .cutShort(_, _, let cause): cause.id
    case .duplicateRun: "run-duplicate"
    case .unknownRun: "run-unknown"
    case .ambiguousRun: "run-ambiguous"
    case .unknownAlert: "alert-unknown"
    case .changedAlert: "alert-changed"
    }
  }

  private var problem: String {
    switch self {
    case .missingDirectory(_, let reason):
      "cannot create the directory of the store: \(reason)"
    case .missingStore: "there is no store"
    case .cannotOpen(_, let reason): "cannot open the store: \(reason)"
    case .readOnly(_, let reason): "cannot write to the store: \(reason)"
    case .newerSchema(_, let found, let supported):
      "the store has schema version \(found), and this launchlab knows versions up to \(supported)"
    case .olderSchema(_, let found, let supported):
      "the store has schema version \(found), and this launchlab reads version \(supported)"
    case .notADatabase: "the store is not an SQLite database"
    case .notAStore: "the store is an SQLite database of another program"
    case .corrupt(_, let detail): "the store is damaged: \(detail)"
    case .busy: "the store is locked by another process"
    case .full: "no space is left for the store"
    case .inputOutput(_, let detail): "cannot read or write the store: \(detail)"
    case .refused(_, let rule): "the store refuses a value: \(rule)"
    case .cutShort(let run, let blocks, let cause):
      "\(cause.problem); of run \"\(run)\", \(blocks == 1 ? "1 block is" : "\(blocks) blocks are") "
        + "stored"
    case .duplicateRun(let id): "run \"\(id)\" is stored already"
    case .unknownRun(let text): "no stored run begins with \"\(text)\""
    case .ambiguousRun(let text, let matches):
      "\"\(text)\" begins the ids of several runs: \(matches.joined(separator: ", "))"
    case .unknownAlert(let number): "there is no alert \"R-\(number)\""
    case .changedAlert(let number):
      "alert \"R-\(number)\" was changed by another launchlab meanwhile"
    }
  }

  private var place: String? {
    switch self {
    case .missingDirectory(let path, _), .missingStore(let path), .cannotOpen(let path, _),
      .readOnly(let path, _), .newerSchema(let path, _, _), .olderSchema(let path, _, _),
      .notADatabase(let path), .notAStore(let path), .corrupt(let path, _), .busy(let path),
      .full(let path), .inputOutput(let path, _), .refused(let path, _):
      path
    case .cutShort(_, _, let cause): cause.place
    case .duplicateRun, .unknownRun, .ambiguousRun, .unknownAlert, .changedAlert: nil
    }
  }

  private var remedy: String? {
    switch self {
    case .missingDirectory, .readOnly:
      "name a file in a directory that you can write to with `--store FILE`"
    case .missingStore: "run `launchlab run SCENARIO` first, or name the store with `--store FILE`"
    case .cannotOpen, .notADatabase, .notAStore: "name another file with `--store FILE`"
    case .newerSchema:
      "update launchlab, or name another file with `--store FILE`; this one was not touched"
    case .olderSchema:
      "bring it up to date with a command that writes to it, such as `launchlab run`; where it cannot "
        + "be written to, copy it first"
    case .corrupt: "move the file away and restore a copy, or start a new one with `--store FILE`"
    case .busy: "wait until the other launchlab has ended, and try again"
    case .full: "free some space, or name a file on another disk with `--store FILE`"
    case .inputOutput: "check the disk with `dmesg`, or name another file with `--store FILE`"
    case .refused: "report this as a bug of launchlab, with the scenario"
    case .cutShort(_, _, let cause): cause.remedy
    case .duplicateRun: "start the run under another id"
    case .unknownRun: "list the stored runs with `launchlab history`"
    case .ambiguousRun: "give more of the id"
    case .unknownAlert: "list the alerts with `launchlab report`"
    case .changedAlert: "wait until the other launchlab has ended, and try again"
    }
  }
}

extension StoreError {
  /// The error of the store that an error of SQLite stands for.
  ///
  /// SQLite reports a full disk as a failure of the shared-memory file too, so the free space of
  /// the file system decides where the code does not.
  init(_ error: DatabaseError, path: String) {
    let text = error.message ?? "SQLite code \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    case .SQLITE_IOERR where Self.isFull(path): self = .full(path: path)
    case .SQLITE_IOERR: self = .inputOutput(path: path, detail: text)
    case .SQLITE_READONLY: self = .readOnly(path: path, reason: Self.obstacle(to: path))
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
    case .SQLITE_NOTADB: self = .notADatabase(path: path)
    case .SQLITE_CORRUPT, .SQLITE_FORMAT: self = .corrupt(path: path, detail: text)
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
      self = .refused(path: path, rule: text)
    case .SQLITE_CANTOPEN where Self.isFull(path): self = .full(path: path)
    case .SQLITE_CANTOPEN where Self.isReadOnly(path):
      self = .readOnly(path: path, reason: Self.obstacle(to: path))
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self = .cannotOpen(path: path, reason: text)
    default: self = .corrupt(path: path, detail: text)
    }
  }

  static func isFull(_ path: String) -> Bool {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: directory(of: path))
    guard let free = facts?[.systemFreeSize] as? NSNumber else { return false }
    // The shared-memory file grows by 32 KiB.
    return free.int64Value < 65_536
  }

  private static func isReadOnly(_ path: String) -> Bool {
    !FileManager.default.isWritableFile(atPath: directory(of: path))
  }

  /// Why a store cannot be written to, as a phrase: whose it is, or its directory, where that is why.
  private static func obstacle(to path: String) -> String {
    func owner(of path: String) -> String? {
      guard unsafe access(path, W_OK) != 0, errno == EACCES,
        let facts = try? FileManager.default.attributesOfItem(atPath: path),
        let id = facts[.ownerAccountID] as? NSNumber, id.uint32Value != geteuid()
      else { return nil }
      return facts[.ownerAccountName] as? String ?? "\(id)"
    }
    if let user = owner(of: path) { return "it belongs to the user \(user)" }
    let user = owner(of: directory(of: path))
    return user.map { "its directory belongs to the user \($0)" } ?? "it is read-only"
  }

  private static func directory(of path: String) -> String {
    URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
  }
}

/// Runs `body`, and turns errors of SQLite into errors of the store.
///
/// - Throws: a ``StoreError``, or what else `body` throws, unchanged.
func translatingErrors<Value>(of path: String, _ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch let error as DatabaseError {
    throw StoreError(error, path: path)
  } catch let error as RowDecodingError {
    // What follows is the whole row.
    let text = "\(error)".split(separator: ", column index").first.map(String.init) ?? ""
    throw StoreError.corrupt(path: path, detail: text)
  } catch is DecodingError {
    throw StoreError.corrupt(path: path, detail: "it holds JSON that launchlab never writes")
  }
}
