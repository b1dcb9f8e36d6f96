import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SubmoduleCheckoutTests {
  private var root: String { TemporaryDirectory.path }

  /// A repository with a submodule, in which there is another one.
  private func makeRepository() throws -> TestRepository {
    let inner = try TestRepository(at: "\(root)/inner")
    try inner.shell("add deep 1")
    let library = try TestRepository(at: "\(root)/library")
    try library.shell(
      """
      git -c protocol.file.allow=always submodule --quiet add ../inner nested/inner; add lib 1
      """
    )
    let repository = try TestRepository(at: "\(root)/repository")
    try repository.shell(
      """
      git -c protocol.file.allow=always submodule --quiet add --name lib ../library vendor/lib
      git -c protocol.file.allow=always submodule --quiet update --init --recursive
      add main 1
      """
    )
    return repository
  }

  private func build(
    _ command: String = "cat vendor/lib/lib > built",
    _ submodules: Source.Submodules = .required
  ) -> SourceBuild {
    SourceBuild(
      source: Source(repository: "\(root)/repository", build: command, submodules: submodules),
      cache: "\(root)/builds"
    )
  }

  /// What a build wrote to the file `built`.
  private func text(of record: BuildRecord) throws -> String {
    try String(contentsOfFile: record.directory + "/built", encoding: .utf8)
  }

  private let lists = "ls -A vendor/lib > built"

  @Test func `fills submodules at their pinned commits, nested ones too`() async throws {
    let repository = try makeRepository()
    try repository.shell(
      """
      git -C vendor/lib commit -q --allow-empty -m newer; commit bump
      echo 2 > vendor/lib/lib; git -C vendor/lib commit -qam two; commit second
      """
    )
    let command = "cat vendor/lib/lib vendor/lib/nested/inner/deep > built"

    let old = try await build(command).build("HEAD~1")
    let new = try await build(command).build("HEAD")

    #expect(try String(contentsOfFile: old.directory + "/built", encoding: .utf8) == "1\n1\n")
    #expect(try String(contentsOfFile: new.directory + "/built", encoding: .utf8) == "2\n1\n")
  }

  @Test func `clones what the user does not have from the relative address`() async throws {
    let repository = try makeRepository()
    try repository.shell("git submodule --quiet deinit --all --force; rm -rf .git/modules")
    try repository.shell("mkdir ../twin; git archive HEAD | tar -x -C ../twin; git init -q ../twin")
    try repository.shell("git -C ../twin fetch -q ../repository main")

    let place = try await GitRepository(containing: repository.path)
    try await SubmoduleCheckout(repository: place, settings: ["protocol.file.allow=always"])
      .fill(FilePath("\(root)/twin"), of: repository.id("HEAD"))

    let path = "\(root)/twin/vendor/lib/nested/inner/deep"
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "1\n")
  }

  @Test func `a submodule that cannot be had is a failed build that is not remembered`()
    async throws
  {
    let repository = try makeRepository()
    try repository.shell("rm -rf .git/modules; mv ../library ../elsewhere")

    let error = await #expect(throws: HostError.self) {
      try await build().build("HEAD", triesAgain: false)
    }
    guard case .buildFailed(let failure, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason.hasPrefix("the submodule \"vendor/lib\" is not available: "))

    try repository.shell(
      "mv ../elsewhere ../library; git clone -q --bare ../library .git/modules/lib"
    )
    try repository.shell("git clone -q --bare ../inner .git/modules/lib/modules/nested/inner")
    let again = try await build().build("HEAD", triesAgain: false)
    #expect(try String(contentsOfFile: again.directory + "/built", encoding: .utf8) == "1\n")
  }

  @Test func `a commit does not name a place on this machine`() async throws {
    let repository = try makeRepository()
    try repository.shell("rm -rf .git/modules; git config --remove-section submodule.lib")
    let error = await #expect(throws: HostError.self) { try await build().build("HEAD") }
    #expect(error?.diagnostics.first?.problem.contains("transport 'file' not allowed") == true)
  }

  @Test func `builds without a submodule that cannot be had, and with it when it can`() async throws
  {
    let repository = try makeRepository()
    try repository.shell("rm -rf .git/modules; mv ../library ../elsewhere")

    let without = try await build(lists, .tried).build("HEAD")
    let missing = try #require(without.missingSubmodules)
    #expect(missing.map(\.path) == ["vendor/lib"])
    #expect(missing[0].reason.isEmpty == false)
    #expect(try text(of: without) == "")

    let again = try await build(lists, .tried).build("HEAD")
    #expect(again.wasCached && again.missingSubmodules == missing)
    await #expect(throws: HostError.self) { try await build(lists, .required).build("HEAD") }
    #expect(try await build(lists, .tried).build("HEAD").missingSubmodules == missing)

    try repository.shell(
      "mv ../elsewhere ../library; git clone -q --bare ../library .git/modules/lib"
    )
    try repository.shell("git clone -q --bare ../inner .git/modules/lib/modules/nested/inner")
    let whole = try await build(lists, .tried).build("HEAD")
    #expect(!whole.wasCached && whole.missingSubmodules == nil)
    #expect(try text(of: whole).contains("lib\n"))
    #expect(try await build(lists, .required).build("HEAD").wasCached)
  }

  @Test func `names a nested submodule that cannot be had, and keeps the others`() async throws {
    let repository = try makeRepository()
    try repository.shell("rm -rf .git/modules/lib/modules; mv ../inner ../elsewhere")
    let record = try await build("cat vendor/lib/lib > built", .tried).build("HEAD")
    #expect(record.missingSubmodules?.map(\.path) == ["vendor/lib/nested/inner"])
    #expect(try text(of: record) == "1\n")
  }

  @Test func `a commit that is gone from a submodule is a missing one`() async throws {
    let repository = try makeRepository()
    try repository.shell(
      """
      gone=1234567890123456789012345678901234567890
      git update-index --cacheinfo 160000,$gone,vendor/lib; git commit -q -m gone
      """
    )
    let record = try await build(lists, .tried).build("HEAD")
    #expect(record.missingSubmodules?.map(\.commit) == ["1234567890123456789012345678901234567890"])
    #expect(try text(of: record) == "")
  }

  @Test func `checks out no submodule where none is wanted`() async throws {
    _ = try makeRepository()
    let none = try await build(lists, .off).build("HEAD")
    #expect(none.missingSubmodules == nil)
    #expect(try text(of: none) == "")
    let all = try await build(lists, .tried).build("HEAD")
    #expect(try !all.wasCached && text(of: all).contains("lib\n"))
  }

  @Test func `uses a submodule whose git directory is in its place`() async throws {
    let repository = try makeRepository()
    try repository.shell(
      """
      rm vendor/lib/.git; mv .git/modules/lib vendor/lib/.git
      git -C vendor/lib config --unset core.worktree; mv ../library ../elsewhere
      """
    )
    let record = try await build("cat vendor/lib/lib > built", .required).build("HEAD")
    #expect(try text(of: record) == "1\n")
  }

  @Test func `a build that fails without a submodule says so, and is not remembered`() async throws
  {
    let repository = try makeRepository()
    try repository.shell("rm -rf .git/modules; mv ../library ../elsewhere")
    for _ in 1...2 {
      let error = await #expect(throws: HostError.self) {
        try await build("test -f vendor/lib/lib", .tried).build("HEAD", triesAgain: false)
      }
      guard case .buildFailed(let failure, _) = error else { throw CocoaError(.featureUnsupported) }
      #expect(
        failure.reason.contains("1, without the submodule \"vendor/lib\", which is not available")
      )
      #expect(!failure.isRemembered)
    }
  }

  @Test func `asks no address twice, and shows no password`() async throws {
    let repository = try makeRepository()
    try repository.shell(
      """
      rm -rf .git/modules vendor/lib; mkdir vendor/lib
      git config submodule.lib.url https://ann:secret@localhost:1/lib.git
      git config -f .gitmodules submodule.lib.url https://ann:secret@localhost:1/lib.git
      commit one; git commit -q --allow-empty -m two; add other 1
      """
    )
    let builds = build(lists, .tried)
    let first = try await builds.build("HEAD~2")
    let second = try await builds.build("HEAD")
    #expect(first.missingSubmodules?.first?.reason.contains("secret") == false)
    #expect(second.missingSubmodules == first.missingSubmodules)
  }

  @Test func `leaves submodules empty that are not updated, or are no more`() async throws {
    let repository = try makeRepository()
    try repository.shell(
      """
      git config -f .gitmodules submodule.lib.update none
      git config -f .gitmodules submodule.gone.path gone
      git config -f .gitmodules submodule.gone.url ../gone
      git config -f .gitmodules submodule.../evil.path vendor/lib
      commit none
      """
    )
    let record = try await build("ls vendor/lib | wc -l > built").build("HEAD")
    #expect(try String(contentsOfFile: record.directory + "/built", encoding: .utf8) == "0\n")
  }

  /// An address in a commit, what it is relative to, and where it leads.
  struct Address: CustomTestStringConvertible, Sendable {
    var url: String
    var base: String
    var result: String
    var testDescription: String { "\(url) of \(base)" }
  }

  @Test(arguments: [
    Address(url: "../b.git", base: "https://host/u/a.git", result: "https://host/u/b.git"),
    Address(url: "./b", base: "https://host/u/a/", result: "https://host/u/a/b"),
    Address(url: "../../v/b", base: "git@host:u/a", result: "git@host:v/b"),
    Address(url: "../b", base: "host:a", result: "host:b"),
    Address(url: "../../b", base: "/x/y/z", result: "/x/b"),
    Address(url: "https://other/b", base: "/x", result: "https://other/b"),
  ])
  func `joins relative addresses as git does`(address: Address) {
    #expect(SubmoduleCheckout.joined(address.url, to: address.base) == address.result)
  }
}
