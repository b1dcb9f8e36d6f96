import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct SourceBuildTests {
  private var root: String { TemporaryDirectory.path }

  @Test func `builds in a worktree, and leaves the others of the repository alone`() async throws {
    // Given a repository with a worktree that seems gone
    try TestMachine.shell(
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
      export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q repository; cd repository; echo one > file; git add file; git commit -qm one
      git worktree add -q --detach ../other; mv ../other ../elsewhere
      """,
      in: root
    )
    let worktrees = "git -C repository worktree list --porcelain"
    let before = try TestMachine.shell(worktrees, in: root)

    // When two builds are made, of which the first fails
    let source = Source(repository: "\(root)/repository", build: "test -e ../go && cp file built")
    let builds = SourceBuild(source: source, cache: "\(root)/builds")
    await #expect(throws: HostError.self) { try await builds.build("HEAD") }
    try TestMachine.shell("for room in builds/*; do touch $room/go; done", in: root)
    let build = try await builds.build("HEAD")

    // Then the worktree of the build is the only one that is gone
    #expect(try String(contentsOfFile: "\(build.directory)/built", encoding: .utf8) == "one\n")
    #expect(try TestMachine.shell(worktrees, in: root) == before)
  }

  /// Makes a repository of one commit, and goes on with a script in it.
  private func makeRepository(_ script: String) throws {
    try TestMachine.shell(
      """
      export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
      export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
      git init -q repository; cd repository; echo one > file; git add file; git commit -qm one
      \(script)
      """,
      in: root
    )
  }

  @Test func `knows a commit by its id where git shows signatures`() async throws {
    try makeRepository(
      #"""
      cat > ../gpg <<'END'
      #!/bin/sh
      case "$*" in
      *--verify*) echo "gpg: Good signature" >&2; echo "[GNUPG:] GOODSIG 1 a";;
      *) cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2
        printf -- '-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n';;
      esac
      END
      chmod +x ../gpg; git config gpg.program "$PWD/../gpg"; git config log.showSignature true
      git commit -q --allow-empty -S -m signed
      """#
    )
    let repository = try await GitRepository(containing: "\(root)/repository")
    let commit = try await repository.commit("HEAD")
    #expect(commit.subject == "signed")
    #expect(commit.id.count == 40)
  }

  @Test func `cuts a link that is written with relative paths`() async throws {
    try makeRepository(
      """
      git worktree add -q --detach ../tree
      echo "gitdir: ../repository/.git/worktrees/tree" > ../tree/.git
      echo "../../../../tree/.git" > .git/worktrees/tree/gitdir
      """
    )
    try GitRepository.unlinkWorktree(at: FilePath("\(root)/tree"))
    let files = FileManager.default
    #expect(!files.fileExists(atPath: "\(root)/repository/.git/worktrees/tree"))
    #expect(!files.fileExists(atPath: "\(root)/tree/.git"))
    #expect(files.fileExists(atPath: "\(root)/tree/file"))
  }

  @Test func `a build depends on what its command names, and on compilers`() throws {
    try TestMachine.shell("mkdir bin; printf '#!/bin/sh' > bin/cc; chmod +x bin/cc", in: root)
    let source = Source(
      repository: root,
      build: #"make CFLAGS="$CF ${MODE}""#,
      environment: ["TOKENS"]
    )
    func text(_ more: [String: String]) -> String {
      let own = ["PATH": "\(root)/bin", "CF": "-O2", "TERM": "dumb"]
      return BuildEnvironment(of: source, environment: own.merging(more) { $1 }).text
    }
    let plain = text([:])
    for changed in ["CF", "MODE", "TOKENS", "CC", "CFLAGS", "LDFLAGS", "CARGO_HOME", "CGO_ENABLED"]
    {
      #expect(text([changed: "other"]) != plain, "\(changed)")
    }
    for session in ["TERM", "SSH_TTY", "INVOCATION_ID", "GOOGLE_KEY", "HOME"] {
      #expect(text([session: "other"]) == plain, "\(session)")
    }
    try TestMachine.shell("echo '#' >> bin/cc", in: root)
    #expect(text([:]) != plain)
    let keys = [plain, text([:])].map {
      SourceBuild.key(tree: "0123456789abcdef", command: "make", prefix: "", environment: $0)
    }
    #expect(keys[0] != keys[1])
  }
}
