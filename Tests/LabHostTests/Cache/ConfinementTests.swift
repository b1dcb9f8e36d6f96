import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

/// Tries to make launchlab write or remove outside of a declared directory.
@Suite(.temporaryDirectory) struct ConfinementTests {
  private var root: String { TemporaryDirectory.path }

  struct Attack: CustomTestStringConvertible, Sendable {
    let name: String

    /// Made before the check, in a directory that holds `victim` and `declared`.
    var before = ":"

    /// Made between the check and the use.
    var between = ":"

    /// The tree that must stay as it is.
    var victim = "victim"

    /// What ends the attack, so that the directory can be removed.
    var after = ":"
    var testDescription: String { name }
  }

  static let attacks = [
    Attack(name: "link to a directory", before: "ln -s ../victim declared/sub"),
    Attack(name: "absolute link to a directory", before: "ln -s $PWD/victim declared/sub"),
    Attack(name: "link to a file", before: "ln -s ../victim/file declared/file"),
    Attack(name: "chain of links", before: "ln -s b declared/a; ln -s ../victim declared/b"),
    Attack(name: "link to the parent", before: "ln -s .. declared/sub"),
    Attack(name: "link to /", before: "ln -s / declared/sub"),
    Attack(name: "hard link", before: "ln victim/file declared/file"),
    Attack(
      name: "directory becomes a link",
      before: "mkdir declared/sub; echo x > declared/sub/file",
      between: "rm -r declared/sub; ln -s ../victim declared/sub"
    ),
    Attack(
      name: "file becomes a link",
      before: "echo x > declared/file",
      between: "ln -sf ../victim/file declared/file"
    ),
    Attack(
      name: "declared directory becomes a link",
      between: "mv declared moved; ln -s victim declared"
    ),
    Attack(
      name: "parent becomes a link",
      before: "mkdir elsewhere; ln -s ../victim elsewhere/declared",
      between: "mkdir far; mv declared far/; ln -s victim/nest declared"
    ),
    Attack(
      name: "leftover is a link",
      before: "ln -s ../victim/file declared/.launchlab-1-2.tmp"
    ),
    Attack(name: "declared directory is a link", before: "rm -r declared; ln -s victim declared"),
    Attack(name: "declared directory vanishes", between: "rm -r declared"),
    Attack(
      name: "declared directory becomes a file",
      between: "rm -r declared; echo x > declared"
    ),
  ]

  static let mountAttacks = [
    Attack(
      name: "bind mount below",
      before: "mkdir declared/sub; mount --bind victim declared/sub",
      after: "umount declared/sub"
    ),
    Attack(
      name: "bind mount below, late",
      before: "mkdir declared/sub",
      between: "mount --bind victim declared/sub",
      after: "umount declared/sub"
    ),
    Attack(
      name: "bind mount of a file",
      before: "touch declared/f; mount --bind victim/file declared/f",
      after: "umount declared/f"
    ),
    Attack(
      name: "bind mount in place",
      before: "mount --bind victim declared",
      after: "umount declared"
    ),
    Attack(
      name: "bind mount in place, late",
      between: "mount --bind victim declared",
      after: "umount declared"
    ),
    Attack(
      name: "nested file system",
      before: "mkdir declared/sub; mount -t tmpfs none declared/sub; echo x > declared/sub/file",
      after: "test -s declared/sub/file; umount declared/sub"
    ),
  ]

  @Test(arguments: attacks)
  func `leaves a victim alone`(_ attack: Attack) throws { try withstand(attack) }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"), arguments: mountAttacks)
  func `leaves a victim behind a mount alone`(_ attack: Attack) throws { try withstand(attack) }

  private func withstand(_ attack: Attack) throws {
    for useReinstaller in [true, false] {
      let place = "\(root)/\(useReinstaller)"
      try TestMachine.shell("mkdir \(place)", in: root)
      try TestMachine.shell(
        """
        mkdir -p victim/nest victim/nest/declared declared; echo precious > victim/file
        echo precious > victim/nest/file; echo own > declared/own
        \(attack.before)
        """,
        in: place
      )
      let digest = try TestMachine.digest(of: "\(place)/\(attack.victim)")
      defer { _ = try? TestMachine.shell(attack.after, in: place) }
      let role = useReinstaller ? DeclaredDirectory.Role.install : .state
      let declared = DeclaredDirectory(FilePath("\(place)/declared"), role: role)
      let reinstaller = Reinstaller(directory: declared)
      let privateDirectory = PrivateDirectory(declared, template: nil)
      _ =
        useReinstaller
        ? reinstaller.check(amid: surroundings) : privateDirectory.check(amid: surroundings)
      try TestMachine.shell(attack.between, in: place)
      if useReinstaller {
        try? reinstaller.removeLeftovers()
        _ = try? reinstaller.reinstall()
      } else {
        try? privateDirectory.reset()
      }
      #expect(try TestMachine.digest(of: "\(place)/\(attack.victim)") == digest)
    }
  }

  private var surroundings: Surroundings {
    Surroundings(home: nil, workingDirectory: "/nonexistent", kept: [:])
  }

  @Test func `leaves a victim alone while another process swaps directories and links`() throws {
    try TestMachine.shell(
      """
      mkdir -p victim/deep declared/sub template/sub; echo precious > victim/file
      echo precious > victim/deep/file; echo new > template/sub/file
      """,
      in: root
    )
    let digest = try TestMachine.digest(of: "\(root)/victim")
    let swapper = Process()
    swapper.executableURL = URL(filePath: "/usr/bin/perl")
    swapper.currentDirectoryURL = URL(filePath: root)
    // It only renames what it made itself, so that nothing is written through a link by it.
    swapper.arguments = [
      "-e",
      """
      mkdir "stage";
      for my $i (1..600) {
        mkdir "stage/sub"; open(F, ">", "stage/sub/file"); print F "x"; close F;
        open(F, ">", "stage/file"); print F "x"; close F;
        rename "stage/sub", "declared/sub"; rename "stage/file", "declared/file";
        rename "declared/sub", "gone$i"; symlink "../victim", "stage/link";
        rename "stage/link", "declared/sub"; symlink "../victim/file", "stage/name";
        rename "stage/name", "declared/file"; rename "declared/sub", "lost$i";
        rename "declared", "away"; symlink "victim", "declared";
        unlink "declared"; rename "away", "declared";
      }
      """,
    ]
    try swapper.run()
    let install = DeclaredDirectory(FilePath("\(root)/declared"), role: .install)
    let state = DeclaredDirectory(FilePath("\(root)/declared"), role: .state)
    var attempts = 0
    while swapper.isRunning, attempts < 20_000 {
      attempts += 1
      _ = try? Reinstaller(directory: install).reinstall()
      try? PrivateDirectory(state, template: FilePath("\(root)/template")).reset()
    }
    swapper.waitUntilExit()
    #expect(attempts > 10)
    #expect(try TestMachine.digest(of: "\(root)/victim") == digest)
  }

  @Test func `cannot be led out by a name`() throws {
    try TestMachine.shell("mkdir -p outer/inner; echo precious > outer/file", in: root)
    let inner = try ConfinedDirectory(at: FilePath("\(root)/outer/inner"))
    #expect(throws: HostError.self) { _ = try inner.directory("..") }
    #expect(throws: HostError.self) { _ = try inner.open("..", 0) }
    #expect(try TestMachine.shell("ls outer", in: root) == "file\ninner")
  }
}
