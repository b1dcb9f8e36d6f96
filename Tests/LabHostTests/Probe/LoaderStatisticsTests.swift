import Foundation
import LabTestSupport
import SystemPackage
import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite(.temporaryDirectory) struct LoaderStatisticsTests {
  private var root: String { TemporaryDirectory.path }

  private func launch(
    _ command: [String],
    _ statistics: LoaderStatistics
  ) throws -> (result: LaunchResult, observation: StageObservation) {
    let bench = try LaunchBench()
    let environment = try statistics.environment(addedTo: ["PATH": "/usr/bin:/bin"])
    let request = try LaunchRequest(
      program: command[0],
      arguments: command,
      environment: environment.map { "\($0.key)=\($0.value)" },
      directory: "/",
      ready: .exit,
      stop: StopPolicy(grace: .seconds(1)),
      timeout: .seconds(20)
    )
    statistics.reset()
    let result = try bench.spawner.launch(request)
    let trace = try #require(result.trace)
    return (result, statistics.observation(of: trace, ready: result.launch))
  }

  private func text(_ observation: StageObservation) -> String {
    String(decoding: observation.loaderText, as: UTF8.self)
  }

  private func count(_ phrase: String, in text: String) -> Int {
    text.ranges(of: phrase).count
  }

  @Test func `reads what the loader writes of a program, and of that alone`() throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    let first = try launch(["/usr/bin/perl", "-e", "print 1"], statistics)
    #expect(first.result.outcome == .ready)
    #expect(first.result.output.stdout.head == Array("1".utf8))
    #expect(first.observation.collector == .statistics)
    #expect(first.observation.notes.isEmpty)
    let tag = "\(first.observation.process):\t"
    let lines = text(first.observation).split(separator: "\n")
    #expect(lines.allSatisfy { $0.drop { $0 == " " }.hasPrefix(tag) })
    #expect(count("runtime linker statistics:", in: text(first.observation)) == 2)

    let second = try launch(["/usr/bin/perl", "-e", "0"], statistics)
    #expect(!text(second.observation).contains("\(first.observation.process):"))
    statistics.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
  }

  @Test func `has the launched process first, with all it executes, then its children`() throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    let command = "/usr/bin/perl -e 0; exec /usr/bin/perl -e 0"
    let observation = try launch(["/bin/sh", "-c", command], statistics).observation
    let tags = text(observation).split(separator: "\n").compactMap { line in
      line.split(separator: ":").first.flatMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
    }
    let processes = tags.reduce(into: [Int32]()) { if $0.last != $1 { $0.append($1) } }
    #expect(processes.count == 2)
    #expect(processes.first == observation.process)
    #expect(count("total startup time", in: text(observation)) == 3)
  }

  @Test func `says why there is nothing`() throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    let empty = try EmbeddedHelper.empty.unpacked()
    let observation = try launch([empty], statistics).observation
    #expect(observation.loaderText.isEmpty)
    #expect(
      observation.notes == [
        "the loader wrote no statistics: the program is static, is not of glibc, or runs with"
          + " another user's rights"
      ]
    )
  }

  @Test(arguments: ["LD_DEBUG", "LD_DEBUG_OUTPUT"])
  func `refuses to take a variable from the target`(_ variable: String) throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    let error = #expect(throws: HostError.self) {
      try statistics.environment(addedTo: ["PATH": "/bin", variable: ""])
    }
    #expect(
      error?.diagnostics.map(\.problem) == [
        "the target's environment sets \(variable), which the collector \"statistics\" needs for"
          + " itself"
      ]
    )
    #expect(try statistics.environment(addedTo: ["X\(variable)": ""]).count == 3)
  }

  @Test func `reads only files, and no more than is sensible`() throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    try TestMachine.shell(
      """
      cd loader-*
      mkfifo ld.1; mkdir ld.2; ln -s /etc/passwd ld.3; echo other > other; echo x > ld.x
      head -c 3000000 /dev/zero > ld.4; cp ld.4 ld.5; echo mine > ld.6
      """,
      in: root
    )
    let trace = LaunchTrace(begin: .zero, process: 6)
    let observation = statistics.observation(of: trace, ready: nil)
    #expect(observation.loaderText.count == 4 << 20)
    #expect(observation.loaderText.starts(with: Array("mine\n".utf8)))
    #expect(observation.notes == ["the loader's statistics of some processes were left out"])
    statistics.remove()
    #expect(try FileManager.default.contentsOfDirectory(atPath: root).isEmpty)
  }

  @Test(.enabled(if: TestMachine.isRoot, "only root may become another user"))
  func `lets a target write that becomes another user`() throws {
    let statistics = try LoaderStatistics(below: FilePath(root))
    try TestMachine.shell("chmod 711 .", in: root)
    let source = "$> = $< = 65534; exec '/usr/bin/perl', '-e', 'print qq(fine)'"
    let run = try launch(["/usr/bin/perl", "-e", source], statistics)
    #expect(String(decoding: run.result.output.stdout.head, as: UTF8.self) == "fine")
    #expect(count("total startup time", in: text(run.observation)) == 2)
  }
}
