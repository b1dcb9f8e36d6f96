import LaunchCore
import LaunchStatistics
import Stages

@testable import Explanation

/// Explanations that are made up, with numbers that add up.
enum SampleExplanation {
  /// Two builds of a program: the second searches plugins, and waits for a device.
  static var slower: ExplanationResult {
    let main = TreeLabel.actor(.main)
    let start = [main, frame("main")]
    let config = start + [frame("parse_config")]
    let plugins = start + [frame("load_plugins"), frame("scan_plugins")]
    let device = start + [frame("wait_for_device")]
    let loader = [
      main, frame("_dl_start", "ld-linux-x86-64.so.2"), frame("dl_main", "ld-linux-x86-64.so.2"),
    ]
    var tree = SampleTree()
    tree.add(
      loader + [frame("_dl_relocate_object", "ld-linux-x86-64.so.2"), .leaf(.ownCode)],
      700,
      710
    )
    tree.add(loader + [.leaf(.call("mmap"))], 200, 200)
    tree.add(loader + [.leaf(.pageFaults)], 300, 305)
    tree.add(
      config + [frame("std::vector<int, std::allocator<int>>::push_back(int&&)"), .leaf(.ownCode)],
      500,
      510
    )
    tree.add(config + [.leaf(.call("read"))], 100, 100)
    tree.add(start + [frame("old_cache"), .leaf(.ownCode)], 400, 0, isSignificant: true)
    tree.add(plugins + [.leaf(.ownCode)], 0, 150, isSignificant: true)
    tree.add(plugins + [.leaf(.call("openat"))], 0, 700, isSignificant: true)
    tree.add(plugins + [.leaf(.call("read"))], 0, 250, isSignificant: true)
    tree.add(device + [.leaf(.wait("clock_nanosleep"))], 0, 5_200, isSignificant: true)
    tree.add([.actor(.threadOf(function: "worker")), frame("worker"), .leaf(.ownCode)], 300, 305)
    tree.add([main, .notSampled, .leaf(.diskWait)], 100, 95)

    var resources = SampleTree()
    resources.add([.resource("own code")], 2_200, 1_980, isSignificant: true)
    resources.add(resource("kernel", "mmap"), 200, 200)
    resources.add(resource("files", "/etc", "/etc/app.conf", "read"), 100, 100)
    resources.add(
      resource("files", "plugins", "plugins/a.so", "openat"),
      0,
      700,
      isSignificant: true
    )
    resources.add(resource("files", "plugins", "plugins/b.so", "read"), 0, 250, isSignificant: true)
    resources.add(resource("waits", "clock_nanosleep"), 0, 5_200, isSignificant: true)
    resources.add([.resource("disk")], 100, 95)

    let opened = count(.call(name: "openat", object: "plugins/"), 0, 40)
    let read = count(.call(name: "read", object: "plugins/"), 0, 40)
    let slept = count(.call(name: "clock_nanosleep", object: nil), 0, 1)
    let faults = count(.faults(file: nil), 310, 322.5, isCertain: false)
    let stat = count(.call(name: "newfstatat", object: "/usr/share/zoneinfo/"), 2, 3)
    let explanation = LaunchExplanation(
      blocks: 8,
      droppedBlocks: 0,
      difference: LaunchDifference(
        plain: change(2_650, 8_570, within: 350),
        traced: change(2_600, 8_525, within: 300),
        queue: change(400, 420, within: 90),
        harness: change(40, 41, within: 3)
      ),
      floor: 474_000,
      reasons: [
        reason(
          1,
          .sleep,
          ["main", "wait_for_device"],
          "clock_nanosleep",
          nil,
          change(0, 5_200, within: 40),
          0.878,
          .new,
          [slept],
          confirmed: 8
        ),
        reason(
          2,
          .file,
          ["main", "load_plugins"],
          "openat",
          "plugins/",
          change(0, 1_100, within: 90),
          0.186,
          .new,
          [opened, read],
          hotPath: ["scan_plugins"],
          confirmed: 8
        ),
        reason(
          3,
          .ownCode,
          ["main", "old_cache"],
          nil,
          nil,
          change(400, 0, within: 30),
          -0.068,
          .gone,
          [],
          confirmed: 8
        ),
      ],
      withdrawn: [
        reason(
          1,
          .ownCode,
          ["main", "parse_config"],
          nil,
          nil,
          change(600, 610, within: 30),
          0.08,
          .more,
          []
        )
      ],
      coverage: LaunchExplanation.Coverage(share: 0.996, interval: Interval(low: 0.95, high: 1.02)),
      unattributed: change(0, 25, within: 80),
      tree: tree.nodes,
      resources: resources.nodes,
      classes: [
        time(.main, .wait("clock_nanosleep"), 0, 5_200),
        time(.main, .call("openat"), 0, 700), time(.main, .call("read"), 100, 350),
        time(.main, .ownCode, 1_900, 1_675), time(.main, .call("mmap"), 200, 200),
        time(.threadOf(function: "worker"), .ownCode, 300, 305),
        time(.main, .diskWait, 100, 95),
      ],
      counts: [opened, read, faults, slept, stat],
      pageIns: [],
      libraries: LaunchExplanation.LibraryChange(),
      notes: [],
      reading: reading
    )
    return ExplanationResult(
      arms: [
        ExplanationResult.Arm(name: "A", command: ["./app-old", "--version"]),
        ExplanationResult.Arm(name: "B", command: ["./app-new", "--version"]),
      ],
      explanation: explanation,
      collectors: [
        ExplanationResult.Collector(.plain, launches: 16),
        ExplanationResult.Collector(.timeline, launches: 16, costRatio: 1.04),
        ExplanationResult.Collector(.profile, launches: 16, costRatio: 1.243),
      ],
      freshBlocks: 8,
      files: ["explain.svg", "explain.json"]
    )
  }

  /// The second of these programs alone.
  static var single: ExplanationResult {
    var result = slower
    var explanation = result.explanation
    func alone(_ change: TimeChange) -> TimeChange {
      let half = change.interval.map { ($0.high - $0.low) / 2 }
      return TimeChange(
        before: .zero,
        after: change.after,
        interval: half.map {
          Interval(low: Double(change.after.count) - $0, high: Double(change.after.count) + $0)
        }
      )
    }
    explanation.difference = LaunchDifference(
      plain: explanation.difference.plain.map(alone),
      traced: alone(explanation.difference.traced),
      queue: alone(explanation.difference.queue),
      harness: alone(explanation.difference.harness)
    )
    for index in explanation.tree.indices {
      explanation.tree[index].change = alone(explanation.tree[index].change)
      explanation.tree[index].isSignificant = false
    }
    for index in explanation.resources.indices {
      explanation.resources[index].change = alone(explanation.resources[index].change)
      explanation.resources[index].isSignificant = false
    }
    for index in explanation.classes.indices {
      explanation.classes[index].change = alone(explanation.classes[index].change)
    }
    explanation.reasons = []
    explanation.withdrawn = []
    explanation.coverage = nil
    explanation.unattributed = nil
    explanation.counts = []
    result.explanation = explanation
    result.arms = [ExplanationResult.Arm(name: "app", command: ["./app-new", "--version"])]
    result.freshBlocks = nil
    result.files = []
    return result
  }

  /// Two programs that take the same time.
  static var same: ExplanationResult {
    var result = slower
    var explanation = result.explanation
    explanation.reasons = []
    explanation.withdrawn = []
    explanation.coverage = nil
    explanation.unattributed = nil
    explanation.counts = []
    explanation.floor = 60_000
    explanation.difference.plain = change(2_650, 2_660, within: 40)
    explanation.difference.traced = change(2_600, 2_605, within: 20)
    explanation.difference.queue = change(400, 390, within: 50)
    result.explanation = explanation
    result.freshBlocks = nil
    result.files = []
    return result
  }

  /// Programs with many functions with long names, and deep stacks.
  static let large: ExplanationResult = {
    var result = slower
    var tree = SampleTree()
    var generator = SplitMix64(seed: 7)
    for number in 0..<1_500 {
      var path: [TreeLabel] = [.actor(number % 9 == 0 ? .thread(number: 1) : .main), frame("main")]
      for level in 0..<(4 + number % 30) {
        let name = "ns::Engine<Policy\(level % 3)>::step_\(level)_\(number % (level + 1))(int)"
        path.append(frame(name))
      }
      let before = Double(generator.next() % 400) / 20
      let isNew = number % 50 == 0
      let isGone = number % 70 == 1
      let leaf: TimeLeaf =
        number % 11 == 0 ? .wait("futex") : number % 5 == 0 ? .call("read") : .ownCode
      tree.add(
        path + [.leaf(leaf)],
        isNew ? 0 : before,
        isGone ? 0 : isNew ? 60 : before * 1.02,
        isSignificant: isNew || isGone
      )
    }
    result.explanation.tree = tree.nodes
    return result
  }()

  // MARK: - Pieces

  /// Times in microseconds, and half of the interval of their difference.
  static func change(_ before: Double, _ after: Double, within half: Double? = nil) -> TimeChange {
    let difference = (after - before) * 1_000
    return TimeChange(
      before: Nanoseconds(Int64(before * 1_000)),
      after: Nanoseconds(Int64(after * 1_000)),
      interval: half.map {
        Interval(low: difference - $0 * 1_000, high: difference + $0 * 1_000)
      }
    )
  }

  static func frame(_ function: String, _ file: String = "program") -> TreeLabel {
    .frame(CodeFrame(file: file, function: function))
  }

  static func resource(_ names: String...) -> [TreeLabel] { names.map(TreeLabel.resource) }

  static func count(
    _ thing: CountedThing,
    _ before: Double,
    _ after: Double,
    isCertain: Bool = true
  ) -> CountChange {
    CountChange(thing: thing, before: before, after: after, isCertain: isCertain)
  }

  static func time(
    _ actor: LaunchActor,
    _ activity: ActivityClass,
    _ before: Double,
    _ after: Double
  ) -> LaunchExplanation.ClassChange {
    LaunchExplanation.ClassChange(
      key: ClassKey(actor: actor, activity: activity),
      change: change(before, after, within: 20)
    )
  }

  static func reason(
    _ rank: Int,
    _ kind: ReasonKind,
    _ functions: [String],
    _ call: String?,
    _ object: String?,
    _ change: TimeChange,
    _ share: Double?,
    _ novelty: LaunchReason.Novelty,
    _ counts: [CountChange],
    actor: LaunchActor? = .main,
    hotPath: [String] = [],
    confirmed: Int? = nil
  ) -> LaunchReason {
    LaunchReason(
      rank: rank,
      kind: kind,
      actor: actor,
      path: functions.map { CodeFrame(file: "program", function: $0) },
      hotPath: hotPath.map { CodeFrame(file: "program", function: $0) },
      call: call,
      object: object,
      change: change,
      share: share,
      novelty: novelty,
      counts: counts,
      isSpecific: true,
      confirmedBlocks: confirmed,
      parts: []
    )
  }

  /// Nothing that was read.
  private static var reading: DividedTime.Reading { Attribution().division(of: []).reading }
}

/// A tree whose nodes are the sums of what is added at its ends.
struct SampleTree {
  private(set) var nodes = [
    LaunchExplanation.TreeNode(
      id: 0,
      parent: nil,
      label: nil,
      change: TimeChange(before: .zero, after: .zero, interval: nil),
      isSignificant: false
    )
  ]

  private var places: [Step: Int] = [:]

  private struct Step: Hashable {
    var parent: Int
    var label: TreeLabel
  }

  /// Adds times in microseconds at the end of a path, and to all nodes on the way.
  mutating func add(
    _ path: [TreeLabel],
    _ before: Double,
    _ after: Double,
    isSignificant: Bool = false
  ) {
    let change = SampleExplanation.change(before, after)
    var place = 0
    add(change, to: 0, isSignificant)
    for label in path {
      let step = Step(parent: place, label: label)
      let child = places[step]
      if child == nil {
        places[step] = nodes.count
        nodes.append(
          LaunchExplanation.TreeNode(
            id: nodes.count,
            parent: place,
            label: label,
            change: TimeChange(before: .zero, after: .zero, interval: nil),
            isSignificant: false
          )
        )
      }
      place = child ?? nodes.count - 1
      add(change, to: place, isSignificant)
    }
  }

  private mutating func add(_ change: TimeChange, to place: Int, _ isSignificant: Bool) {
    let old = nodes[place].change
    let (before, after) = (old.before + change.before, old.after + change.after)
    let difference = Double((after - before).count)
    nodes[place].change = TimeChange(
      before: before,
      after: after,
      interval: Interval(low: difference - 40_000, high: difference + 40_000)
    )
    nodes[place].isSignificant = nodes[place].isSignificant || isSignificant
  }
}
