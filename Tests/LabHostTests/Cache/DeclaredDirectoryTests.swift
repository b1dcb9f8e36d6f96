import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct DeclaredDirectoryTests {
  private var root: String { TemporaryDirectory.path }

  @Test(arguments: [
    "/", "/usr", "/usr/lib", "/usr/lib/git-core", "/usr/bin", "/usr/local", "/usr/local/bin",
    "/etc",
    "/etc/ssl", "/bin", "/lib", "/lib64", "/var", "/var/lib", "/boot", "/opt", "/srv", "/tmp",
    "/usr/../usr/lib", "/usr/lib/..", "/tmp/..", "/./", "/usr/bin/.",
  ])
  func `refuses the directories of the system`(path: String) throws {
    let refusal = DeclaredDirectory(FilePath(path), role: .state).refusal(amid: Self.nowhere)
    // A link such as /bin, or a mount such as /tmp, is refused as what it is.
    let allowed: [DirectoryRefusal] = [.systemDirectory, .symbolicLink, .mountPoint, .missing]
    #expect(allowed.contains { $0 == refusal })
  }

  @Test(arguments: ["/usr/local/share/app", "/opt/app", "/var/lib/redis", "/srv/www"])
  func `rewrites a target's own directory below them, and empties it with a permit only`(
    path: String
  ) {
    #expect(Self.nowhere.refusal(of: FilePath(path), role: .install) == nil)
    #expect(Self.nowhere.refusal(of: FilePath(path), role: .state) == .notAllowed(path))
  }

  @Test(arguments: DeclaredDirectory.Role.allCases)
  func `keeps to directories that no package manager or home has`(
    role: DeclaredDirectory.Role
  ) throws {
    let surroundings = Surroundings(home: "/people/me", workingDirectory: "/nonexistent", kept: [:])
    func refusal(_ path: String) -> DirectoryRefusal? {
      surroundings.refusal(of: FilePath(path), role: role)
    }
    #expect(refusal("/var/lib/dpkg/info") == .packageManager("/var/lib/dpkg"))
    #expect(refusal("/var/cache/apt/archives") == .packageManager("/var/cache/apt"))
    #expect(refusal("/srv/chroot/var/lib/rpm") == .packageManager("/var/lib/rpm"))
    #expect(refusal("/people/me") == .homeDirectory)
    #expect(refusal("/people/me/.cache") == .homeEntry("/people/me"))
    let other = try #require(NSHomeDirectoryForUser("root"))
    #expect(refusal("\(other)/.ssh") == .homeEntry(other))
    #expect(
      refusal("/people/me/.cache/app")
        == (role == .state ? .notAllowed("/people/me/.cache/app") : nil)
    )
  }

  @Test func `empties what lies below the scenario, unless that lies in a home itself`() throws {
    try TestMachine.shell("mkdir -p home/lab", in: root)
    func refusal(_ name: String, scenario: String) -> DirectoryRefusal? {
      Surroundings(
        home: FilePath("\(root)/home"),
        workingDirectory: "/nonexistent",
        kept: [:],
        roots: [FilePath(scenario)]
      ).refusal(of: FilePath(name), role: .state)
    }
    #expect(refusal("\(root)/home/lab/cache", scenario: "\(root)/home/lab") == nil)
    #expect(refusal("\(root)/home/x", scenario: "\(root)/home") == .homeEntry("\(root)/home"))
    #expect(refusal("/opt/app", scenario: "/opt") == .notAllowed("/opt/app"))
    #expect(refusal("/opt/app", scenario: "/") == .notAllowed("/opt/app"))
    #expect(refusal("/opt/lab/state", scenario: "/opt/lab") == .notAllowed("/opt/lab/state"))
  }

  private static var nowhere: Surroundings {
    Surroundings(home: nil, workingDirectory: "/nonexistent", kept: [:])
  }

  @Test func `refuses what holds something that must stay`() throws {
    try TestMachine.shell("mkdir -p a/home a/work a/scenario a/store a/app", in: root)
    let surroundings = Surroundings(
      home: FilePath("\(root)/a/home"),
      workingDirectory: FilePath("\(root)/a/work"),
      kept: [
        "the scenario": FilePath("\(root)/a/scenario"), "the store": FilePath("\(root)/a/store"),
      ]
    )
    func refusal(_ name: String) -> DirectoryRefusal? {
      DeclaredDirectory(FilePath("\(root)/\(name)"), role: .state).refusal(amid: surroundings)
    }
    #expect(refusal("a/home") == .homeDirectory)
    #expect(refusal("a") == .homeDirectory)
    #expect(refusal("a/work") == .holds(what: "the working directory", path: "\(root)/a/work"))
    #expect(refusal("a/scenario") == .holds(what: "the scenario", path: "\(root)/a/scenario"))
    #expect(refusal("a/app/../store") == .holds(what: "the store", path: "\(root)/a/store"))
    #expect(refusal("a/app") == nil)
    #expect(refusal("a/home/.cache") == .homeEntry("\(root)/a/home"))
    #expect(refusal("a/home/.cache/app") == nil)
  }

  @Test func `refuses links, files and what is missing`() throws {
    try TestMachine.shell("mkdir real; ln -s real link; touch file; ln -s nowhere broken", in: root)
    func refusal(_ name: String, _ role: DeclaredDirectory.Role) -> DirectoryRefusal? {
      DeclaredDirectory(FilePath("\(root)/\(name)"), role: role).refusal(amid: Self.nowhere)
    }
    #expect(refusal("link", .state) == .symbolicLink)
    #expect(refusal("broken", .state) == .symbolicLink)
    #expect(refusal("file", .install) == .notADirectory)
    #expect(refusal("missing", .install) == .missing)
    #expect(refusal("missing", .state) == nil)
    #expect(refusal("link/inner", .state) == nil)
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `refuses a mount point, of the same file system too`() throws {
    try TestMachine.shell("mkdir a b; mount --bind a b", in: root)
    defer { _ = try? TestMachine.shell("umount b", in: root) }
    let declared = DeclaredDirectory(FilePath("\(root)/b"), role: .install)
    #expect(declared.refusal(amid: Self.nowhere) == .mountPoint)
  }

  @Test func `says what is wrong, where, and what to do`() {
    let declared = DeclaredDirectory("/etc", role: .install)
    #expect(
      declared.refused(.systemDirectory).diagnostics.map(\.description) == [
        """
        error: cannot use "/etc" as an `install` directory: it belongs to the system
          at: /etc
          help: use a directory of the target's own
        """
      ]
    )
  }
}
