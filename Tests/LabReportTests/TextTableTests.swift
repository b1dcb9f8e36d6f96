import Testing

@testable import Rendering

@Suite struct TextTableTests {
  private func lines(_ columns: [TextTable.Alignment], _ rows: [[String]]) -> [String] {
    TextTable(columns: columns, rows: rows.map { $0.map { TextTable.Cell($0) } })
      .lines(style: TextStyle())
  }

  @Test func `puts decimal points below each other`() {
    let table = lines([.decimal, .left], [["2.613 ms", "a"], ["235.4 µs", "b"], ["–", "c"]])
    #expect(table == ["  2.613 ms  a", "235.4 µs    b", "         –  c"])
  }

  @Test func `counts columns, not characters`() {
    #expect(lines([.left, .left], [["日本", "x"], ["größe", "y"]]) == ["日本   x", "größe  y"])
  }

  @Test func `leaves no space at the end of a line`() {
    #expect(
      lines([.left, .left], [["long name", ""], ["a", "b"]]) == ["long name", "a          b"]
    )
  }

  @Test func `cuts a wide text at its columns`() {
    #expect("日本語".truncated(to: 5) == "日本…")
    #expect("short".truncated(to: 5) == "short")
  }

  @Test func `breaks lines between words only`() {
    let style = TextStyle(width: 10)
    #expect(
      style.wrapped("one two three /a/very/long/path", indent: 2)
        == ["one two", "  three", "  /a/very/long/path"]
    )
  }
}
