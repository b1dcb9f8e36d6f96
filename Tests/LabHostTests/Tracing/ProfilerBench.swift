import CLabHost
import CLaunchWire
import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// The helper `profiler` and a spawner, for one test.
final class ProfilerBench {
  let helper: pid_t
  let file: String
  private var socket: Int32
  let spawnerProcess: pid_t
  private var spawner: HelperProcess?
  private var count = 0

  /// Whether this kernel lets a process sample its children at all.
  static var isPossible: Bool {
    let level = try? String(contentsOfFile: "/proc/sys/kernel/perf_event_paranoid", encoding: .utf8)
    let value = level.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 4
    return value <= 2 || geteuid() == 0
  }

  /// Starts both; `change` is a command that takes rights away, and what it runs comes after it.
  init(_ launching: LimitedSpawner? = nil, change: [String] = []) throws {
    let started = try (launching ?? .plain()).started()
    spawnerProcess = started.pid
    spawner = consume started
    file = "\(TemporaryDirectory.path)/profile-\(UUID().uuidString)"
    var program = try EmbeddedHelper.profiler.unpacked()
    if !change.isEmpty {
      // Where it was unpacked is private.
      let copy = "\(TemporaryDirectory.path)/profiler"
      try FileManager.default.copyItem(atPath: program, toPath: copy)
      _ = unsafe chmod(copy, 0o755)
      program = copy
    }
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let words = change + [program, file]
    var pointers = unsafe words.map { unsafe strdup($0) }
    defer { while let pointer = unsafe pointers.popLast() { unsafe free(pointer) } }
    unsafe pointers.append(nil)
    helper = unsafe lab_start_helper(words[0], pointers, ends[1])
    socket = ends[0]
    Glibc.close(ends[1])
    try #require(helper > 0)
  }

  deinit {
    close()
    spawner.take()?.dismiss()
  }

  /// Hangs up, and gives the status that the helper ended with.
  @discardableResult func close() -> Int32 {
    var status: Int32 = -1
    guard socket >= 0 else { return status }
    Glibc.close(socket)
    socket = -1
    return unsafe waitpid(helper, &status, 0) == helper ? status : -1
  }

  /// Asks the helper.
  func ask(
    _ command: trace_command,
    spawner: pid_t? = nil,
    period: UInt64 = 200_000,
    stackBytes: UInt32 = 8_192
  ) throws -> trace_answer {
    let request = trace_request(
      command: command.rawValue,
      spawner: spawner ?? spawnerProcess,
      period: period,
      stack_bytes: stackBytes,
      reserved: 0
    )
    let bytes = [UInt8](of: request)
    try #require(unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    var answer = [UInt8](repeating: 0, count: MemoryLayout<trace_answer>.size)
    let length = unsafe recv(socket, &answer, answer.count, Int32(MSG_WAITALL))
    try #require(length == answer.count)
    return try #require(answer.value())
  }

  /// Launches a command while it is sampled.
  func launch(_ command: [String], period: UInt64 = 200_000) throws -> ProfileRecording {
    let begun = try ask(TRACE_BEGIN, period: period)
    try #require(begun.error == 0)
    let request = try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: ["PATH=/usr/bin:/bin"],
      directory: "/",
      ready: .exit,
      timeout: .seconds(60)
    )
    guard spawner?.send(request.bytes()) == true,
      case .message(let bytes) = spawner?.receive(within: .seconds(70), interrupt: -1)
    else { throw Unanswered() }
    let result = try #require(SpawnerAnswer(bytes)).result(of: request)
    try #require(result.outcome == .ready)
    let ended = try ask(TRACE_END)
    try #require(ended.error == 0)
    count += 1
    let kept = "\(file).\(count)"
    try FileManager.default.moveItem(atPath: file, toPath: kept)
    let trace = try #require(result.trace)
    return ProfileRecording(
      path: kept,
      begin: trace.begin,
      ready: trace.begin + (result.launch ?? .zero),
      process: trace.process
    )
  }

  struct Unanswered: Error {}

  /// Launches a command, and reads where it was.
  func profile(
    _ command: [String],
    period: UInt64 = 200_000
  ) async throws -> (profile: LaunchProfile, notes: [String]) {
    let read = await StackReader().profiles(of: [try launch(command, period: period)])
    return (try #require(read.profiles[0], "\(read.notes)"), read.notes)
  }
}

extension LaunchProfile {
  /// How often each stack of functions of the program itself was seen, of samples from its start
  /// on, functions of libraries left out.
  func stacks(in file: String) -> [[String]: Int] {
    samples.reduce(into: [:]) { counts, sample in
      counts[sample.user.filter { $0.file == file }.map(\.function), default: 0] += 1
    }
  }

  /// The share of samples whose stack of the program itself ends with these functions.
  func share(of functions: [String], in file: String) -> Double {
    let matching = stacks(in: file).filter { $0.key.suffix(functions.count) == functions[...] }
    return Double(matching.values.reduce(0, +)) / Double(max(samples.count, 1))
  }
}
