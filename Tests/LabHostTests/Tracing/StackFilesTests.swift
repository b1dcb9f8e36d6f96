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
}
