import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import Rendering
@testable import Stages

@Suite struct LoaderLogReportTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    var options = LoaderLogOptions()
    var testDescription: String { name }

    var result: LoaderLogResult {
      LoaderLog.parse(Array(text.utf8), name: "log.txt", options: options)
    }
  }

  static let cases = [
    Case(
      name: "summary",
      text: """
        Total pre-main time: 134.65 milliseconds (100.0%)
                 dylib loading time: 153.07 milliseconds (113.6%)
                rebase/binding time: 126687488.9 seconds (385169234.4%)
                    ObjC setup time:   7.82 milliseconds (5.8%)
                   initializer time:  25.36 milliseconds (18.8%)
                   slowest intializers :
                     libSystem.B.dylib :   2.15 milliseconds (1.5%)
                              小帮快送 : 3.4 seconds (120.7%)

        """
    ),
    Case(
      name: "glibc",
      text: """
              18921:\t
              18921:\truntime linker statistics:
              18921:\t  total startup time in dynamic loader: 84338 cycles
              18921:\t            time needed for relocation: 12147 cycles (14.4%)
              18921:\t                 number of relocations: 83
              18921:\t      number of relocations from cache: 7
              18921:\t        number of relative relocations: 3
              18921:\t           time needed to load objects: 10478 cycles (12.4%)
              18921:\t
              18921:\tcalling init: /lib/libc.so.6

        """,
      options: LoaderLogOptions(glibc: GlibcVersion(2, 36), cyclesPerSecond: 2.6e9)
    ),
    Case(
      name: "imports",
      text: """
        import time: self [us] | cumulative | imported package
        import time:        29 |         29 |   _codecs
        import time:       191 |        220 | codecs

        """
    ),
    Case(
      name: "nested imports",
      text: "import time: self [us] | cumulative | imported package\n"
        + (1...30).map { "import time: \($0) | \($0) |   m\($0)\n" }.joined()
        + "import time: 7 | 472 | app\nimport time: 1 | 1 | site\n"
    ),
    Case(
      name: "node",
      text: #"{"nodeStart":2.23,"v8Start":4.5,"bootstrapComplete":54.17,"loopExit":-1,"#
        + #""idleTime":0,"duration":60.1}"# + "\n"
    ),
    Case(
      name: "strace",
      text: """
        1795219254.000001 execve("/bin/a", [], 0x7f) = 0
        1795219254.000011 wait4(-1, NULL, 0, NULL) = 11 <0.000029>
        1795219254.000051 exit_group(0) = ?

        """
    ),
    Case(
      name: "classes",
      text: "[0.012s] a.B source: shared objects file\n[0.013s] a.C source: jrt:/java.base\n"
        + "[0.014s] a.D source: shared objects file\n"
    ),
    Case(name: "nothing", text: "hello\n"),
  ]

  @Test(arguments: cases)
  func `writes tables`(_ example: Case) throws {
    let text = LoaderLogText(example.result).rendered(style: TextStyle(width: 80))
    try expectSnapshot(text, named: example.name, suite: "LoaderLogText")
  }

  @Test(arguments: cases)
  func `writes JSON`(_ example: Case) throws {
    let text = LoaderLogJSON(example.result).rendered()
    try expectSnapshot(text, named: example.name, suite: "LoaderLogJSON")
  }

  @Test(arguments: cases)
  func `writes JSON that another parser reads`(_ example: Case) throws {
    let text = LoaderLogJSON(example.result).rendered()
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let root = try #require(object as? [String: Any])
    #expect(root["schema"] as? String == "launchlab.stages/1")
    #expect((root["blocks"] as? [[String: Any]])?.count == example.result.blocks.count)
  }

  @Test func `gives a wrapped time as null`() throws {
    let text = LoaderLogJSON(Self.cases[0].result).rendered()
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let root = try #require(object as? [String: Any])
    let blocks = try #require(root["blocks"] as? [[String: Any]])
    let stages = try #require(blocks[0]["stages"] as? [[String: Any]])
    #expect(stages[1]["ns"] is NSNull)
    #expect(stages[1]["flags"] as? [String] == ["wrapped"])
    #expect(stages[0]["ns"] as? Int == 153_070_000)
    #expect(blocks[0]["lines"] as? [Int] == [1, 8])
  }

  @Test func `shows no control characters of a name`() {
    let text =
      "Total pre-main time: 1.2 seconds (100.0%)\nslowest intializers :\n"
      + " \u{1B}[31mred : 1.2 seconds (100.0%)\n"
    let result = LoaderLog.parse(Array(text.utf8), name: "log\u{7}")
    let shown = LoaderLogText(result).rendered(style: TextStyle())
    #expect(result.blocks[0].images.count == 1)
    #expect(!shown.contains("\u{1B}") && !shown.contains("\u{7}"))
  }
}
