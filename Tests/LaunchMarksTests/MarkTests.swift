import Foundation
import Glibc
import LabTestSupport
import Testing

@testable import LaunchCore

@Suite(.temporaryDirectory, .enabled(if: Workbench.has("cc"), "needs a C compiler, cc"))
struct MarkTests {
  private var path: String { "\(TemporaryDirectory.path)/events" }

  @Test func `lays the file out as the probe does`() throws {
    try Workbench.compile("layout.c", ["-std=c11", "-I\(Workbench.wire)"])
  }

  @Test func `keeps the first 255 bytes of a name, and errno`() throws {
    let program = try Workbench.compile("names.c")
    let file = try MarksFile(at: path)
    #expect(try Workbench.run([program], events: path).stdout == "77\n")
    let names = try file.events().map(\.text)
    #expect(
      names == [
        "", "", String(repeating: "a", count: 255),
        "a" + String(repeating: "é", count: 127), "",
      ]
    )
  }

  @Test func `cuts no character in two`() throws {
    let program = try Workbench.compile("names.c", ["-DSHIFTED"])
    let file = try MarksFile(at: path)
    _ = try Workbench.run([program], events: path)
    #expect(try file.events()[3].text == "aa" + String(repeating: "é", count: 126))
  }

  @Test func `leaves names out when there is no room for their text`() throws {
    let program = try Workbench.compile("program.c")
    let file = try MarksFile(at: path, textCapacity: 20)
    #expect(try Workbench.run([program], events: path).lines == TaskTests.printed)
    let names = try file.events().map(\.text)
    #expect(names.prefix(2) == ["pre_main", "settings"])
    #expect(names.contains(""))
  }

  @Test func `tells a child from its parent`() throws {
    let program = try Workbench.compile("forks.c")
    let file = try MarksFile(at: path)
    let pids = try Workbench.run([program], events: path).stdout.split { $0.isWhitespace }
      .compactMap { Int32($0) }
    let events = try file.events()
    #expect(events.map(\.text) == ["before", "parent's", "child", "after"])
    #expect(events.map(\.pid) == [pids[0], pids[0], pids[1], pids[0]])
    #expect(events[1].end == nil)
  }

  @Test func `is silent without the variable`() throws {
    let program = try Workbench.compile("program.c")
    let file = try MarksFile(at: path)
    let before = try Data(contentsOf: URL(filePath: path))
    let expected = Workbench.Run(stdout: TaskTests.printed.joined(separator: "\n") + "\n")
    #expect(try Workbench.run([program]) == expected)
    #expect(try Workbench.run([program], events: "") == expected)
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    #expect(try file.events().isEmpty)
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable (String) throws -> Void
  }

  static let damages = [
    Damage(testDescription: "no file", make: { _ in }),
    Damage(testDescription: "an empty file", make: { try Data().write(to: URL(filePath: $0)) }),
    Damage(
      testDescription: "a foreign file",
      make: { try Data(repeating: 65, count: 8_192).write(to: URL(filePath: $0)) }
    ),
    Damage(testDescription: "half a header", make: { try truncate($0, to: 128) }),
    Damage(testDescription: "half the events", make: { try truncate($0, to: 1_000) }),
    Damage(testDescription: "not all of the text", make: { try truncate($0, to: 256 + 64 * 40) }),
    Damage(
      testDescription: "a count of events beyond every size",
      make: { path in
        var bytes = Data(try MarksFile(at: path).bytes())
        bytes.replaceSubrange(8..<16, with: repeatElement(0xff, count: 8))
        try bytes.write(to: URL(filePath: path))
      }
    ),
    Damage(
      testDescription: "a directory",
      make: {
        try FileManager.default.createDirectory(
          atPath: $0,
          withIntermediateDirectories: false
        )
      }
    ),
    Damage(
      testDescription: "a pipe",
      make: { _ = try Workbench.run(["/usr/bin/env", "mkfifo", $0]) }
    ),
    Damage(
      testDescription: "a symbolic link",
      make: { path in
        _ = try MarksFile(at: path + ".real")
        try FileManager.default.createSymbolicLink(
          atPath: path,
          withDestinationPath: path + ".real"
        )
      }
    ),
  ]

  private static func truncate(_ path: String, to count: Int) throws {
    let bytes = try MarksFile(at: path).bytes()
    try Data(bytes.prefix(count)).write(to: URL(filePath: path))
  }

  @Test(arguments: damages)
  func `stays off when the file is not what it should be`(_ damage: Damage) throws {
    try damage.make(path)
    let regular = [path, path + ".real"].filter { FileManager.default.contents(atPath: $0) != nil }
    let before = regular.map { FileManager.default.contents(atPath: $0) }
    let program = try Workbench.compile("program.c")
    let run = try Workbench.run([program], events: path)
    #expect(run == Workbench.Run(stdout: TaskTests.printed.joined(separator: "\n") + "\n"))
    #expect(regular.map { FileManager.default.contents(atPath: $0) } == before)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can make a program run with other rights"))
  func `stays off in a program with more rights than its caller`() throws {
    let program = try Workbench.compile("secure.c")
    let file = try MarksFile(at: path)
    let open: [FileAttributeKey: Any] = [.posixPermissions: 0o666]
    try FileManager.default.setAttributes(open, ofItemAtPath: path)
    #expect(try Workbench.run([program], events: path).stdout == "0\n")
    #expect(try file.events().count == 1)

    let nobody: [FileAttributeKey: Any] = [.ownerAccountID: 65_534]
    try FileManager.default.setAttributes(nobody, ofItemAtPath: program)
    let special: [FileAttributeKey: Any] = [.posixPermissions: 0o4755]
    try FileManager.default.setAttributes(special, ofItemAtPath: program)
    #expect(try Workbench.run([program], events: path).stdout == "1\n")
    #expect(try file.events().count == 1)
  }
}
