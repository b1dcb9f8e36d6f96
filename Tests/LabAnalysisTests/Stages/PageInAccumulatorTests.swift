import LabModel
import Testing

@testable import LabAnalysis

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

  @Test func `does not split the pages when one launch was not told apart`() {
    var accumulator = PageInAccumulator()
    accumulator.add(PageIns(files: [file("/a", 10, faulted: 4)], notes: ["one"]))
    accumulator.add(PageIns(files: [PageIn(path: "/a", isOwn: true, pages: 10)], notes: ["one"]))
    let summary = accumulator.summary()
    #expect(summary.files == [PageIn(path: "/a", isOwn: true, pages: 10)])
    #expect(summary.faulted == nil)
    #expect(summary.notes == ["one"])
  }

  private func file(_ path: String, _ pages: Int, faulted: Int) -> PageIn {
    PageIn(path: path, isOwn: true, pages: pages, faulted: faulted, readAhead: pages - faulted)
  }
}
