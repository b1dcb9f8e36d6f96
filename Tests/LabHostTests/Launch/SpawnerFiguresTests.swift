import Foundation
import LabModel
import Testing

@testable import LabHost

struct SpawnerFiguresTests {
  @Test func `reports a small empty program while this process is large`() throws {
    let bench = try LaunchBench()
    let ballast = [UInt8](repeating: 1, count: 200 << 20)
    let program = try EmbeddedHelper.empty.unpacked()
    let result = try bench.spawner.launch(bench.request([program]))
    #expect(try #require(result.figures.peakRSS) < 2 << 20)
    #expect(ballast[ballast.count / 2] == 1)
  }

  @Test func `reports the empty program alike before and after a flood`() throws {
    let bench = try LaunchBench()
    let request = try bench.request([EmbeddedHelper.empty.unpacked()])
    let before = try #require(try bench.spawner.launch(request).figures.peakRSS)
    _ = try bench.perl("print q(x) x 10000000; print STDERR q(x) x 10000000")
    let after = try #require(try bench.spawner.launch(request).figures.peakRSS)
    #expect(after - before <= 128 << 10)
  }

  @Test func `reports the empty program alike before and after many records of faults`() throws {
    let bench = try LaunchBench()
    let request = try bench.request([EmbeddedHelper.empty.unpacked()])
    let before = try #require(try bench.spawner.launch(request).figures.peakRSS)
    _ = try bench.mapping(5_000)
    let after = try #require(try bench.spawner.launch(request).figures.peakRSS)
    #expect(after - before <= 128 << 10)
  }

  @Test func `reports what a server used when it was ready`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$n = 20000000; $SIG{TERM} = sub { $b = q(x) x (7 * $n); exit }; $a = q(x) x $n; $|=1; print 1;"
        + "sleep 60",
      ready: .output(stream: .stdout, pattern: "1")
    )
    let peak = try #require(result.figures.peakRSS)
    #expect(peak > 20_000_000 && peak < 100_000_000)
    #expect(result.figures.peakRSSTree == peak)
    #expect(try #require(result.figures.minorFaults) > 1_000)
    let times = try #require(result.figures.userTime) + #require(result.figures.systemTime)
    #expect(times > .zero)
    #expect(result.figures.missing == [:])
  }

  @Test func `counts the switches of every thread`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "use threads; $|=1; threads->create(sub { select undef,undef,undef,.0001 for 1..200;"
        + "print 1; sleep 60 })->join",
      ready: .output(stream: .stdout, pattern: "1")
    )
    #expect(try #require(result.figures.voluntarySwitches) >= 200)
  }

  @Test func `adds up the processes of a tree`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      "$n = 40000000; if (!fork) { $a = q(x) x $n; $|=1; print 1; sleep 60 } sleep 60",
      ready: .output(stream: .stdout, pattern: "1")
    )
    let tree = try #require(result.figures.peakRSSTree)
    #expect(tree > 40_000_000)
    #expect(try #require(result.figures.peakRSS) < 40_000_000)
  }

  @Test func `counts what an orphan used before the end`() throws {
    let bench = try LaunchBench()
    let result = try bench.perl(
      // It waits until the spawner has buried the orphan, which no signal reaches from then on.
      "$n = 40000000; pipe my $r, my $w;"
        + "if (!fork) { if (!fork) { $a = q(x) x $n; syswrite $w, $$; exit } exit } "
        + "close $w; wait; sysread $r, my $orphan, 20;"
        + "select undef,undef,undef,.001 while kill 0, $orphan"
    )
    #expect(try #require(result.figures.peakRSSTree) > 40_000_000)
  }

  @Test func `counts events of the kernel, and says which the machine lacks`() throws {
    let bench = try LaunchBench()
    let names = CounterEvent.allCases.map(\.rawValue)
    let result = try bench.perl("1", counters: names)
    #expect(result.outcome == .ready)
    for name in names {
      #expect((result.figures.counters[name] == nil) == (result.figures.missing[name] != nil))
    }
    guard let faults = result.figures.counters["page-faults"] else { return }
    let second = try bench.perl("1", counters: ["page-faults"]).figures.counters["page-faults"]
    #expect(faults > 100)
    #expect(try #require(second) > 100)
  }
}
