import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite(
  .temporaryDirectory,
  .serialized,
  .enabled(if: FileSystem.canMount, "mounting a small file system needs root")
)
struct StoreFullDiskTests {
  @Test(arguments: [96, 128, 160, 192, 224, 256, 320, 384, 512, 700, 1_024])
  func `keeps every committed block on a full disk`(kilobytes: Int) throws {
    // Given a file system that is too small for the run
    let disk = try FileSystem(at: TemporaryDirectory.path + "/disk", kilobytes: kilobytes)
    defer { disk.unmount() }
    let path = disk.path + "/lab.sqlite"

    // When blocks are written until it is full
    let error = try #require(throws: StoreError.self) { try fill(path) }

    // Then the error says what is safe, and exactly that is there
    switch error {
    case .full: break
    case .cutShort(let run, let blocks, let cause):
      #expect(cause == .full(path: path))
      try disk.grow(toKilobytes: 4_096)
      let store = try Store(path: path, mode: .readWrite)
      #expect(try store.completeBlocks(of: run) == Array(0..<blocks))
      #expect(try store.integrity() == "ok")
      #expect(try store.resume(run).storedBlocks == blocks)
    default: Issue.record(error)
    }
  }

  @Test func `goes on when space was made`() throws {
    let disk = try FileSystem(at: TemporaryDirectory.path + "/disk", kilobytes: 800)
    defer { disk.unmount() }
    let store = try Store(path: disk.path + "/lab.sqlite", mode: .readWrite)
    let writer = try store.begin(Sample.run("a"))
    var block = 0
    #expect(throws: StoreError.self) {
      while block < 100_000 {
        writer.append(launch(block))
        block += 1
        try writer.endBlock(at: .seconds(Int64(block)))
      }
    }
    try disk.grow(toKilobytes: 4_096)
    try writer.finish(status: .failed, at: Sample.start)
    #expect(try store.launches(of: "a") == (0..<block).map(launch))
  }

  private func fill(_ path: String) throws {
    let store = try Store(path: path, mode: .readWrite)
    let writer = try store.begin(Sample.run("a"))
    for block in 0..<100_000 {
      writer.append(launch(block))
      try writer.endBlock(at: .seconds(Int64(block)))
    }
  }

  /// A launch with a residency set of its own, so that what is remembered of sets is tested too.
  private func launch(_ block: Int) -> LaunchRecord {
    var launch = Sample.launch(block: block)
    launch.preparation.residency = [
      FileResidency(path: "/src/\(block / 3)", isOwn: true, residentPages: 0, totalPages: 1)
    ]
    return launch
  }
}
