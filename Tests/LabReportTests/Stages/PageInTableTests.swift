import LabReport
import LabTestSupport
import Testing

@Suite struct PageInTableTests {
  private static let files: [PageInTable.File] =
    [
      ("/usr/bin/perl", true, 412, 38, 374),
      ("/lib/x86_64-linux-gnu/libc.so.6", false, 7, nil, nil),
      ("/opt/none", false, 0, 0, 0),
    ]
    + (1...14).map { number in
      ("/opt/tool/share/a/very/long/path/\(number)/file.pm", true, 20 + number, number, 20)
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
    #expect(last == ["7", "–", "–", "", #"/lib/x86\_64-linux-gnu/libc.so.6"#])
  }

  @Test func `is empty when nothing came in`() {
    #expect(PageInTable([("/x", true, 0, nil, nil)]).lines(style: TextStyle()).isEmpty)
    #expect(PageInTable([]).markdown.isEmpty)
  }
}
