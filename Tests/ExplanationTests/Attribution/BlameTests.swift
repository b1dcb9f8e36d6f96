import LaunchCore
import LaunchHost
import Testing

@testable import Explanation

@Suite("Who is to blame")
struct BlameTests {
  private func frame(_ function: String, _ file: String = "program") -> CodeFrame {
    CodeFrame(file: file, function: function)
  }

  private func reason(
    _ path: [String],
    hotPath: [String] = [],
    _ novelty: LaunchReason.Novelty = .more
  ) -> LaunchReason {
    SampleExplanation.reason(
      1,
      .ownCode,
      path,
      nil,
      nil,
      SampleExplanation.change(100, 900, within: 10),
      0.9,
      novelty,
      [],
      hotPath: hotPath
    )
  }

  @Test("is the changed function nearest to the leaf, also below the reason")
  func nearest() {
    let code = CodeDifference(changed: ["main", "bind_all", "other"].map { frame($0) })
    let path = ["main", "compile", "bind_all", "bind_one"]
    let expected = Blame(function: "bind_all", file: "program", change: .changed)
    #expect(code.blame(for: reason(path, hotPath: ["search"])) == expected)
    #expect(code.blame(for: reason(["main"], hotPath: ["bind_all", "search"])) == expected)
    #expect(code.blame(for: reason(["main", "load"]))?.function == "main")
    #expect(code.blame(for: reason(["_start", "load"])) == nil)
    #expect(code.blame(for: reason([])) == nil)
  }

  @Test("is where the unchanged program enters what is new")
  func new() {
    let code = CodeDifference(
      changed: [frame("main")],
      new: ["scan", "scan_one", "parse"].map { frame($0) },
      gone: [frame("cache"), frame("fill")]
    )
    let scan = code.blame(for: reason(["main", "scan"], hotPath: ["scan_one", "read"], .new))
    #expect(scan == Blame(function: "scan", file: "program", change: .new))
    let parse = code.blame(for: reason(["main", "scan", "each", "parse"], .new))
    #expect(parse?.function == "parse")
    let cache = code.blame(for: reason(["main", "cache", "fill"], .gone))
    #expect(cache == Blame(function: "cache", file: "program", change: .gone))
  }

  @Test("is no function of the same name in another file")
  func files() {
    let code = CodeDifference(changed: [frame("search", "libfind.so.1")])
    #expect(code.blame(for: reason(["main", "search"])) == nil)
  }

  @Test("compares functions by name, and says of what it knows nothing")
  func compared() {
    let before = ProgramCode(
      functions: ["main": 1, "same": 2, "old": 3, "unknown": nil],
      sections: [".rodata": 100, ".data": 8],
      libraries: ["libc.so.6", "libold.so"]
    )
    let after = ProgramCode(
      functions: ["main": 9, "same": 2, "added": 3, "unknown": 4],
      sections: [".rodata": 1_380, ".data": 8, ".init_array": 16],
      libraries: ["libnew.so", "libc.so.6"]
    )
    var code = CodeDifference()
    code.add(before, after, file: "program")
    #expect(code.changed == [frame("main")])
    #expect(code.new == [frame("added")] && code.gone == [frame("old")])
    #expect(code.sections.map(\.name) == [".rodata", ".init_array"])
    #expect(code.sections.map { $0.after - $0.before } == [1_280, 16])
    #expect(code.libraries.new == ["libnew.so"] && code.libraries.gone == ["libold.so"])
    #expect(code.uncompared.isEmpty && !code.isSameCode)

    // A stripped file says nothing about which functions there are.
    code = CodeDifference()
    code.add(before, ProgramCode(functions: [:], isComplete: false), file: "program")
    #expect(code.functions.isEmpty && code.uncompared == ["program"] && !code.isSameCode)
    code = CodeDifference()
    let exported = ProgramCode(functions: ["main": 9], isNamed: false, isComplete: false)
    code.add(before, exported, file: "program")
    #expect(code.changed == [frame("main")] && code.gone.isEmpty && code.new.isEmpty)
    code = CodeDifference()
    code.add(nil, after, file: "program")
    #expect(code.functions.isEmpty && code.uncompared == ["program"])
  }

  @Test("leaves what is not to blame as changed without time")
  func withoutTime() {
    var explanation = SampleExplanation.slower.explanation
    explanation.reasons = [reason(["main", "bind_all"], hotPath: ["search"])]
    explanation.add(
      CodeDifference(changed: [frame("bind_all"), frame("main")], new: [frame("usage")])
    )
    #expect(explanation.reasons[0].isBlamed)
    #expect(explanation.changedWithoutTime.map(\.function) == ["main", "usage"])
  }
}
