import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import Builds
@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct FailedBuildTests {
  private var root: String { TemporaryDirectory.path }

  private func makeRepository() throws -> TestRepository {
    let repository = try TestRepository(at: "\(root)/repository")
    try repository.shell("add file 1")
    return repository
  }

  private func builds(
    _ command: String,
    timeLimit: Duration? = nil,
    below directory: String = "",
    interrupt: InterruptFlag? = nil
  ) -> SourceBuild {
    SourceBuild(
      source: Source(repository: "\(root)/repository\(directory)", build: command),
      cache: "\(root)/builds",
      timeLimit: timeLimit,
      interrupt: interrupt
    )
  }

  /// Builds, and gives why that failed.
  private func failure(
    _ builds: SourceBuild,
    triesAgain: Bool = false
  ) async throws -> BuildFailure {
    let error = await #expect(throws: HostError.self) {
      try await builds.build("HEAD", triesAgain: triesAgain)
    }
    guard case .buildFailed(let failure, _) = error else {
      throw error ?? HostError.interrupted
    }
    return failure
  }

  private var tries: Int {
    (try? String(contentsOfFile: "\(root)/tries", encoding: .utf8).count) ?? 0
  }

  /// Leaves a letter for each try.
  private func counted(_ command: String) -> String { "printf x >> '\(root)/tries'; \(command)" }

  @Test func `a failure is remembered until it is asked to try again`() async throws {
    _ = try makeRepository()
    let builds = builds(counted("echo broken; exit 3"))

    let first = try await failure(builds)
    let second = try await failure(builds)

    #expect(first.reason == "the build command exited with status 3")
    #expect(!first.isRemembered)
    #expect(second.isRemembered)
    #expect(second.cause == first.cause)
    let log = try #require(second.log)
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "broken\n")
    #expect(tries == 1)
    _ = try await failure(builds, triesAgain: true)
    #expect(tries == 2)
  }

  @Test func `a failure is forgotten when the build has succeeded`() async throws {
    _ = try makeRepository()
    let builds = builds(counted("test -e '\(root)/go'"))
    _ = try await failure(builds)
    try Data().write(to: URL(filePath: "\(root)/go"))
    #expect(try await !builds.build("HEAD").wasCached)
    #expect(try await builds.build("HEAD", triesAgain: false).wasCached)
    #expect(tries == 2)
  }

  @Test func `equal trees share their failure`() async throws {
    let repository = try makeRepository()
    let builds = builds(counted("exit 1"))
    _ = try await failure(builds)
    try repository.shell("commit empty")
    #expect(try await failure(builds).isRemembered)
    #expect(tries == 1)
  }

  @Test func `the status 125 asks to skip`() async throws {
    _ = try makeRepository()
    let found = try await failure(builds("exit 125"))
    #expect(found.cause == .skipped)
    #expect(found.reason.contains("skip"))
  }

  @Test func `a signal is told from a status`() async throws {
    _ = try makeRepository()
    #expect(try await failure(builds("kill -9 $$")).cause == .signal(9))
  }

  @Test func `a revision without the directory of the source has failed`() async throws {
    let repository = try makeRepository()
    try repository.shell("add sub/file 1; git rm -rq sub; commit gone; mkdir sub")
    let found = try await failure(builds("true", below: "/sub"))
    #expect(found.reason.hasPrefix("the revision has no directory "))
    #expect(found.reason.contains("/tree/sub"))
  }

  @Test func `the time limit ends everything that the build has started`() async throws {
    _ = try makeRepository()
    let command = counted(
      """
      trap '' TERM
      bash -c 'trap "" TERM; set -m; sleep 1000 & echo $! >> "$0"; wait' '\(root)/pids' &
      echo $$ >> '\(root)/pids'
      while :; do sleep 0.1; done
      """
    )
    // A busy machine may not come as far within the shortest limit.
    var pids: [pid_t] = []
    for limit in [0.5, 8, 64] where pids.count < 2 {
      try? FileManager.default.removeItem(atPath: "\(root)/pids")
      let builds = builds(command, timeLimit: .seconds(limit))
      let found = try await failure(builds, triesAgain: true)
      #expect(found.cause == .timedOut(seconds: limit))
      let name = limit < 1 ? "0.5 s" : "\(Int(limit)) s"
      #expect(found.reason == "the build command took longer than its time limit of \(name)")
      let text = (try? String(contentsOfFile: "\(root)/pids", encoding: .utf8)) ?? ""
      pids = text.split(separator: "\n").compactMap { pid_t($0) }
    }
    #expect(pids.count == 2)
    #expect(pids.compactMap(ProcessStatus.init(of:)).isEmpty)
  }

  @Test func `a build that took too long is tried again only with a higher limit`() async throws {
    _ = try makeRepository()
    let command = counted("test -e '\(root)/go' || sleep 1000")
    _ = try await failure(builds(command, timeLimit: .milliseconds(200)))
    #expect(try await failure(builds(command, timeLimit: .milliseconds(200))).isRemembered)
    #expect(try await failure(builds(command, timeLimit: .milliseconds(100))).isRemembered)
    // On a busy machine the limit may be over before the command begins.
    let count = tries
    #expect(count <= 1)
    try Data().write(to: URL(filePath: "\(root)/go"))
    _ = try await builds(command, timeLimit: .seconds(500)).build("HEAD", triesAgain: false)
    #expect(tries == count + 1)
  }

  @Test func `a build that had too little time left is not taken for one that fails`() async throws
  {
    _ = try makeRepository()
    let command = counted("test -e '\(root)/go' || sleep 1000")
    for (own, left) in [(60, 0.2), (0.1, 0.2)] {
      let builds = builds(command, timeLimit: .seconds(own)).limited(to: .seconds(left))
      let found = try await failure(builds)
      #expect(found.cause == .timedOut(seconds: min(own, left)))
      #expect(!found.isRemembered)
    }
    #expect(try await failure(builds(command, timeLimit: .seconds(0.1))).isRemembered)
    #expect(tries <= 2)
  }

  @Test(arguments: [
    "sleep 1000 & echo $! > \"$LEFT\"",
    // With a session of its own, as daemons have.
    """
    setsid sh -c 'echo $$ > "$LEFT"; exec sleep 1000' & while ! [ -s "$LEFT" ]; do sleep 0.01; done
    """,
  ])
  func `what a build leaves running is ended`(command: String) async throws {
    _ = try makeRepository()
    _ = try await builds("export LEFT='\(root)/pid'; \(command)").build("HEAD")
    let text = try String(contentsOfFile: "\(root)/pid", encoding: .utf8)
    let pid = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    #expect(ProcessStatus(of: pid) == nil)
  }

  @Test(arguments: ["No space left on device", "Read-only file system"])
  func `a failure of the machine is no failure of the build`(error: String) async throws {
    _ = try makeRepository()
    let command = counted("test -e '\(root)/go' || { echo 'cc: a.o: \(error)' >&2; exit 1; }")
    let builds = builds(command)
    let found = await #expect(throws: HostError.self) {
      try await builds.build("HEAD", triesAgain: false)
    }
    guard case .buildPrevented(let reason, let log) = found else {
      throw found ?? HostError.interrupted
    }
    #expect(reason == "cc: a.o: \(error)")
    #expect(FileManager.default.fileExists(atPath: log))
    try Data().write(to: URL(filePath: "\(root)/go"))
    #expect(try await !builds.build("HEAD", triesAgain: false).wasCached)
  }

  @Test func `a log keeps the beginning and the end of what a build prints`() async throws {
    _ = try makeRepository()
    let command = "echo begin; head -c 30000000 /dev/zero | tr '\\0' '\\n'; echo the end; exit 1"
    let found = try await failure(builds(command))
    let log = try Data(contentsOf: URL(filePath: try #require(found.log)))
    #expect(log.count < BuildLog.headLimit + 2 * BuildLog.tailLimit + 100)
    #expect(log.starts(with: Data("begin\n".utf8)))
    #expect(log.suffix(8) == Data("the end\n".utf8))
    #expect(LogTail.lines(of: try #require(found.log)) == ["the end"])
  }

  @Test func `the session of a build is noted while it is made`() async throws {
    _ = try makeRepository()
    let command = """
      while ! [ -s ../session ]; do sleep 0.01; done
      case $(cat ../session) in *'"lab":"'$$-*) ;; *) exit 1;; esac
      """
    let record = try await builds(command).build("HEAD")
    #expect(!FileManager.default.fileExists(atPath: record.directory + "/../session"))
  }

  @Test func `an interrupted build is not remembered`() async throws {
    _ = try makeRepository()
    let flag = try InterruptFlag()
    let command = counted("test -e '\(root)/go' || sleep 1000")
    let builds = builds(command, interrupt: flag)
    let task = Task { try await builds.build("HEAD", triesAgain: false) }
    while tries == 0 { try await Task.sleep(for: .milliseconds(5)) }
    flag.set()
    await #expect(throws: HostError.interrupted) { try await task.value }

    try Data().write(to: URL(filePath: "\(root)/go"))
    #expect(try await !self.builds(command).build("HEAD", triesAgain: false).wasCached)
  }

  @Test func `a build of a cancelled task is ended and not remembered`() async throws {
    _ = try makeRepository()
    let command = counted("test -e '\(root)/go' || sleep 1000")
    let builds = builds(command)
    let task = Task { try await builds.build("HEAD", triesAgain: false) }
    while tries == 0 { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect(throws: HostError.interrupted) { try await task.value }

    try Data().write(to: URL(filePath: "\(root)/go"))
    #expect(try await !builds.build("HEAD", triesAgain: false).wasCached)
  }

  @Test func `a build that is needed is not removed`() async throws {
    _ = try makeRepository()
    let cache = BuildCache(directory: "\(root)/builds")
    var leases: BuildLeases? = BuildLeases()
    let source = Source(repository: "\(root)/repository", build: "true")
    let record = try await SourceBuild(source: source, cache: "\(root)/builds", leases: leases)
      .build("HEAD")
    let room = try #require(cache.rooms(neededTrees: []).first)

    for _ in 0..<20 {
      #expect(!cache.remove(room))
      try await Task.sleep(for: .milliseconds(2))
    }
    leases = nil
    // A process that another test starts has the locks, too, until it executes its program.
    for _ in 0..<1_000 where !cache.remove(room) { try await Task.sleep(for: .milliseconds(5)) }

    #expect(cache.rooms(neededTrees: []) == [])
    let other = SourceBuild(source: source, cache: "\(root)/builds", leases: BuildLeases())
    #expect(!other.isKept(log: other.log(of: record)))
    let again = try await other.build("HEAD")
    #expect(other.isKept(log: other.log(of: again)))
  }
}
