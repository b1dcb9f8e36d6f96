import Foundation
import GRDB

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
    case .SQLITE_READONLY: self = .readOnly(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
    case .SQLITE_NOTADB: self = .notADatabase(path: path)
    case .SQLITE_CORRUPT, .SQLITE_FORMAT: self = .corrupt(path: path, detail: text)
    case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
      self = .refused(path: path, rule: text)
    case .SQLITE_CANTOPEN where Self.isFull(path): self = .full(path: path)
    case .SQLITE_CANTOPEN where Self.isReadOnly(path): self = .readOnly(path: path)
    case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
      self = .cannotOpen(path: path, reason: text)
    default: self = .corrupt(path: path, detail: text)
    }
  }

  private static func isFull(_ path: String) -> Bool {
    let facts = try? FileManager.default.attributesOfFileSystem(forPath: directory(of: path))
    guard let free = facts?[.systemFreeSize] as? NSNumber else { return false }
    // The shared-memory file grows by 32 KiB.
    return free.int64Value < 65_536
  }

  private static func isReadOnly(_ path: String) -> Bool {
    !FileManager.default.isWritableFile(atPath: directory(of: path))
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
