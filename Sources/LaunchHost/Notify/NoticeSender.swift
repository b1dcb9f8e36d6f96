import Foundation
import LaunchCore
import Subprocess
import SystemPackage

/// Tells people of findings through programs and files of the machine.
///
/// What is sent, and secrets such as the URL of a webhook, never stand on a command line, where
/// every user of the host could read them.
package struct NoticeSender: Sendable {
  /// The working directory of the programs.
  let directory: String

  let environment: [String: String]

  /// How long each program may take.
  let limit: Duration

  private let interrupt: InterruptFlag?

  /// Prepares to tell somebody.
  ///
  /// - Parameters:
  ///   - directory: The working directory of the programs.
  ///   - environment: Where `PATH` and the variables of webhooks are looked up.
  ///   - limit: How long each program may take.
  ///   - interrupt: Ends the program that runs when it is set.
  package init(
    directory: String,
    environment: [String: String],
    limit: Duration = .seconds(60),
    interrupt: InterruptFlag? = nil
  ) {
    self.directory = directory
    self.environment = environment
    self.limit = limit
    self.interrupt = interrupt
  }

  /// Whether nobody shall be told any more, for which the caller then ends in good order.
  package func heedIfInterrupted() -> Bool { interrupt?.heedIfSet() == true }

  /// Runs a command of the user.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments; without a slash it is looked up in `PATH`.
  ///   - input: What it reads on its standard input.
  /// - Throws: ``NoticeFailure`` when it cannot be started, takes too long, prints more than 1 MiB,
  ///   or ends with another status than 0; then the reason has its last line.
  package func run(_ command: [String], input: String) async throws(NoticeFailure) {
    let program = command.first ?? ""
    guard let path = found(program) else {
      throw Self.notExecutable(program)
    }
    let output = try await tool(path, Array(command.dropFirst())).run(Array(input.utf8))
    try Self.check(output)
  }

  /// Why a command could not be run; nil when nothing is known to be in its way.
  package func obstacle(toRunning command: [String]) -> NoticeFailure? {
    let program = command.first ?? ""
    return found(program) == nil ? Self.notExecutable(program) : nil
  }

  private static func notExecutable(_ program: String) -> NoticeFailure {
    NoticeFailure("\"\(program)\" is not a program that can be executed")
  }

  func tool(_ path: String, _ arguments: [String]) -> NoticeTool {
    NoticeTool(
      executable: .path(FilePath(path)),
      arguments: arguments,
      directory: FilePath(directory),
      limit: limit,
      interrupt: interrupt
    )
  }

  /// The absolute path of a program that notifications need; nil when it is not installed.
  package func path(of program: NoticeProgram) -> String? {
    found(program.rawValue, besides: program.directories)
  }

  /// The absolute path of a program, looked up in `PATH` and in directories that it often lacks;
  /// nil when there is none that can be executed.
  func found(_ program: String, besides directories: [String] = []) -> String? {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return try? ExecutableLookup.resolve(
      command: program,
      path: ([path] + directories).joined(separator: ":"),
      directory: directory
    )
  }

  /// Takes any end but a status of 0 for a failure.
  static func check(_ output: NoticeTool.Output) throws(NoticeFailure) {
    guard !output.status.isSuccess else { return }
    let said = output.lastLine.map { ": \($0)" } ?? ""
    switch output.status {
    case .exited(let code): throw NoticeFailure("it ended with status \(code)\(said)")
    case .signaled(let signal): throw NoticeFailure("it ended with signal \(signal)\(said)")
    }
  }
}

/// Webhooks, reached by curl.
extension NoticeSender {
  private static let secondsOfTransfer = 30
  private static let secondsOfConnecting = 10

  /// Posts JSON to a webhook.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - address: The URL; `$NAME` stands for a variable of the environment.
  /// - Throws: ``NoticeFailure`` when a variable is not set, the host cannot be reached in time, or
  ///   the answer is not a status 2xx. The reason holds nothing of the URL but its host.
  package func post(_ json: String, to address: String) async throws(NoticeFailure) {
    let url = try expanded(address)
    guard let curl = path(of: .curl) else {
      throw NoticeFailure("curl is not installed")
    }
    // The option must come first to keep ~/.curlrc from changing what is sent.
    let output = try await tool(curl, ["--disable", "--config", "-"])
      .run(Array(Self.config(url: url, body: json).utf8))
    do throws(NoticeFailure) {
      try Self.check(output)
      try Self.checkAnswer(output.stdout)
    } catch {
      throw NoticeFailure(Self.redacted(error.reason, of: url))
    }
  }

  /// Whether there is the program that posts.
  package var hasCurl: Bool { found("curl") != nil }

  /// Why nothing could be posted; nil when nothing is known to be in the way.
  ///
  /// Nothing is sent.
  package func obstacle(toPosting address: String) -> NoticeFailure? {
    do throws(NoticeFailure) { _ = try expanded(address) } catch { return error }
    return hasCurl ? nil : NoticeFailure("curl is not installed")
  }

  /// A text without the parts of a URL that let others post to it, which a server may well repeat.
  static func redacted(_ text: String, of url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    let path = rest.dropFirst(authority.count)
    let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
    let words = ([user, path].flatMap { $0.split { "/?#&=:@".contains($0) } })
      .filter { $0.count >= shortestSecret }
    let secrets = ([url[...], path, user].filter { $0.count > 1 } + words).map(String.init)
    // curl decodes a name and a password before it sends them.
    let decoded = secrets.compactMap(\.removingPercentEncoding)
    return Redactor(secrets + decoded, replacement: "…").redacted(text)
  }

  /// A shorter part of a path is a word that every such address has.
  private static let shortestSecret = 6

  /// What curl reads on its standard input.
  ///
  /// Source: curl(1), option `--config`.
  static func config(url: String, body: String) -> String {
    let options: [(String, String)] = [
      ("url", url), ("request", "POST"), ("header", "Content-Type: application/json"),
      ("data-raw", body), ("max-time", String(secondsOfTransfer)),
      ("connect-timeout", String(secondsOfConnecting)), ("proto", "=http,https"),
      ("user-agent", "launchlab/\(LaunchlabVersion.current)"), ("write-out", "\\n%{http_code}"),
    ]
    // The body may hold a line feed escape; only what is sent is quoted, write-out is a format.
    let lines = options.map { name, value in
      name == "write-out" ? "\(name) = \"\(value)\"" : "\(name) = \(quoted(value))"
    }
    return (lines + ["silent", "show-error", "globoff"]).joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }

  /// The last line is the status, the line before it the end of the answer.
  private static func checkAnswer(_ answer: String) throws(NoticeFailure) {
    let lines = answer.split(whereSeparator: \.isNewline)
    let status = lines.last.flatMap { Int($0) } ?? 0
    guard !(200...299).contains(status) else { return }
    let said = lines.dropLast().last.map { ": \($0.prefix(200))" } ?? ""
    throw NoticeFailure("it answered with status \(status)\(said)")
  }

  /// Puts variables in; the whole must be a URL without white space.
  private func expanded(_ address: String) throws(NoticeFailure) -> String {
    var url = ""
    var rest = address[...]
    while let dollar = rest.firstIndex(of: "$") {
      url += rest[..<dollar]
      let name = rest[rest.index(after: dollar)...]
        .prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard let value = environment[String(name)], !value.isEmpty else {
        throw NoticeFailure("the variable \(name) is not set")
      }
      url += value
      rest = rest[name.endIndex...]
    }
    url += rest
    let isClean = url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    let isHTTP = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) }
    guard isClean, isHTTP else { throw NoticeFailure("\(address) is not a URL of http or https") }
    return url
  }
}

/// Mail, and the summary of a job.
extension NoticeSender {
  /// Hands a message to sendmail, which takes the recipients from its header.
  ///
  /// - Parameter message: Header and body, with a line feed after every line.
  /// - Throws: ``NoticeFailure`` when there is no sendmail, or it refuses the message.
  package func mail(_ message: String) async throws(NoticeFailure) {
    guard let sendmail else { throw Self.noSendmail }
    // With -i a line that holds a single dot does not end the message.
    let output = try await tool(sendmail, ["-t", "-i"]).run(Array(message.utf8))
    try Self.check(output)
  }

  private var sendmail: String? { path(of: .sendmail) }

  private static let noSendmail = NoticeFailure("sendmail is not installed")

  /// Why no mail could be sent; nil when nothing is known to be in the way.
  package var obstacleToMail: NoticeFailure? { sendmail == nil ? Self.noSendmail : nil }

  private static let summaryVariable = "GITHUB_STEP_SUMMARY"

  /// GitHub takes no more for the summary of one step.
  private static let mostSummary = 1 << 20

  private static let cut = "\n\n*The rest was cut: the summary of a step holds 1 MiB.*\n"

  /// Whether this process belongs to a job that has a summary.
  package var hasJobSummary: Bool { environment[Self.summaryVariable]?.isEmpty == false }

  /// Adds Markdown to the summary of the job, cut where there is no room for all of it.
  ///
  /// - Parameter markdown: What is added.
  /// - Throws: ``NoticeFailure`` when there is no such file, no room, or it cannot be written to.
  package func addToJobSummary(_ markdown: String) throws(NoticeFailure) {
    guard let path = environment[Self.summaryVariable], !path.isEmpty else {
      throw NoticeFailure("the variable \(Self.summaryVariable) is not set")
    }
    do {
      let file = try FileDescriptor.open(
        FilePath(path),
        .writeOnly,
        options: [.append, .create],
        permissions: [.ownerReadWrite, .groupRead, .otherRead]
      )
      defer { try? file.close() }
      let room = Self.mostSummary - Int(try file.seek(offset: 0, from: .end))
      let text = Self.fitting(markdown, into: room)
      guard !text.isEmpty else { throw NoticeFailure("the summary is full") }
      try file.writeAll(text.utf8)
    } catch let failure as NoticeFailure {
      throw failure
    } catch {
      throw NoticeFailure("\(path) cannot be written to: \(error)")
    }
  }

  /// As much of a text as fits, with a note where something was cut; empty when nothing does.
  static func fitting(_ text: String, into room: Int) -> String {
    guard text.utf8.count > room else { return text }
    var end = text.startIndex
    var used = cut.utf8.count
    while end < text.endIndex {
      used += text[end].utf8.count
      guard used <= room else { break }
      end = text.index(after: end)
    }
    return end == text.startIndex ? "" : text[..<end] + cut
  }
}
