import LaunchCore
import LaunchStatistics
import Stages
import Testing

@testable import Explanation

@Suite("Attribution of a launch difference")
struct AttributionTests {
  private let attribution = Attribution()

  /// Names reasons from some blocks, and confirms them on as many.
  private func explain(
    _ before: SyntheticProgram,
    _ after: SyntheticProgram,
    blocks: Int = 16,
    seed: UInt64 = 7,
    profiles: Bool = true
  ) -> (named: LaunchExplanation, confirmed: LaunchExplanation) {
    var machine = SyntheticMachine(seed: seed)
    let named = attribution.reasons(
      of: machine.blocks(blocks, before, after, profiles: profiles)
    )
    let fresh = machine.blocks(blocks, before, after, profiles: profiles)
    return (named, attribution.confirm(named, on: fresh))
  }

  @Test("a planted reason comes first, with its time", arguments: PlantedReason.all)
  func planted(_ planted: PlantedReason) throws {
    let (named, confirmed) = explain(planted.before, planted.after, blocks: planted.blocks)
    #expect(planted.isNamed(by: named.reasons.first))
    #expect(planted.isNamed(by: confirmed.reasons.first))
    let reason = try #require(confirmed.reasons.first)
    #expect(reason.confirmedBlocks == confirmed.blocks)
    let error = abs(Double(reason.change.difference.count) / 1e6 - planted.milliseconds)
    // System calls with too few samples may be a reason of their own.
    #expect(error <= max(0.2, 0.15 * abs(planted.milliseconds)))
  }

  @Test(
    "resources, processes, threads and counts lead where nothing is sampled",
    arguments: [
      PlantedReason.manyFiles, .sleeping, .daemon, .manyStats, .child, .threads, .lockHolder,
    ]
  )
  func notSampled(_ planted: PlantedReason) throws {
    var (_, confirmed) = explain(planted.before, planted.after, profiles: false)
    #expect(confirmed.notes.contains(.notSampled))
    // Functions are not known.
    for index in confirmed.reasons.indices where confirmed.reasons[index].kind == .thread {
      confirmed.reasons[index].object = planted.object
    }
    var expected = planted
    expected.function = nil
    #expect(expected.isNamed(by: confirmed.reasons.first))
  }

  @Test("a function that has another caller is no reason, and what its new caller takes besides is")
  func moved() throws {
    let start = ["main", "start"]
    let before =
      SyntheticProgram.base + [
        .own(start + ["parse"], 500), .own(["main", "load_registry"], 1000),
      ]
    let moved = start + ["load_registry"]
    let same = SyntheticProgram.base + [.own(start + ["parse"], 500), .own(moved, 1000)]
    #expect(explain(before, same, blocks: 32).confirmed.reasons.isEmpty)
    let (_, more) = explain(before, same + [.own(["main", "warm"], 600)], blocks: 32)
    #expect(more.reasons.map { $0.path.last?.function } == ["warm"])
    let wrapper =
      SyntheticProgram.base + [
        .own(start + ["parse"], 500), .own(["main", "wrap", "load_registry"], 1000),
        .own(["main", "wrap"], 600),
      ]
    let (_, wrapped) = explain(before, wrapper, blocks: 32)
    let reason = try #require(wrapped.reasons.first)
    #expect(wrapped.reasons.count == 1)
    #expect(reason.path.last?.function == "wrap" && reason.novelty == .new)
    #expect(abs(reason.change.difference.count - 600_000) < 120_000)
  }

  @Test("a function with a new name is no reason, unless it takes longer", arguments: [0.0, 300])
  func renamed(_ longer: Double) throws {
    let before = SyntheticProgram.base + [.own(["main", "start", "open_libs", "load"], 1500)]
    let after =
      SyntheticProgram.base + [
        .own(["main", "start", "open_selected_libs", "load"], 1500 + longer)
      ]
    let (_, confirmed) = explain(before, after, blocks: 32)
    #expect(confirmed.reasons.count == (longer > 0 ? 1 : 0))
    for reason in confirmed.reasons {
      #expect(reason.path.contains { $0.function == "open_selected_libs" })
      #expect(abs(Double(reason.change.difference.count) - 1_000 * longer) < 200_000)
    }
  }

  @Test("reasons that cancel each other are no shares of a difference that may be none")
  func cancelling() throws {
    let before = SyntheticProgram.base + [.own(["main", "read_cache", "read"], 1000)]
    let after = SyntheticProgram.base + [.own(["main", "build_index", "sort"], 1000)]
    let (_, confirmed) = explain(before, after, blocks: 32)
    #expect(confirmed.reasons.count == 2)
    #expect(confirmed.reasons.allSatisfy { $0.share == nil })
    #expect(confirmed.coverage == nil)
  }

  @Test("a wait is not put to a function where most of what was sampled is no wait of its class")
  func foreignWaits() throws {
    var machine = SyntheticMachine(seed: 5)
    machine.foreignWait = 20_000_000
    let planted = PlantedReason.sleeping
    let named = attribution.reasons(of: machine.blocks(16, planted.before, planted.after))
    let reason = try #require(named.reasons.first)
    #expect(reason.kind == .sleep && reason.call == "clock_nanosleep")
    #expect(abs(Double(reason.change.difference.count) / 1e6 - planted.milliseconds) < 0.8)
    #expect(named.tree.contains { $0.label == .notSampled })
  }

  @Test(
    "a call with few samples in one program is put to its callers in the other",
    arguments: [5, 6, 7]
  )
  func seldomCalls(_ seed: UInt64) throws {
    var machine = SyntheticMachine(seed: seed)
    // So that the calls of the program before, 85 µs in each launch, are sampled less than 5 times.
    machine.period = 2_000_000
    let files = ResourceKey(["files", "/etc", "/etc/hostname", "openat"])
    let after = SyntheticProgram.base + [.call("openat", on: files, ["main", "warm_cache"], 9000)]
    let named = attribution.reasons(of: machine.blocks(16, .base, after))
    let caller = CodeFrame(file: "program", function: "warm_cache")
    let calls = named.tree.filter {
      $0.label == .leaf(.call("openat")) && $0.change.after.count > 1_000_000
    }
    #expect(calls.map { $0.parent.flatMap { named.tree[$0].label } } == [.frame(caller)])
    #expect(named.reasons.first?.path.last == caller)
  }

  @Test("page faults are named by their count where nothing is sampled")
  func faultsByCount() throws {
    let planted = PlantedReason.pageFaults
    let (_, confirmed) = explain(planted.before, planted.after, profiles: false)
    let reason = try #require(confirmed.reasons.first)
    #expect(reason.kind == .pageFault)
    #expect(!reason.isSpecific)
    #expect(reason.counts.map(\.difference) == [4992])
  }

  @Test("two reasons are named, the larger one first", arguments: [1, 2, 3] as [UInt64])
  func two(_ seed: UInt64) throws {
    let after =
      SyntheticProgram.base + [
        .own(["main", "build_index", "verify"], 400), .own(["main", "load_theme"], 600),
      ]
    let (_, confirmed) = explain(.base, after, blocks: 32, seed: seed)
    try #require(confirmed.reasons.count == 2)
    #expect(confirmed.reasons.map { $0.path.last?.function } == ["load_theme", "verify"])
    #expect(confirmed.reasons.map(\.rank) == [1, 2])
    let coverage = try #require(confirmed.coverage)
    #expect(abs(coverage.share - 1) < 0.2)
    #expect(coverage.interval.map { $0.low < coverage.share && coverage.share < $0.high } == true)
    #expect(confirmed.decision == .explained)
  }

  @Test("nothing is named where nothing differs")
  func falseReasons() {
    var named = 0
    var confirmed = 0
    for seed in 0..<200 {
      let (first, second) = explain(.base, .rebuilt, seed: UInt64(9000 + seed))
      named += first.reasons.isEmpty ? 0 : 1
      confirmed += second.reasons.isEmpty ? 0 : 1
    }
    #expect(named <= 2)
    #expect(confirmed == 0)
  }

  @Test("children add up to their parents, and both trees to the traced difference")
  func additivity() throws {
    let planted = PlantedReason.manyFiles
    let (named, _) = explain(planted.before, planted.after)
    for tree in [named.tree, named.resources] {
      let root = try #require(tree.first)
      #expect(abs((root.change.after - named.difference.traced.after).count) <= 1)
      #expect(abs((root.change.before - named.difference.traced.before).count) <= 1)
      for parent in tree {
        let children = tree.filter { $0.parent == parent.id }
        guard !children.isEmpty else { continue }
        let sums = [\TimeChange.before, \.after].map { side in
          children.reduce(-parent.change[keyPath: side].count) {
            $0 + $1.change[keyPath: side].count
          }
        }
        #expect(sums.allSatisfy { abs($0) <= children.count + 1 })
      }
    }
  }

  @Test("no time is in two reasons", arguments: PlantedReason.all)
  func disjoint(_ planted: PlantedReason) {
    let (named, _) = explain(planted.before, planted.after, blocks: 32)
    let whole = Double(named.difference.traced.difference.count)
    let sum = named.reasons.reduce(0) { $0 + Double($1.change.difference.count) }
    #expect(sum / whole < 1.25)
    let left = named.reasons.filter(\.isSpecific).reduce(whole) {
      $0 - Double($1.change.difference.count)
    }
    let unattributed = Double(named.unattributed?.difference.count ?? 0)
    #expect(abs(left - unattributed) <= 10)
  }

  @Test("a reason that is not there again is withdrawn")
  func withdrawn() throws {
    var machine = SyntheticMachine(seed: 3)
    let named = attribution.reasons(
      of: machine.blocks(16, .base, PlantedReason.ownCode.after)
    )
    let confirmed = attribution.confirm(named, on: machine.blocks(16, .base, .base))
    #expect(confirmed.reasons.isEmpty)
    #expect(confirmed.withdrawn.map(\.path.last?.function) == ["warm_up_cache"])
  }

  @Test("the same launches and seed give the same explanation")
  func repeatable() {
    let planted = PlantedReason.child
    let first = explain(planted.before, planted.after)
    let second = explain(planted.before, planted.after)
    #expect(first.named.reasons == second.named.reasons)
    #expect(first.confirmed == second.confirmed)
  }

  @Test("the cost of events is not called a reason")
  func eventCost() throws {
    var write = SyntheticProgram.Work.call(
      "write",
      on: ["files", "/dev", "/dev/null", "write"],
      ["main", "log_lines"],
      600
    )
    write.events = 10_000
    var machine = SyntheticMachine(seed: 5)
    machine.costPerEvent = 190
    let blocks = machine.blocks(16, .base, .base + [write])
    func contradicts(_ note: LaunchExplanation.Note) -> Bool {
      if case .tracedDiffersFromPlain = note { true } else { false }
    }
    let blind = attribution.reasons(of: blocks)
    #expect(try #require(blind.reasons.first).change.difference > .milliseconds(2))
    #expect(blind.notes.contains(where: contradicts))
    let settings = AttributionSettings(costPerEvent: 190)
    let told = Attribution(settings: settings).reasons(of: blocks)
    let reason = try #require(told.reasons.first)
    #expect(reason.path.last?.function == "log_lines")
    #expect(abs(reason.change.difference.count - 600_000) < 100_000)
    #expect(!told.notes.contains(where: contradicts))
  }

  @Test("what is left of the cost of stops is not called own code")
  func costOfStops() throws {
    let write = SyntheticProgram.Work.call(
      "write",
      on: ["files", "/dev", "/dev/null", "write"],
      ["main", "log_lines"],
      600
    )
    var loop = SyntheticProgram.Work.own(["main", "log_lines"], 50)
    loop.events = 10_000
    var machine = SyntheticMachine(seed: 6)
    machine.costPerEvent = 200
    let blocks = machine.blocks(16, .base, .base + [write, loop])
    let blind = attribution.reasons(of: blocks)
    #expect(blind.reasons.contains { $0.path.last?.function != "log_lines" })
    let stopped = Attribution(settings: AttributionSettings(tracedByStops: true))
    let named = stopped.reasons(of: blocks)
    #expect(named.reasons.map(\.path.last?.function) == ["log_lines"])
    #expect(abs(named.reasons[0].change.difference.count - 650_000) < 100_000)
    let left = try #require(named.unattributed).difference
    #expect(abs(left.count - 2_000_000) < 300_000)
    // Later launches are read alike.
    let fresh = machine.blocks(16, .base, .base + [write, loop])
    let confirmed = stopped.confirm(named, on: fresh)
    #expect(confirmed.reasons.map(\.path.last?.function) == ["log_lines"])
    #expect(abs(confirmed.reasons[0].change.difference.count - 650_000) < 100_000)
  }

  @Test("launches with many more events say what an event costs, and others leave it as it is")
  func costOfEvents() {
    let cost = EventCost(calibrated: 200)
    func blocks(_ times: [Double], events: Double) -> [EventCost.Block] {
      times.map { EventCost.Block(time: $0, events: events) }
    }
    let noise: [Double] = [-40_000, -20_000, -10_000, 0, 0, 10_000, 20_000, 40_000]
    let many = cost.corrected(by: blocks(noise.map { $0 + 560_000 }, events: 1_600))
    #expect(abs(many - 350) < 5)
    let few = cost.corrected(by: blocks(noise.map { $0 + 900 }, events: 3))
    #expect(abs(few - 200) < 5)
    // The normal posterior: with 64 times the error of the median, the calibration counts more.
    let deviation = 1.4826 * 15_000.0 * 64
    let error = (Double.pi / 2 / 8).squareRoot() * deviation / 1_600
    let weight = 200 * 200 / (200 * 200 + error * error)
    let noisy = cost.corrected(by: blocks(noise.map { 64 * $0 + 560_000 }, events: 1_600))
    #expect(abs(noisy - (200 + weight * 150)) < 1e-9)
    #expect(cost.corrected(by: blocks(noise.map { $0 - 400_000 }, events: 1_600)) == 100)
    // So much time for so few events is that of something else.
    #expect(cost.corrected(by: blocks(noise.map { $0 + 560_000 }, events: 50)) == 600)
    #expect(cost.corrected(by: blocks([560_000, 570_000], events: 1_600)) == 200)
    #expect(EventCost(calibrated: 0).corrected(by: blocks(noise, events: 1_600)) == 0)
    // Of stops the rest of the cost is told by launches only.
    let stops = EventCost.ofStops
    #expect(stops.corrected(by: blocks([600_000], events: 1_600)) == 0)
    let rest = stops.corrected(by: blocks(noise.map { $0 + 560_000 }, events: 1_600))
    #expect(abs(rest - 350) < 5)
    // With threads a stop may cost ten times as much as where it was measured.
    let far = stops.corrected(by: blocks(noise.map { $0 + 16_000_000 }, events: 1_600))
    #expect(abs(far - 10_000) < 50)
    #expect(stops.corrected(by: blocks(noise.map { $0 - 560_000 }, events: 1_600)) == 0)
  }

  @Test("torn launches are left out")
  func torn() {
    var machine = SyntheticMachine(seed: 11)
    let planted = PlantedReason.ownCode
    var blocks = machine.blocks(20, planted.before, planted.after)
    blocks[2].before.traced = nil
    blocks[7].after.traced = nil
    blocks[3].before.profile = nil
    blocks[4].after.profile = nil
    blocks[5].before.plain = nil
    let named = attribution.reasons(of: blocks)
    #expect(named.blocks + named.droppedBlocks == 18)
    #expect(planted.isNamed(by: named.reasons.first))
  }

  @Test("reasons are no shares of a traced difference that is around 0 beside a plain one")
  func noShares() {
    var machine = SyntheticMachine(seed: 29)
    let before = SyntheticProgram.base + [.own(["main", "finish"], 2600)]
    let after =
      SyntheticProgram.base + [.own(["main", "finish"], 2000), .own(["main", "warm"], 600)]
    var blocks = machine.blocks(32, before, after)
    for index in blocks.indices {
      blocks[index].before.plain = Nanoseconds(5_000_000 + Int64(index))
      blocks[index].after.plain = Nanoseconds(5_600_000 - Int64(index))
    }
    let named = attribution.reasons(of: blocks)
    let confirmed = attribution.confirm(named, on: blocks)
    #expect(confirmed.reasons.contains { $0.path.last?.function == "warm" })
    #expect(confirmed.reasons.allSatisfy { $0.share == nil })
    #expect(confirmed.coverage == nil)
  }

  @Test("a switch of the critical path is a note")
  func pathSwitch() {
    let before =
      SyntheticProgram.base + [
        .own(["main", "finish"], 2600), .own(["worker"], 600, by: .thread(number: 1)),
      ]
    let after =
      SyntheticProgram.base + [
        .own(["main", "finish"], 600), .own(["worker"], 2600, by: .thread(number: 1)),
      ]
    let (named, _) = explain(before, after)
    #expect(named.reasons.filter(\.isSpecific).isEmpty)
    let isNoted = named.notes.contains { note in
      if case .pathSwitched(from: .main, to: .threadOf(function: "worker"), _) = note {
        true
      } else {
        false
      }
    }
    #expect(isNoted)
  }

  @Test("few blocks name nothing, and say so")
  func fewBlocks() {
    let (named, _) = explain(.base, PlantedReason.ownCode.after, blocks: 4)
    #expect(named.reasons.isEmpty)
    #expect(named.notes.contains(.fewBlocks(count: 4, needed: 8)))
    #expect(named.decision == .more)
  }

  @Test("without a difference no more blocks are needed")
  func noDifference() {
    var machine = SyntheticMachine(seed: 13)
    machine.launchNoise = 0.002
    machine.workNoise = 0.004
    machine.spikes = 0
    var blocks = machine.blocks(16, .base, .rebuilt)
    #expect(attribution.reasons(of: blocks).decision == .more)
    for index in blocks.indices {
      blocks[index].before.plain = nil
      blocks[index].after.plain = nil
    }
    #expect(attribution.reasons(of: blocks).decision == .noDifference)
  }

  @Test("the time of one program is divided in the same way")
  func oneProgram() throws {
    var machine = SyntheticMachine(seed: 17)
    let division = attribution.division(of: machine.blocks(8, .base, .base))
    #expect(division.reasons.isEmpty && division.coverage == nil)
    let root = try #require(division.tree.first)
    #expect(root.change.before == .zero)
    #expect(abs(root.change.after.count - division.difference.traced.after.count) <= 1)
    #expect(abs(root.change.after.count - 2_900_000) < 400_000)
    #expect(
      division.tree.contains { $0.label == .frame(CodeFrame(file: "program", function: "sort")) }
    )
  }
}

@Suite("Call stacks that are made comparable")
struct StackReaderTests {
  @Test("names, recursion and kernel functions")
  func labels() {
    let file = "/opt/x/x"
    func frame(_ function: String, in file: String = "/opt/x/x") -> CodeFrame {
      CodeFrame(file: file, function: function)
    }
    let start = [frame("_start"), frame("__libc_start_main_impl", in: "/lib/libc.so.6")]
    let stacks: [(kernel: [String], user: [CodeFrame])] = [
      ([], start + [frame("main"), frame("walk"), frame("walk"), frame("walk.isra.0")]),
      (["do_syscall_64", "__x64_sys_newfstat", "vfs_fstat"], start + [frame("main")]),
      (["do_syscall_64", "__do_sys_openat"], start + [frame("main")]),
      (["asm_exc_page_fault", "exc_page_fault"], start + [frame("main")]),
    ]
    var samples: [ProfileSample] = []
    for _ in 0..<5 {
      for stack in stacks {
        samples.append(
          ProfileSample(
            time: Nanoseconds(1 + Int64(samples.count)),
            process: 1,
            thread: 1,
            kernel: stack.kernel,
            user: stack.user
          )
        )
      }
    }
    let late = ProfileSample(
      time: Nanoseconds(2000),
      process: 1,
      thread: 1,
      user: start + [frame("late")]
    )
    let profile = LaunchProfile(
      begin: .zero,
      ready: Nanoseconds(1000),
      process: 1,
      period: Nanoseconds(200),
      samples: samples + [late],
      files: [file]
    )
    let traced = TracedLaunch(
      classes: [
        ClassKey(actor: .main, activity: .ownCode): Nanoseconds(600_000),
        ClassKey(actor: .main, activity: .call("fstat")): Nanoseconds(100_000),
        ClassKey(actor: .main, activity: .call("openat")): Nanoseconds(100_000),
        ClassKey(actor: .main, activity: .wait("read")): Nanoseconds(50_000),
      ],
      resources: [["own code"]: Nanoseconds(850_000)]
    )
    let launches = BlockLaunches(traced: traced, profile: profile)
    let division = Attribution().division(
      of: [AttributionBlock(before: BlockLaunches(), after: launches)])
    let labels = Dictionary(
      uniqueKeysWithValues: division.tree.map { node in (node.id, node) }
    )
    let ends = division.tree.filter { node in
      if case .leaf? = node.label { true } else { false }
    }
    let paths = ends.map { end -> [TreeLabel] in
      var path: [TreeLabel] = []
      var node: LaunchExplanation.TreeNode? = end
      while let next = node {
        if let label = next.label { path.insert(label, at: 0) }
        node = next.parent.flatMap { labels[$0] }
      }
      return path
    }
    let main = TreeLabel.actor(.main)
    func program(_ function: String) -> TreeLabel {
      .frame(CodeFrame(file: "program", function: function))
    }
    #expect(
      Set(paths) == [
        [main, program("main"), program("walk"), .leaf(.ownCode)],
        [main, program("main"), .leaf(.pageFaults)],
        [main, program("main"), .leaf(.call("fstat"))],
        [main, program("main"), .leaf(.call("openat"))],
        [main, .notSampled, .leaf(.wait("read"))],
      ]
    )
    let times = zip(paths, ends).filter { $0.0.contains(.leaf(.ownCode)) }.map(\.1.change.after)
    #expect(times == [Nanoseconds(300_000)])
  }
}
