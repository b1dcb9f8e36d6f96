import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

/// Declared directories that another user has led somewhere else, or could.
@Suite(.temporaryDirectory, .enabled(if: TestMachine.isRoot, "chown takes root"))
struct ForeignWayTests {
  private var root: String { TemporaryDirectory.path }

  private func refusal(
    _ path: String,
    _ role: DeclaredDirectory.Role = .state
  ) -> DirectoryRefusal? {
    DeclaredDirectory(FilePath("\(root)/\(path)"), role: role).ownerRefusal
  }

  @Test(arguments: [DeclaredDirectory.Role.state, .install])
  func `follows no link of another user, nor one that he may have moved`(
    role: DeclaredDirectory.Role
  ) throws {
    try TestMachine.shell(
      """
      mkdir -p data/a ud; mkdir -m 1777 shared; touch data/a/file
      ln -s \(root)/data ud/link; ln -s \(root)/data shared/link; chown -h 65534 ud ud/link
      """,
      in: root
    )
    let way = PlaceRefusal.way("\(root)/ud", owner: "nobody")
    #expect(refusal("ud/link/a", role) == .foreign(path: "\(root)/ud/link", way))
    #expect(
      refusal("shared/link/a", role) == .foreign(path: "\(root)/shared/link", .symbolicLink)
    )
    for path in ["ud/link/a", "shared/link/a"] {
      let declared = DeclaredDirectory(FilePath("\(root)/\(path)"), role: role)
      let state = PrivateDirectory(declared, template: nil)
      #expect(state.check(amid: Self.nowhere).count == 1)
      #expect(Reinstaller(directory: declared).check(amid: Self.nowhere).count == 1)
    }
    #expect(try TestMachine.shell("ls data/a", in: root) == "file")
  }

  @Test func `takes a way that nobody else can change, its links and its way up too`() throws {
    try TestMachine.shell(
      "mkdir -p real/a app; mkdir -m 1777 shared; mkdir shared/a; ln -s real link",
      in: root
    )
    for path in ["link/a", "link/missing", "app/../link/a", "shared/a", "shared/missing"] {
      #expect(refusal(path) == nil, "\(path)")
    }
    let declared = DeclaredDirectory(FilePath("\(root)/app/../link/a"), role: .state)
    #expect(declared.path.string == "\(root)/real/a")
  }

  @Test(arguments: [
    (script: "chown 65534 way", refused: true), (script: "chmod 777 way", refused: true),
    (script: "chgrp 65534 way; chmod 775 way", refused: true),
    (script: "chmod 1777 way; chown 65534 way/a", refused: true),
    (script: "chmod 1777 way", refused: false), (script: "chown 65534 way/a", refused: false),
    (script: "chmod 775 way", refused: false),
  ])
  func `looks at who may exchange what is on the way`(script: String, refused: Bool) throws {
    try TestMachine.shell("mkdir -p way/a; \(script)", in: root)
    #expect((refusal("way/a") != nil) == refused)
  }

  @Test func `copies no template that another user leads to`() throws {
    try TestMachine.shell(
      """
      mkdir -p secret ud state; echo secret > secret/file; ln -s \(root)/secret ud/link
      mkdir own; ln -s secret link; chown -h 65534 ud ud/link own
      """,
      in: root
    )
    let declared = DeclaredDirectory(FilePath("\(root)/state"), role: .state)
    func template(_ name: String) -> PrivateDirectory {
      PrivateDirectory(declared, template: FilePath("\(root)/\(name)"))
    }
    #expect(throws: HostError.self) { try template("ud/link").reset() }
    #expect(try TestMachine.shell("ls state", in: root) == "")
    // One of the user that a target runs as, in a directory of root's.
    try template("own").reset()
    try template("link").reset()
    #expect(try TestMachine.shell("ls state", in: root) == "file")
  }

  @Test func `empties nothing elsewhere while another user swaps links on the way`() throws {
    try TestMachine.shell(
      """
      chmod 755 .; mkdir -m 1777 shared; mkdir -p victim/a; echo precious > victim/a/file
      mkdir -p kit/ud/a; ln -s \(root)/victim kit/link; mkdir kit/away; chown -hR 65534 kit
      """,
      in: root
    )
    let digest = try TestMachine.digest(of: "\(root)/victim")
    let attacker = Process()
    attacker.executableURL = URL(filePath: "/usr/bin/setpriv")
    attacker.currentDirectoryURL = URL(filePath: root)
    attacker.arguments = [
      "--reuid=65534", "--regid=65534", "--clear-groups", "perl", "-e",
      """
      for (my $turns = 0; $turns < 10_000 || !-e "stop"; $turns++) {
        rename "kit/ud", "shared/ud"; rename "shared/ud", "kit/ud";
        rename "kit/link", "shared/ud"; rename "shared/ud", "kit/link";
      }
      """,
    ]
    try attacker.run()
    for _ in 1...200 {
      for role in [DeclaredDirectory.Role.state, .install] {
        let declared = DeclaredDirectory(FilePath("\(root)/shared/ud/a"), role: role)
        try? PrivateDirectory(declared, template: nil).reset()
        _ = try? Reinstaller(directory: declared).reinstall()
      }
    }
    #expect(attacker.isRunning)
    try TestMachine.shell("touch stop", in: root)
    attacker.waitUntilExit()
    #expect(attacker.terminationStatus == 0)
    #expect(try TestMachine.digest(of: "\(root)/victim") == digest)
  }

  private static var nowhere: Surroundings {
    Surroundings(home: nil, workingDirectory: "/nonexistent", kept: [:])
  }
}
