import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Rendering
@testable import Stages

@Suite struct PageInTableTests {
  private static let files: [PageIn] =
    [
      PageIn(
        path: "/usr/bin/perl",
        isOwn: true,
        pages: 412,
        faulted: 38,
        readAhead: 374,
        wait: Nanoseconds(12_345_678)
      ),
      PageIn(path: "/lib/x86_64-linux-gnu/libc.so.6", isOwn: false, pages: 7),
      PageIn(path: "/opt/none", isOwn: false, pages: 0, faulted: 0, readAhead: 0),
    ]
    + (1...14).map { number in
      PageIn(
        path: "/opt/tool/share/a/very/long/path/\(number)/file.pm",
        isOwn: true,
        pages: 20 + number,
        faulted: number,
        readAhead: 20,
        wait: Nanoseconds(Int64(number % 3) * 100_000)
      )
    }

  @Test(arguments: [60, 120])
  func `shows the files with the most pages`(width: Int) throws {
    let lines = PageInTable(Self.files).lines(style: TextStyle(width: width))
    #expect(lines.allSatisfy { $0.count <= width })
    try SampleStages.expectSnapshot(
      lines.joined(separator: "\n") + "\n",
      named: "\(width)",
      suite: "PageInTable"
    )
  }

  @Test func `shows all files when asked to`() {
    let table = PageInTable(Self.files, showsAll: true)
    #expect(table.lines(style: TextStyle(width: .max)).count == 18)
    #expect(table.markdown.count == 18)
    let last = table.markdown.last?.split(separator: "|").map { $0.filter { $0 != " " } }
    #expect(last == ["7", "–", "–", "–", "", #"/lib/x86\_64-linux-gnu/libc.so.6"#])
  }

  @Test func `is empty when nothing came in`() {
    let unread = PageIn(path: "/x", isOwn: true, pages: 0)
    #expect(PageInTable([unread]).lines(style: TextStyle()).isEmpty)
    #expect(PageInTable([]).markdown.isEmpty)
  }
}
