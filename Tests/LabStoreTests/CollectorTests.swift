import Testing

@testable import LaunchCore
@testable import LaunchStore

@Suite struct CollectorTests {
  @Test func `gives back what the collectors of a run saw`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run(), with: [])
    var bare = Sample.collector
    bare.arm = Sample.arms[1]
    bare.preMain = nil
    bare.stages = []
    try store.saveCollectors([bare], of: Sample.run().id)
    try store.saveCollectors([bare, Sample.collector], of: Sample.run().id)
    #expect(try store.collectors(of: Sample.run().id) == [Sample.collector, bare])
  }

  @Test func `refuses an arm of another run and keeps what there was`() throws {
    let store = try Store.inMemory()
    try store.fill(Sample.run(), with: [])
    try store.saveCollectors([Sample.collector], of: Sample.run().id)
    var foreign = Sample.collector
    foreign.arm.target = "other"
    #expect(throws: StoreError.self) {
      try store.saveCollectors([foreign], of: Sample.run().id)
    }
    #expect(try store.collectors(of: Sample.run().id) == [Sample.collector])
  }
}
