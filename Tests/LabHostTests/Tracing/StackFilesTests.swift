import CLaunchWire
import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(
  .temporaryDirectory,
  .enabled(if: CompiledProgram.isPossible(), "there is no C compiler"),
  .enabled(if: ProfilerBench.isPossible, "perf events are refused")
)
struct StackFilesTests {
  private var root: String { TemporaryDirectory.path }

  private func launched() throws -> (program: String, file: ProfileRecording) {
    let program = try CompiledProgram(StackReaderTests.source, in: root)
    return (program.path, try ProfilerBench().launch([program.path]))
  }

  /// A file with these bytes, as if it were of the same launch.
  private func file(
    _ bytes: some Collection<UInt8>,
    _ name: String,
    like file: ProfileRecording
  ) throws -> ProfileRecording {
    var other = file
    other.path = "\(root)/\(name)"
    try Data(bytes).write(to: URL(filePath: other.path))
    return other
  }

  @Test func `says which profiles cannot be read, and reads the others`() async throws {
    let (program, whole) = try launched()
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: whole.path)))
    var torn = bytes
    // The size of the first record, behind the header and the ids of events.
    let header: profile_header = try #require(bytes.value())
    let size = MemoryLayout<profile_header>.size + 8 * Int(header.stop_events) + 6
    torn.replaceSubrange(size..<(size + 2), with: [7, 0])
    var missing = whole
    missing.path = "\(root)/missing"
    let files = [
      missing, try file([], "empty", like: whole), try file(bytes.prefix(20), "short", like: whole),
      try file(bytes.dropLast(8), "cut", like: whole),
      try file([UInt8](repeating: 65, count: 100), "text", like: whole),
      try file(torn, "torn", like: whole), whole,
    ]
    let read = await StackReader().profiles(of: files)
    #expect(read.profiles.map { $0 == nil } == [true, true, true, true, true, true, false])
    #expect(
      read.notes == [
        "no call stacks of \(root)/missing: it cannot be opened",
        "no call stacks of \(root)/empty: the profile is cut off",
        "no call stacks of \(root)/short: the profile is cut off",
        "no call stacks of \(root)/cut: the profile is cut off",
        "no call stacks of \(root)/text: it is no profile",
        "no call stacks of \(root)/torn: the profile is damaged",
      ]
    )
    #expect(try #require(read.profiles[6]).share(of: ["main", "work"], in: program) > 0.7)
  }

  @Test func `stands damaged profiles`() async throws {
    let (program, whole) = try launched()
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: whole.path)))
    var generator = SplitMix64(seed: 17)
    var files: [ProfileRecording] = []
    for number in 0..<60 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...400, using: &generator) {
        // Most of a sample is its stack, so that the beginning is the better place for damage.
        let end = Bool.random(using: &generator) ? min(4_000, bytes.count) : bytes.count
        let place = Int.random(in: 40..<end, using: &generator)
        // The sizes of records stay, mostly, or nothing else would be read.
        changed[place] = .random(in: 0 ... .max, using: &generator)
      }
      files.append(try file(changed, "damaged\(number)", like: whole))
    }
    let read = await StackReader().profiles(of: files + [whole])
    #expect(read.profiles.count == 61)
    #expect(try #require(read.profiles[60]).share(of: ["main", "work"], in: program) > 0.7)
  }

  @Test func `stands damaged programs`() async throws {
    let (program, whole) = try launched()
    let bench = try ProfilerBench()
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: program)))
    var generator = SplitMix64(seed: 18)
    var files = [whole]
    var paths: [String] = []
    for number in 0..<12 {
      let path = "\(root)/program\(number)"
      try FileManager.default.copyItem(atPath: program, toPath: path)
      files.append(try bench.launch([path]))
      paths.append(path)
    }
    for path in paths {
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      for _ in 0..<200 {
        let tables = [64..<1_000, 8_192..<9_000, bytes.count - 4_000..<bytes.count]
        let part = tables[Int.random(in: 0..<3, using: &generator)]
        try handle.seek(toOffset: UInt64(Int.random(in: part, using: &generator)))
        try handle.write(contentsOf: [UInt8.random(in: 0 ... .max, using: &generator)])
      }
      try handle.close()
    }
    let read = await StackReader().profiles(of: files)
    #expect(read.profiles.compactMap(\.self).count == 13, "\(read.notes)")
    #expect(read.profiles[0]?.share(of: ["main", "work"], in: program) ?? 0 > 0.7)
  }

  @Test func `does not take damaged answers for whole ones`() async throws {
    let (_, whole) = try launched()
    let reader = StackReader()
    let helper = ReadingHelper(
      name: "the unwinder",
      helper: reader.helper,
      variables: [:],
      limit: .seconds(60)
    )
    let bytes = try await helper.answer(["", whole.path, "\(root)/missing"]).get()
    let files = [whole, whole]
    let answer = try #require(StackAnswer(bytes, of: files))
    #expect(answer.profiles.map { $0 == nil } == [false, true])
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(StackAnswer(Array(bytes.prefix(length)), of: files) == nil)
    }
    #expect(StackAnswer(bytes + [0], of: files) == nil)
    #expect(StackAnswer(bytes, of: [whole]) == nil)
    // Anything may come of bytes that were changed, as long as it comes to an end.
    var generator = SplitMix64(seed: 19)
    for _ in 0..<2_000 {
      var changed = bytes
      let place = Int.random(in: 16..<bytes.count, using: &generator)
      changed[place] = .random(in: 0 ... .max, using: &generator)
      _ = StackAnswer(changed, of: files)
    }
  }

  @Test func `names the package that is missing`() async throws {
    try "no library".write(toFile: "\(root)/libdw.so.1", atomically: false, encoding: .utf8)
    let (_, whole) = try launched()
    var reader = StackReader()
    reader.variables = ["LD_LIBRARY_PATH": root]
    let read = await reader.profiles(of: [whole, whole])
    #expect(read.profiles == [nil, nil])
    #expect(
      read.notes == [
        "no call stacks: the library libdw cannot be loaded; install it, such as the package libdw1"
      ]
    )
  }

  @Test(arguments: [
    HelperCase(script: "kill -9 $$", reason: "the unwinder ended with signal 9"),
    HelperCase(script: "exit 3", reason: "the unwinder ended with status 3"),
    HelperCase(script: "echo nonsense", reason: "they were not understood"),
    HelperCase(
      script: "sleep 60",
      reason: "reading took longer than 0.2 seconds",
      limit: .milliseconds(200)
    ),
  ])
  func `does without call stacks when the unwinder fails`(_ helper: HelperCase) async throws {
    let script = Data("#!/bin/sh\n\(helper.script)\n".utf8)
    var reader = StackReader()
    reader.helper = EmbeddedHelper(
      name: "unwinder",
      digest: "test-\(UUID().uuidString)",
      base64: script.base64EncodedString()
    )
    if let limit = helper.limit { reader.limit = limit }
    let unpacked = FilePath(try reader.helper.unpacked()).removingLastComponent()
    defer { try? FileManager.default.removeItem(atPath: unpacked.string) }
    let file = ProfileRecording(path: "\(root)/none", begin: .zero, ready: .zero, process: 1)
    let read = await reader.profiles(of: [file])
    #expect(read.profiles == [nil])
    #expect(read.notes == ["no call stacks: \(helper.reason)"])
  }

  struct HelperCase: Sendable, CustomTestStringConvertible {
    let script: String
    let reason: String
    var limit: Duration?
    var testDescription: String { script }
  }
}
