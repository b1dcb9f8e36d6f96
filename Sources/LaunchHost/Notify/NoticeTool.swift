import Glibc
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
    let streams = try Self.streams(input)
    defer { streams.close() }
    let running = Task { try await status(streams) }
    let watch = Task { () -> (obstacle: String?, outputs: [OutputPipe]) in
      let end = ContinuousClock.now + limit
      var outputs = streams.outputs
      while true {
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return (nil, outputs) }
        for index in outputs.indices { outputs[index].take() }
        guard let obstacle = obstacle(outputs, end: end) else { continue }
        running.cancel()
        return ("\(obstacle), and was ended", outputs)
      }
    }
    let result = await withTaskCancellationHandler {
      await running.result
    } onCancel: {
      running.cancel()
    }
    watch.cancel()
    var watched = await watch.value
    if let obstacle = watched.obstacle { throw NoticeFailure(obstacle) }
    switch result {
    case .success(let status):
      for index in watched.outputs.indices { watched.outputs[index].take() }
      return Output(
        status: status,
        stdout: watched.outputs[0].text,
        stderr: watched.outputs[1].text
      )
    case .failure(let error):
      let reason = String("\(error)".prefix { !$0.isNewline })
      throw NoticeFailure("it cannot be started: \(reason)")
    }
  }

  /// Why a program that goes on must be ended; nil while it need not.
  private func obstacle(_ outputs: [OutputPipe], end: ContinuousClock.Instant) -> String? {
    if interrupt?.isSet == true { return "it was still running when launchlab was interrupted" }
    if outputs.contains(where: \.isFull) { return "it printed more than \(Self.mostOutput) bytes" }
    return ContinuousClock.now >= end ? "it took longer than \(limit)" : nil
  }

  private func status(_ streams: Streams) async throws -> TerminationStatus {
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
      input: .fileDescriptor(streams.input, closeAfterSpawningProcess: false),
      output: .fileDescriptor(streams.outputs[0].writing, closeAfterSpawningProcess: false),
      error: .fileDescriptor(streams.outputs[1].writing, closeAfterSpawningProcess: false)
    ).terminationStatus
  }

  // MARK: - What goes in and out

  /// What the three standard streams are.
  private struct Streams {
    let input: FileDescriptor
    var outputs: [OutputPipe] = []

    func close() {
      try? input.close()
      for output in outputs { output.close() }
    }
  }

  private static func streams(_ input: [UInt8]) throws(NoticeFailure) -> Streams {
    do {
      var streams = Streams(input: try MemoryFile.make(input))
      do {
        for _ in 0..<2 { streams.outputs.append(try OutputPipe()) }
      } catch {
        streams.close()
        throw error
      }
      return streams
    } catch {
      throw NoticeFailure("there is no room for what it reads and prints: \(error)")
    }
  }
}

/// What a program prints, as far as anybody looks: however late that is, the program waits, and does not
/// fill the memory.
private struct OutputPipe {
  let reading: FileDescriptor
  let writing: FileDescriptor
  private var bytes: [UInt8] = []

  init() throws {
    (reading, writing) = try FileDescriptor.pipe()
    for end in [reading, writing] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(reading.rawValue, F_SETFL, O_NONBLOCK)
  }

  /// Whether that is more than a program may print.
  var isFull: Bool { bytes.count > NoticeTool.mostOutput }

  var text: String { String(decoding: bytes.prefix(NoticeTool.mostOutput), as: UTF8.self) }

  /// Takes what is there, until it is too much.
  mutating func take() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isFull {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe try? reading.read(into: $0) }
      guard let count, count > 0 else { return }
      bytes += buffer.prefix(count)
    }
  }

  func close() {
    for end in [reading, writing] { try? end.close() }
  }
}

/// Why somebody could not be told.
package struct NoticeFailure: Error, Hashable {
  /// A phrase without a full stop, which holds no secret.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
