import Subprocess
import SystemPackage

/// A program of the machine that a way of notification needs.
package enum NoticeProgram: String, CaseIterable, Sendable {
  /// For webhooks.
  case curl

  /// For mail; every mail server for Debian has one, and so has msmtp-mta.
  case sendmail

  /// Directories that often hold it beside those of `PATH`.
  var directories: [String] { self == .sendmail ? ["/usr/sbin", "/usr/lib"] : [] }

  /// The command that installs it.
  package var remedy: String {
    switch self {
    case .curl: "install it, such as with `apt-get install curl`"
    case .sendmail: "install a mail server, such as with `apt-get install msmtp-mta`"
    }
  }
}

/// A program that tells somebody something, run with a limit of time and of output.
struct NoticeTool: Sendable {
  /// How much of each stream a program may print.
  static let mostOutput = 1 << 20

  let executable: Executable
  var arguments: [String] = []
  var directory: FilePath?
  var limit: Duration

  /// Ends the program when it is set.
  var interrupt: InterruptFlag?

  /// What a finished program printed, and how it ended.
  struct Output {
    let status: TerminationStatus
    let stdout: String
    let stderr: String

    /// The last line of what was printed, of stderr if there is any.
    var lastLine: String? {
      [stderr, stdout].lazy
        .compactMap { $0.split(whereSeparator: \.isNewline).last.map { String($0.prefix(300)) } }
        .first
    }
  }

  /// Runs the program in a session of its own, and ends it with all that it started when it takes
  /// too long, prints too much, or launchlab shall stop.
  ///
  /// - Parameter input: What it may read on its standard input; it need not.
  /// - Returns: How it ended; a status other than 0 is a result.
  /// - Throws: ``NoticeFailure`` when it cannot be started or had to be ended.
  func run(_ input: [UInt8]) async throws(NoticeFailure) -> Output {
    let files = try Self.files(input)
    defer { Self.close(files) }
    let running = Task { try await status(files) }
    let watch = Task { () -> String? in
      let end = ContinuousClock.now + limit
      while true {
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return nil }
        guard let obstacle = obstacle(files, end: end) else { continue }
        running.cancel()
        return "\(obstacle), and was ended"
      }
    }
    let result = await withTaskCancellationHandler {
      await running.result
    } onCancel: {
      running.cancel()
    }
    watch.cancel()
    if let obstacle = await watch.value { throw NoticeFailure(obstacle) }
    switch result {
    case .success(let status):
      return Output(
        status: status,
        stdout: Self.text(of: files[1]),
        stderr: Self.text(of: files[2])
      )
    case .failure(let error):
      let reason = String("\(error)".prefix { !$0.isNewline })
      throw NoticeFailure("it cannot be started: \(reason)")
    }
  }

  /// Why a program that goes on must be ended; nil while it need not.
  private func obstacle(_ files: [FileDescriptor], end: ContinuousClock.Instant) -> String? {
    if interrupt?.isSet == true { return "it was still running when launchlab was interrupted" }
    let isFull = files.dropFirst().contains { !Self.bytes(of: $0, from: Self.mostOutput).isEmpty }
    if isFull { return "it printed more than \(Self.mostOutput) bytes" }
    return ContinuousClock.now >= end ? "it took longer than \(limit)" : nil
  }

  private func status(_ files: [FileDescriptor]) async throws -> TerminationStatus {
    var options = PlatformOptions()
    options.createSession = true
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(1)),
      .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero),
    ]
    return try await Subprocess.run(
      executable,
      arguments: Arguments(arguments),
      workingDirectory: directory,
      platformOptions: options,
      input: .fileDescriptor(files[0], closeAfterSpawningProcess: false),
      output: .fileDescriptor(files[1], closeAfterSpawningProcess: false),
      error: .fileDescriptor(files[2], closeAfterSpawningProcess: false)
    ).terminationStatus
  }

  // MARK: - What goes in and out

  /// Files for the three standard streams.
  private static func files(_ input: [UInt8]) throws(NoticeFailure) -> [FileDescriptor] {
    var files: [FileDescriptor] = []
    do {
      for bytes in [input, [], []] { files.append(try MemoryFile.make(bytes)) }
      return files
    } catch {
      close(files)
      throw NoticeFailure("there is no room for what it reads and prints: \(error)")
    }
  }

  private static func close(_ files: [FileDescriptor]) {
    for file in files { try? file.close() }
  }

  private static func text(of file: FileDescriptor) -> String {
    var all: [UInt8] = []
    while all.count < mostOutput {
      let piece = bytes(of: file, from: all.count)
      guard !piece.isEmpty else { break }
      all += piece
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Some bytes from an offset on, none at the end.
  ///
  /// The offset that the program writes at is left alone.
  private static func bytes(of file: FileDescriptor, from offset: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe try? buffer.withUnsafeMutableBytes { bytes in
      unsafe try file.read(fromAbsoluteOffset: Int64(offset), into: bytes)
    }
    return Array(buffer.prefix(count ?? 0))
  }
}

/// Why somebody could not be told.
package struct NoticeFailure: Error, Hashable {
  /// A phrase without a full stop, which holds no secret.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
