import Testing

@testable import LaunchCore
@testable import Stages

@Suite struct PageInAccumulatorTests {
  @Test func `takes medians per file, and counts launches without the file as 0`() throws {
    var accumulator = PageInAccumulator()
    accumulator.add(PageIns(files: [file("/a", 10, faulted: 4), file("/b", 9, faulted: 1)]))
    accumulator.add(PageIns(files: [file("/a", 20, faulted: 6)]))
    accumulator.add(PageIns(files: [file("/a", 30, faulted: 8)]))
    let summary = accumulator.summary()
    #expect(summary.launches == 3)
    #expect(summary.files == [file("/a", 20, faulted: 6), file("/b", 0, faulted: 0)])
    #expect(summary.pages == 20)
    #expect(summary.faulted == 6)
    #expect(summary.readAhead == 14)
  }

  @Test func `does not split the pages when one launch was not distinguished`() {
    var accumulator = PageInAccumulator()
    accumulator.add(PageIns(files: [file("/a", 10, faulted: 4)], notes: ["one"]))
    accumulator.add(PageIns(files: [PageIn(path: "/a", isOwn: true, pages: 10)], notes: ["one"]))
    let summary = accumulator.summary()
    #expect(summary.files == [PageIn(path: "/a", isOwn: true, pages: 10)])
    #expect(summary.faulted == nil)
    #expect(summary.notes == ["one"])
  }

  @Test func `takes medians of what threads waited, and of metadata`() {
    var accumulator = PageInAccumulator()
    for (wait, pages) in [(30, 3), (10, 1), (20, 2)] as [(Int64, Int)] {
      var one = file("/a", 10, faulted: 4)
      one.wait = Nanoseconds(wait)
      var two = file("/b", 1, faulted: 1)
      two.wait = Nanoseconds(wait)
      let files = pages == 2 ? [one] : [one, two]
      let metadata = MetadataReads(pages: pages, wait: Nanoseconds(wait))
      accumulator.add(PageIns(files: files, metadata: metadata))
    }
    let summary = accumulator.summary()
    #expect(summary.files.map(\.wait) == [Nanoseconds(20), Nanoseconds(10)])
    #expect(summary.wait == Nanoseconds(30))
    #expect(summary.metadata == MetadataReads(pages: 2, wait: Nanoseconds(20)))
    accumulator.add(PageIns(files: [file("/a", 10, faulted: 4)]))
    #expect(accumulator.summary().wait == nil)
    #expect(accumulator.summary().metadata == nil)
  }

  private func file(_ path: String, _ pages: Int, faulted: Int) -> PageIn {
    PageIn(path: path, isOwn: true, pages: pages, faulted: faulted, readAhead: pages - faulted)
  }
}
