import Foundation
import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct FilmStoreTests {
  private static let arm = Arm(target: "server", state: .warm, kind: .film)

  /// A filmed launch whose film shows its block.
  private func launch(_ block: Int, index: Int64, reached: StateReached = .reached) -> LaunchRecord
  {
    var launch = Sample.launch(block: block, arm: 3)
    launch.result.speedIndex = .milliseconds(index)
    launch.result.film = Film(frames: [
      Film.Frame(time: .milliseconds(index), progress: 1, png: [UInt8(block)])
    ])
    launch.stateReached = reached
    return launch
  }

  private func films(of launches: [LaunchRecord], _ status: RunRecord.Status) throws -> [Film] {
    let store = try Store.inMemory()
    var run = Sample.run("a")
    run.plan.arms.append(Self.arm)
    let writer = try store.begin(run)
    for launch in launches {
      writer.append(launch)
      try writer.endBlock(at: .seconds(Int64(launch.block)))
    }
    try writer.finish(status: status, at: Sample.start)
    #expect(try store.strings("SELECT speed_index_ns FROM launch").count == launches.count)
    let films = try store.films(of: "a")
    #expect(films.allSatisfy { $0.arm == Self.arm })
    return films.map(\.film)
  }

  @Test(arguments: [RunRecord.Status.complete, .interrupted])
  func `keeps the film of the launch with the median Speed Index`(status: RunRecord.Status) throws {
    let launches = [launch(0, index: 90), launch(1, index: 70), launch(2, index: 80)]
    let films = try films(of: launches, status)
    #expect(films == [try #require(launches[2].result.film)])
  }

  @Test func `a launch that did not reach its state is shown only where none did`() throws {
    let launches = [
      launch(0, index: 90), launch(1, index: 70),
      launch(2, index: 80, reached: .notReached(reason: "x")),
    ]
    #expect(try films(of: launches, .complete) == [try #require(launches[1].result.film)])
    #expect(try films(of: [launches[2]], .complete) == [try #require(launches[2].result.film)])
  }

  @Test func `a run without films has none`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.launch(block: 0)])
    #expect(try store.films(of: "a").isEmpty)
    #expect(throws: StoreError.self) { try store.films(of: "b") }
  }
}
