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

  private func writer(in store: Store) throws -> RunWriter {
    var run = Sample.run("a")
    run.plan.arms.append(Self.arm)
    return try store.begin(run)
  }

  private func write(_ launches: [LaunchRecord], to writer: RunWriter) throws {
    for launch in launches {
      writer.append(launch)
      try writer.endBlock(at: .seconds(Int64(launch.block)))
    }
  }

  private func films(of launches: [LaunchRecord]) throws -> [Film?] {
    let store = try Store.inMemory()
    let writer = try writer(in: store)
    try write(launches, to: writer)
    try writer.finish(status: .complete, at: Sample.start)
    #expect(try store.strings("SELECT count(*) FROM film") == ["1"])
    return try store.films(of: "a").map(\.film)
  }

  @Test func `keeps the film of the launch with the median Speed Index`() throws {
    let launches = [launch(0, index: 90), launch(1, index: 70), launch(2, index: 80)]
    #expect(try films(of: launches) == [launches[2].result.film])
  }

  @Test func `a launch that was disturbed or not in its state is shown only where no other is`()
    throws
  {
    var disturbed = launch(2, index: 100)
    disturbed.result.disturbances = [Disturbance(kind: .steal, amount: 2, limit: 1)]
    let unreached = launch(3, index: 110, reached: .notReached(reason: "x"))
    let launches = [launch(0, index: 90), launch(1, index: 70), disturbed, unreached]
    #expect(try films(of: launches) == [launches[1].result.film])
    #expect(try films(of: [disturbed]) == [disturbed.result.film])
    #expect(try films(of: [unreached]) == [unreached.result.film])
  }

  @Test func `a run that was cut off shows one film, and goes on with all`() throws {
    // Given a run that was interrupted after two filmed launches
    let store = try Store.inMemory()
    let begun = try writer(in: store)
    let launches = [launch(0, index: 70), launch(1, index: 80), launch(2, index: 90)]
    try write(Array(launches[..<2]), to: begun)
    #expect(try store.films(of: "a").map(\.film) == [launches[0].result.film])
    try begun.finish(status: .interrupted, at: Sample.start)
    #expect(try store.films(of: "a").map(\.film) == [launches[0].result.film])

    // When it goes on
    let resumed = try store.resume("a")
    try write([launches[2]], to: resumed)
    try resumed.finish(status: .complete, at: Sample.start)

    // Then the median is of all of them
    #expect(try store.films(of: "a").map(\.film) == [launches[1].result.film])
  }

  @Test func `a run without films has none`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run("a"), with: [Sample.launch(block: 0)])
    #expect(try store.films(of: "a").isEmpty)
    #expect(throws: StoreError.self) { try store.films(of: "b") }
  }
}
