import Foundation
import LabHost
import LabModel

/// The log of a bisection: one event as JSON on each line, only ever appended to.
///
/// It is the whole state, so that any interruption can go on and any log can be computed again.
struct BisectLog {
  private let file: AppendedFile
  private let path: String

  /// Begins a log in a directory of its own.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  init(startingAt path: String, with start: BisectStart) throws {
    self.path = path
    file = try Self.writing(path) { try AppendedFile(creating: path) }
    try append(.started(start))
  }

  /// Goes on with a log; a last line that was cut off is removed.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - length: The length of its whole lines, in bytes.
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)`` and ``WorkflowError/bisectionInUse(path:)``.
  init(resumingAt path: String, length: Int) throws {
    self.path = path
    file = try Self.writing(path) { try AppendedFile(continuing: path, keeping: length) }
  }

  /// Writes an event.
  ///
  /// A row is handed to the kernel, which a killed process loses nothing of; any other event is on
  /// the disk when this returns, with the rows before it.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  func append(_ event: BisectEvent) throws {
    try Self.writing(path) {
      var line = try Self.encoder.encode(event)
      line.append(UInt8(ascii: "\n"))
      try file.append(line)
      if case .row = event { return }
      try file.sync()
    }
  }

  func close() { file.close() }

  private static func writing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
  {
    do {
      return try body()
    } catch let error as HostError {
      throw error
    } catch is AppendedFile.InUse {
      throw WorkflowError.bisectionInUse(path: path)
    } catch {
      let reason = (error as? CocoaError)?.localizedDescription ?? "\(error)"
      throw WorkflowError.cannotWrite(path: path, reason: reason)
    }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }
}
