import Foundation
import Glibc
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchHost

@Suite(.temporaryDirectory) struct ProtectedPlacesTests {
  private var root: String { TemporaryDirectory.path }

  /// A home that is a directory of the test.
  private var home: String { "\(root)/home" }

  private func refusal(_ name: String) -> DirectoryRefusal? {
    ProtectedPlaces(home: FilePath(home)).refusal(of: FilePath("\(root)/\(name)"))
  }

  private func shell(_ script: String) throws { try TestMachine.shell(script, in: root) }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `sees through a bind mount of what is protected`() throws {
    try shell("mkdir -p at home/.config/app; mount --bind /var/lib at")
    defer { _ = try? TestMachine.shell("umount at", in: root) }
    #expect(refusal("at") == .leadsTo("/var/lib"))
    #expect(refusal("at/dpkg") == .leadsTo("/var/lib/dpkg"))
    #expect(refusal("at/dpkg/info") == .leadsTo("/var/lib/dpkg/info"))
    #expect(refusal("at/launchlab-test") == nil)
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `sees through a bind mount of a part of it`() throws {
    try shell("mkdir -p at home/.config/app; mount --bind /usr/lib at")
    defer { _ = try? TestMachine.shell("umount at", in: root) }
    #expect(refusal("at/any/thing") == .leadsTo("/usr/lib/any/thing"))
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `sees through a bind mount of a home, and of all there is`() throws {
    try shell("mkdir -p at all home/.config; mount --bind home at; mount --bind / all")
    defer { _ = try? TestMachine.shell("umount at; umount all", in: root) }
    #expect(refusal("at") == .leadsTo(home))
    #expect(refusal("at/.config") == .leadsTo("\(home)/.config"))
    #expect(refusal("at/.config/app") == nil)
    #expect(refusal("all/etc/ssl") == .leadsTo("/etc/ssl"))
    #expect(refusal("all/opt/launchlab-test") == nil)
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `keeps what is mounted in a protected place from here`() throws {
    try shell("mkdir -p store/inner home/mail; mount --bind store/inner home/mail")
    defer { _ = try? TestMachine.shell("umount home/mail", in: root) }
    #expect(refusal("store") == .holds(what: "the protected", path: "\(home)/mail"))
    #expect(refusal("store/inner") == .leadsTo("\(home)/mail"))
    #expect(refusal("store/other") == nil)
  }

  @Test(.enabled(if: TestMachine.canMount, "mounting takes root"))
  func `takes nothing behind a mount for a part of the scenario's directory`() throws {
    try shell("mkdir -p lab/at other/state; mount --bind other lab/at")
    defer { _ = try? TestMachine.shell("umount lab/at", in: root) }
    let places = ProtectedPlaces(home: nil)
    #expect(!places.holds(FilePath("\(root)/lab"), FilePath("\(root)/lab/at/state")))
    #expect(places.holds(FilePath("\(root)/lab"), FilePath("\(root)/lab/state")))
  }

  // MARK: - Permits

  /// The refusal of a directory that may be emptied with a permit only.
  private func permitRefusal(_ name: String) -> DirectoryRefusal? {
    EmptyingPermit.refusal(of: FilePath("\(root)/\(name)"), amid: ProtectedPlaces(home: nil))
  }

  @Test func `allows a directory and those below it, but no copy of it`() throws {
    try shell("mkdir -p app/data")
    #expect(permitRefusal("app/data") == .notAllowed("\(root)/app/data"))
    let file = try EmptyingPermit.grant(for: "\(root)/app", home: nil)
    #expect(file == "\(root)/app/.launchlab-may-empty")
    #expect(permitRefusal("app") == nil)
    #expect(permitRefusal("app/data/new") == nil)
    try shell("cp -a app copy; mv app moved")
    let reason = "it was made for another directory"
    for name in ["copy", "moved"] {
      let permit = "\(root)/\(name)/.launchlab-may-empty"
      #expect(permitRefusal(name) == .badPermit(file: permit, reason: reason))
    }
  }

  struct Forgery: Sendable {
    var script: String
    var reason: String
  }

  @Test(arguments: [
    Forgery(script: "chmod 666 $permit", reason: "others may write to it"),
    Forgery(script: "ln $permit second", reason: "it is not a file of its own"),
    Forgery(
      script: "mv $permit real; ln -s ../real $permit",
      reason: "it cannot be opened, or is a link"
    ),
    Forgery(script: "echo >> $permit", reason: "it was made for another directory"),
    Forgery(script: "rm $permit; mkdir $permit", reason: "it is not a file of its own"),
  ])
  func `takes no permit that somebody else may have made`(forgery: Forgery) throws {
    try shell("mkdir app")
    let file = try EmptyingPermit.grant(for: "\(root)/app", home: nil)
    try shell("permit=app/.launchlab-may-empty; " + forgery.script)
    #expect(permitRefusal("app") == .badPermit(file: file, reason: forgery.reason))
  }

  @Test(.enabled(if: TestMachine.isRoot, "giving a file away takes root"))
  func `takes no permit of another user`() throws {
    try shell("mkdir app")
    let file = try EmptyingPermit.grant(for: "\(root)/app", home: nil)
    try shell("chown 65534 app/.launchlab-may-empty")
    let reason = "it belongs neither to you nor to root"
    #expect(permitRefusal("app") == .badPermit(file: file, reason: reason))
  }

  @Test(arguments: ["/etc", "/var/lib/dpkg", "/root", "/"])
  func `permits nothing that is protected`(path: String) {
    #expect(throws: HostError.self) { try EmptyingPermit.grant(for: path, home: nil) }
    #expect(!FileManager.default.fileExists(atPath: "\(path)/.launchlab-may-empty"))
  }

  @Test func `keeps the permit when it empties and fills the directory`() throws {
    try shell("mkdir -p app/sub template; touch app/old template/new")
    let file = try EmptyingPermit.grant(for: "\(root)/app", home: nil)
    let permit = try String(contentsOfFile: file, encoding: .utf8)
    try shell("echo other > template/.launchlab-may-empty; touch app/sub/.launchlab-may-empty")
    let directory = PrivateDirectory(
      DeclaredDirectory(FilePath("\(root)/app"), role: .state),
      template: FilePath("\(root)/template")
    )
    try directory.reset()
    try directory.reset()
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(root)/app")
    #expect(names.sorted() == [".launchlab-may-empty", "new"])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == permit)
  }
}
