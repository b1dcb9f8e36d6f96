import Foundation
import LabModel
import LabTestSupport
import SystemPackage
import Testing

@testable import LabHost

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

  private func build(_ command: String = "cat vendor/lib/lib > built") -> SourceBuild {
    SourceBuild(
      source: Source(repository: "\(root)/repository", build: command),
      cache: "\(root)/builds"
    )
  }

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
    #expect(failure.reason.hasPrefix("the submodule \"vendor/lib\" cannot be had: "))

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
