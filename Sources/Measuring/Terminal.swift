import Foundation
import LaunchHost
import Rendering

/// One of the standard streams of launchlab, and what it is connected to.
package struct Terminal: Sendable {
  private let handle: FileHandle
  package let isTerminal: Bool

  /// The number of columns; nil when the stream is no terminal.
  package let width: Int?

  /// Whether colour suits the stream: a terminal, no `NO_COLOR`, and not `TERM=dumb`.
  package let isColored: Bool

  /// Whether the stream is a terminal whose locale is said to be another than UTF-8.
  package let isASCII: Bool

  package static let standardOutput = Terminal(.standardOutput)
  package static let standardError = Terminal(.standardError)

  private init(_ handle: FileHandle) {
    let environment = ProcessInfo.processInfo.environment
    self.handle = handle
    width = TerminalFacts.width(of: handle.fileDescriptor)
    isTerminal = width != nil
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    isASCII = isTerminal && locale.map { !Self.isUTF8($0) } ?? false
    isColored =
      isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// Whether the name of a locale, such as `de_DE.UTF-8`, says that its texts are UTF-8.
  static func isUTF8(_ locale: String) -> Bool {
    locale.uppercased().replacing("-", with: "").contains("UTF8")
  }

  /// Keeps what launchlab opens from becoming a standard stream that its caller has closed.
  package static func holdStreams() { StandardStreams.hold() }

  /// Keeps a locale of the user that ICU cannot read from ending the process; see `OwnLocale`.
  package static func chooseLocale() { OwnLocale.choose() }

  /// Refuses limits of open files and of memory with which libraries would end the process.
  ///
  /// - Throws: `HostError` with the limit and the remedy.
  package static func checkLimits() throws { try OwnLimits.check() }

  /// Refuses a working directory that was removed: paths would lead to the root of the file system.
  ///
  /// - Throws: ``WorkflowError/noWorkingDirectory``.
  package static func checkWorkingDirectory() throws(WorkflowError) {
    guard !FileManager.default.currentDirectoryPath.isEmpty else { throw .noWorkingDirectory }
  }

  /// Writes a document at once: as it is to a file or a pipe, but for what a CI system would take for
  /// one of its commands, and with control characters made visible to a terminal.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func write(document text: String) throws {
    let shown = isTerminal ? text.visible(keepingLines: true, styles: isColored) : text
    try put(shown.withoutCommands)
  }

  /// Writes a text for people at once, with control characters made visible: what goes to a file or
  /// a pipe is often shown on a terminal later, or read by a CI system that looks for its commands.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func write(_ text: String) throws {
    try put(text.visible(keepingLines: true, styles: isColored).withoutCommands)
  }

  /// Writes commands of a CI system, a line each.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func write(commands: [String]) throws { try put(commands.joinedLines()) }

  /// Writes a line in place of the one that the cursor is in; an empty one removes it.
  ///
  /// - Throws: ``WorkflowError/cannotWrite(path:reason:)``.
  package func redraw(_ line: String) throws { try put("\r\u{1B}[K\(line.printable)") }

  private func put(_ text: String) throws {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw WorkflowError.cannotWrite(path: "-", reason: HostError.reason(of: error))
    }
  }
}
