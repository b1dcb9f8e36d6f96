import Explanation
import LaunchCore
import Stages
import Testing

@Suite("Comparison of counts")
struct CountComparisonTests {
  private func changes(
    _ counts: [(before: [CountedThing: Int], after: [CountedThing: Int])]
  ) -> [CountChange] {
    Attribution().reasons(
      of: counts.map { pair in
        func launches(_ counts: [CountedThing: Int]) -> BlockLaunches {
          BlockLaunches(traced: TracedLaunch(classes: [:], resources: [:], counts: counts))
        }
        return AttributionBlock(before: launches(pair.before), after: launches(pair.after))
      }
    ).counts
  }

  @Test("a count is certain although a launch in ten has another")
  func certain() {
    let found = changes((0..<10).map { ([.threads: 1], [.threads: $0 == 3 ? 5 : 2]) })
    #expect(found.map(\.thing) == [.threads])
    #expect(found.map(\.isCertain) == [true])
    #expect(found.map(\.before) == [1])
    #expect(found.map(\.after) == [2])
  }

  @Test("counts that vary are compared pair by pair")
  func varying() {
    let faults = CountedThing.faults(file: nil)
    let found = changes((0..<20).map { ([faults: 300 + $0], [faults: 310 + $0]) })
    #expect(found.map(\.isCertain) == [false])
    #expect(found.map(\.difference) == [10])
    #expect(changes((0..<20).map { ([faults: 300 + $0], [faults: 310 - $0]) }).isEmpty)
  }

  @Test("files of one directory are counted together")
  func directory() {
    let one = Dictionary(
      uniqueKeysWithValues: (0..<40).map {
        (CountedThing.call(name: "openat", object: "plugins/p\($0)"), 1)
      }
    )
    var other = one
    other[.call(name: "openat", object: "/etc/passwd")] = 1
    let found = changes((0..<8).map { _ in ([:], other) })
    #expect(
      found.map(\.thing) == [
        .call(name: "openat", object: "plugins/"), .call(name: "openat", object: "/etc/passwd"),
      ]
    )
    #expect(found.map(\.difference) == [40, 1])
  }

  @Test("page-ins of one program are the medians of its launches, most pages first")
  func pageIns() {
    let launches = [90, 100, 400].map { pages -> [CountedThing: Int] in
      [
        .pageIns(file: "/lib/x.so"): pages, .readAhead(file: "/lib/x.so"): pages - 10,
        .pageIns(file: "/etc/y"): 1, .pageIns(file: pages > 300 ? "/tmp/rare" : nil): 500,
      ]
    }
    let found = Attribution().division(
      of: launches.map { counts in
        let launch = TracedLaunch(classes: [:], resources: [:], counts: counts)
        return AttributionBlock(before: BlockLaunches(), after: BlockLaunches(traced: launch))
      }
    )
    #expect(found.pageIns.map(\.file) == [nil, "/lib/x.so", "/etc/y"])
    #expect(found.pageIns.map(\.pages) == [500, 100, 1])
    #expect(found.pageIns.map(\.readAhead) == [0, 90, 0])
  }
}
