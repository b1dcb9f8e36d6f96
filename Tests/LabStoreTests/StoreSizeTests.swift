import Foundation
import LabModel
import LabTestSupport
import Testing

@testable import LabStore

@Suite(.temporaryDirectory) struct StoreSizeTests {
  @Test func `holds no more than the waiting blocks of 100,000 launches in memory`() throws {
    let launches = 100_000
    let store = try Store(path: TemporaryDirectory.path + "/lab.sqlite", mode: .readWrite)
    let writer = try store.begin(Sample.run("a"))
    var launch = Sample.fullLaunch(block: 0)
    launch.result.output = CapturedOutput()
    launch.result.figures.counters = [:]
    let before = try anonymousMemory()
    for block in 0..<launches {
      launch.block = block
      writer.append(launch)
      try writer.endBlock(at: Nanoseconds(Int64(block) * 290_000))
    }
    try writer.finish(status: .complete, at: Sample.start)
    let written = try anonymousMemory()

    var seen = 0
    try store.forEachLaunch(of: "a") { _ in seen += 1 }
    let read = try anonymousMemory()

    #expect(seen == launches)
    // Tests that run at the same time share the process; 100,000 records would be above 100 MB.
    #expect(max(written, read) - before < 32 << 20)
  }

  /// The resident anonymous memory of this process in bytes.
  private func anonymousMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    let kilobytes = line.split(separator: " ").compactMap { Int($0) }.first
    return try #require(kilobytes) * 1_024
  }
}
