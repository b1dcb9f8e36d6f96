import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct RunWriterTests {
  @Test func `commits the first block at once and then every 100 ms`() throws {
    let store = try Store.inMemory()
    let writer = try store.begin(Sample.run("a"))
    let stored = try [0, 99, 100, 150, 199, 200].enumerated().map { block, time in
      writer.append(Sample.launch(block: block))
      try writer.endBlock(at: .milliseconds(Int64(time)))
      return try store.completeBlocks(of: "a").count
    }
    #expect(stored == [1, 1, 3, 3, 3, 6])
    #expect(writer.storedBlocks == 6)
  }

  @Test func `commits waiting blocks in the middle of a long block`() throws {
    let store = try Store.inMemory()
    let writer = try store.begin(Sample.run("a"))
    for block in 0...1 {
      writer.append(Sample.launch(block: block))
      try writer.endBlock(at: .zero)
    }
    writer.append(Sample.launch(block: 2))
    #expect(try store.completeBlocks(of: "a") == [0])
    try writer.commitIfDue(at: .milliseconds(100))
    #expect(try store.completeBlocks(of: "a") == [0, 1])
  }

  @Test func `commits each block of long launches when it ends`() throws {
    let store = try Store.inMemory()
    let writer = try store.begin(Sample.run("a"))
    let stored = try (1...3).map { block in
      writer.append(Sample.launch(block: block))
      try writer.commitIfDue(at: .seconds(Int64(block)))
      try writer.endBlock(at: .seconds(Int64(block)))
      return try store.completeBlocks(of: "a").count
    }
    #expect(stored == [1, 2, 3])
  }

  @Test func `drops a block that is not complete`() throws {
    let store = try Store.inMemory()
    let writer = try store.begin(Sample.run("a"))
    writer.append(Sample.launch(block: 0))
    try writer.endBlock(at: .zero)
    writer.append(Sample.launch(block: 1))
    try writer.flush()
    try writer.finish(status: .interrupted, at: Sample.start)
    #expect(try store.launches(of: "a") == [Sample.launch(block: 0)])
    #expect(try store.run("a").status == .interrupted)
  }

  @Test func `resumes a run where it was cut off`() throws {
    // Given an interrupted run
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.launch(block: 0), Sample.launch(block: 2)])
    try store.save(RunOutcome(verdict: "unjudged", exitCode: 130), of: "a")

    // When the block in between is added
    let writer = try store.resume("a")
    #expect(writer.storedBlocks == 2)
    #expect(try store.unfinishedRuns().map(\.id) == ["a"])
    #expect(try store.runs().map(\.outcome) == [nil])
    var launch = Sample.launch(block: 1)
    launch.result.output.stdout = CapturedStream(head: [65], totalBytes: 1)
    writer.append(launch)
    try writer.endBlock(at: .zero)
    try writer.finish(status: .complete, at: Sample.start)
    let outcome = RunOutcome(verdict: "red", exitCode: 1)
    try store.save(outcome, of: "a")
    #expect(try store.runs().map(\.outcome) == [outcome])

    // Then it stands in its place, and only the arm's first launch has output
    let launches = try store.launches(of: "a")
    #expect(launches.map(\.block) == [0, 1, 2])
    #expect(launches[1].result.output.stdout == CapturedStream(totalBytes: 1))
  }

  @Test func `refuses a launch of an arm that the plan lacks`() throws {
    let store = try Store.inMemory()
    let writer = try store.begin(Sample.run("a"))
    writer.append(Sample.launch(block: 0))
    try writer.endBlock(at: .zero)
    writer.append(Sample.launch(block: 1, arm: 3))
    #expect(
      throws: StoreError.cutShort(
        run: "a",
        blocks: 1,
        cause: .refused(path: ":memory:", rule: "FOREIGN KEY constraint failed")
      )
    ) { try writer.endBlock(at: .seconds(1)) }
    #expect(try store.completeBlocks(of: "a") == [0])
  }

  @Test func `refuses to store a launch twice`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.fullLaunch(block: 0)])
    let writer = try store.resume("a")
    writer.append(Sample.launch(block: 0))
    #expect(throws: StoreError.self) { try writer.endBlock(at: .zero) }
    #expect(try store.launches(of: "a") == [Sample.fullLaunch(block: 0)])
  }

  @Test(.temporaryDirectory) func `leaves exactly the committed blocks when it is cut off`() throws
  {
    // Given a run with two committed blocks, one complete block and a part of another
    let path = TemporaryDirectory.path + "/lab.sqlite"
    let store = try Store(path: path, mode: .readWrite)
    let writer = try store.begin(Sample.run("a"))
    for (block, time) in [0, 100, 110].enumerated() {
      writer.append(Sample.fullLaunch(block: block))
      try writer.endBlock(at: .milliseconds(Int64(time)))
    }
    writer.append(Sample.launch(block: 3))

    // When the files are taken as they are, as after a kill
    let copy = TemporaryDirectory.path + "/copy.sqlite"
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }

    // Then the copy holds the committed blocks and can be resumed
    let rescued = try Store(path: copy, mode: .readWrite)
    #expect(try rescued.launches(of: "a").map(\.block) == [0, 1])
    #expect(try rescued.unfinishedRuns().map(\.id) == ["a"])
    #expect(try rescued.resume("a").storedBlocks == 2)
    #expect(try rescued.integrity() == "ok")
  }

  @Test(.temporaryDirectory) func `is read by others while it writes`() throws {
    let path = TemporaryDirectory.path + "/lab.sqlite"
    let store = try Store(path: path, mode: .readWrite)
    let reader = try Store(path: path, mode: .readOnly)
    try store.fill(Sample.run("a"), with: (0..<3).map { Sample.launch(block: $0) })
    let writer = try store.resume("a")

    var seen: [Int] = []
    try reader.forEachLaunch(of: "a") { launch in
      seen.append(launch.block)
      writer.append(Sample.launch(block: 10 + launch.block))
      try writer.endBlock(at: .seconds(Int64(launch.block)))
    }
    #expect(seen == [0, 1, 2])
    #expect(try reader.completeBlocks(of: "a") == [0, 1, 2, 10, 11, 12])
  }

  @Test(.temporaryDirectory) func `does not checkpoint before the run ends`() throws {
    let path = TemporaryDirectory.path + "/lab.sqlite"
    let store = try Store(path: path, mode: .readWrite)
    let writer = try store.begin(Sample.run("a"))
    let before = try size(of: path)
    for block in 0..<5_000 {
      writer.append(Sample.fullLaunch(block: block))
      try writer.endBlock(at: .seconds(Int64(block)))
    }
    #expect(try size(of: path) == before)
    #expect(try size(of: path + "-wal") > 20_000_000)
    try writer.finish(status: .complete, at: Sample.start)
    #expect(try size(of: path) > before)
  }

  private func size(of path: String) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    return try #require(size).intValue
  }
}
