import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct OwnershipTests {
  private var root: String { TemporaryDirectory.path }

  /// Files that are on every machine that tests run on, with packages of our own invention.
  private func learnt(
    _ files: [(path: String, source: String?, isProgram: Bool)]
  ) throws
    -> LearntFiles
  {
    LearntFiles(
      files: try files.map { path, source, isProgram in
        let status = try #require(DiskUse.status(of: FilePath(path)), "\(path)")
        return LearntFiles.File(
          path: path,
          package: source.map { InstalledPackage(name: "\($0)-bin", source: $0) },
          program: isProgram ? LearntFiles.Identity(status) : nil
        )
      },
      mainProgram: files.last(where: \.isProgram)?.path ?? "",
      notes: []
    )
  }

  private func own(
    _ learnt: LearntFiles,
    command: [String] = ["tool"],
    files: [String] = [],
    rule: OwnRule? = nil
  ) -> [String] {
    let target = Target(name: "t", command: command, directory: "/", files: files, own: rule)
    return Ownership(of: target, directories: ["/"]).files(of: learnt, home: nil)
      .filter(\.isOwn).map { $0.path.replacing(root, with: "") }
  }

  /// A launch of `nice tool`, whose library is of the same source, and which reads files of all kinds.
  private func sample() throws -> LearntFiles {
    try TestMachine.shell(
      "mkdir -p app/bin app/share data; touch app/bin/tool app/share/a data/b data/c.log",
      in: root
    )
    return try learnt([
      ("/usr/bin/nice", "coreutils", true),
      ("/usr/bin/cat", "coreutils", false),
      ("/usr/bin/env", "tool", false),
      ("/etc/passwd", nil, false),
      ("/usr/bin/id", "glibc", false),
      ("\(root)/app/share/a", nil, false),
      ("\(root)/data/b", nil, false),
      ("\(root)/data/c.log", nil, false),
      ("/usr/bin/perl", "tool", true),
    ])
  }

  @Test func `owns programs, what is built with them, and what is outside the system`() throws {
    #expect(
      own(try sample()) == [
        "/usr/bin/nice", "/usr/bin/env", "/app/share/a", "/data/b", "/data/c.log", "/usr/bin/perl",
      ]
    )
  }

  @Test func `owns all of an everyday tool that is the target itself`() throws {
    let learnt = try learnt([
      ("/usr/bin/cat", "coreutils", true), ("/usr/bin/id", "coreutils", false),
    ])
    #expect(own(learnt) == ["/usr/bin/cat", "/usr/bin/id"])
  }

  @Test func `never owns the C library, but for its programs`() throws {
    let learnt = try learnt([
      ("/usr/bin/cat", "glibc", true), ("/usr/bin/id", "glibc", false),
    ])
    #expect(own(learnt) == ["/usr/bin/cat"])
  }

  @Test func `owns what is below the prefix of a program`() throws {
    try TestMachine.shell("mkdir -p app/bin app/share; touch app/bin/tool app/share/a", in: root)
    let learnt = try learnt([
      ("/usr/bin/cat", "coreutils", false), ("\(root)/app/share/a", "other", false),
      ("\(root)/app/bin/tool", "other", true),
    ])
    #expect(own(learnt, rule: .prefix) == ["/app/share/a", "/app/bin/tool"])
    #expect(SystemPlaces.prefix(of: "/usr/bin/cat") == nil)
    #expect(SystemPlaces.prefix(of: "/usr/local/bin/postgres") == "/usr/local")
  }

  @Test func `owns all or nothing by the other rules`() throws {
    let learnt = try sample()
    #expect(own(learnt, rule: .all).count == learnt.files.count)
    #expect(own(learnt, rule: .listed).isEmpty)
  }

  @Test func `owns what the command names, whatever it is of`() throws {
    let learnt = try learnt([
      ("/etc/passwd", nil, false), ("/etc/group", nil, false), ("/usr/bin/perl", "perl", true),
    ])
    let command = ["perl", "--file=/etc/passwd:/etc/none"]
    #expect(own(learnt, command: command) == ["/etc/passwd", "/usr/bin/perl"])
    #expect(own(learnt, command: ["perl", "/etc"]) == ["/usr/bin/perl"])
  }

  @Test func `lets the last entry of files decide`() throws {
    let files = ["/etc/*", "!/etc/group", "!\(root)/**/*.log"]
    #expect(
      own(try sample(), files: files) == [
        "/usr/bin/nice", "/usr/bin/env", "/etc/passwd", "/app/share/a", "/data/b", "/usr/bin/perl",
      ]
    )
  }

  @Test func `tells why, for every file`() throws {
    let target = Target(name: "t", command: ["tool"], directory: "/")
    let files = Ownership(of: target, directories: []).files(of: try sample(), home: nil)
    #expect(
      files.map(\.reason) == [
        "executed", "of another package", "built with a program", "of the system",
        "of another package", "outside the system's directories",
        "outside the system's directories",
        "outside the system's directories", "executed",
      ]
    )
    #expect(files.first?.package == "coreutils-bin")
  }

  @Test(arguments: [
    ("/usr/lib/x86_64-linux-gnu", true), ("/usr/local", true), ("/usr", true), ("/", true),
    ("/usr/share", true), ("/tmp", true), ("/usr/lib/git-core", false), ("/usr/bin/perl", false),
  ])
  func `knows the directories that many programs share`(path: String, isShared: Bool) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    #expect(SystemPlaces.isShared(FilePath(path)) == isShared)
  }
}
