import LaunchCore
import Rendering

/// A line of a list of stages.
struct StageRow {
  var depth: Int
  var title: String
  var stage: StageSummary

  /// Whether it is one of the sums that a reader looks for first.
  var isTotal = false
}

/// The lists that are shown of the stages of a launch.
struct StageRows {
  let summary: StagesSummary

  /// Whether everything is shown, also what is too short to matter.
  let showsAll: Bool

  /// As dyld does, code below 2 % of the total pre-main time is left out.
  private static let shownShare = 0.02

  /// The most marks, and other things after `main`, that are listed unless everything is.
  private static let mostListed = 24

  /// The total pre-main time, or the launch where `main` was not seen; 0 where neither is known.
  private var total: Double { summary.preMain?.median ?? summary.launch.median ?? 0 }

  private func isShown(_ stage: StageSummary) -> Bool {
    showsAll || (stage.median ?? 0) >= total * Self.shownShare
  }

  /// The stages of the launch, the total pre-main time first, as dyld has it.
  var stages: [StageRow] {
    let before = summary.preMain.map {
      [StageRow(depth: 0, title: "total pre-main time", stage: $0, isTotal: true)]
    }
    let parts = summary.launch.children.filter { $0.name != StageName.spawn && $0.kind == .part }
    let launcher = parts.filter { $0.name == StageName.launcher }
    let fixed = parts.dropFirst(launcher.count).flatMap { part in
      [StageName.mainToReady, StageName.afterProgram].contains(part.name)
        ? [StageRow(depth: 0, title: StageWords.title(part), stage: part)] + division(of: part)
        : premain(part)
    }
    return launcher.flatMap(Self.withWrappers) + (before ?? []) + fixed
      + [StageRow(depth: 0, title: "launch", stage: summary.launch, isTotal: true)]
  }

  /// As many objects of a part tell what it was.
  private static let mostObjects = 3

  /// What a stage after `main` is divided into, the longest first, each with its largest objects;
  /// unless everything is shown, only what takes a fiftieth of the launch.
  private func division(of part: StageSummary) -> [StageRow] {
    let least = showsAll ? 1 : (summary.launch.median ?? 0) * Self.shownShare
    func longest(_ stages: [StageSummary]) -> [StageSummary] {
      stages.filter { ($0.median ?? 0) >= least }.sorted(by: Self.isSlower)
    }
    return longest(part.children.filter { $0.kind == .part }).flatMap { group in
      [StageRow(depth: 1, title: StageWords.title(group), stage: group)]
        + longest(group.children).prefix(showsAll ? .max : Self.mostObjects).map {
          StageRow(depth: 2, title: StageWords.title($0), stage: $0)
        }
    }
  }

  private func premain(_ part: StageSummary) -> [StageRow] {
    let parts = part.children.filter {
      $0.kind == .part && $0.place == nil && $0.flags != [.folded]
    }
    let below = parts.flatMap { stage in
      [StageRow(depth: 2, title: StageWords.title(stage), stage: stage)]
        + stage.children.filter { $0.name == StageName.loaderOther && $0.median != 0 }
        .map { StageRow(depth: 3, title: "outside initializers", stage: $0) }
    }
    return Self.withWrappers(part) + below
  }

  /// A stage before the program, with the programs that led to it.
  private static func withWrappers(_ part: StageSummary) -> [StageRow] {
    let depth = part.name == StageName.launcher ? 0 : 1
    let wrappers = part.children.filter { stage in
      [StageName.exec, StageName.launcher].contains(part.name) && stage.kind == .detail
        && !stage.name.hasPrefix(otherPrefix)
    }
    return [StageRow(depth: depth, title: StageWords.title(part), stage: part)]
      + wrappers.map {
        StageRow(depth: depth + 1, title: "via \(StageWords.title($0))", stage: $0)
      }
  }

  /// The libraries that took longest to find and map, the slowest first.
  var slowestLibraries: [StageRow] {
    let libraries = summary.launch.child(StageName.load)?.children ?? []
    return libraries.filter { $0.kind == .part && isShown($0) && !isHidden($0) }
      .sorted(by: Self.isSlower)
      .map { StageRow(depth: 1, title: StageWords.shortTitle($0), stage: $0) }
  }

  /// The initializers that took longest, below their libraries, the slowest first.
  ///
  /// A library that is shown has at least its slowest initializer.
  var slowestInitializers: [StageRow] {
    let windows = summary.launch.child(StageName.initializers)?.children ?? []
    let libraries = windows.flatMap(\.children).filter { $0.kind == .part && $0.place != nil }
    return libraries.filter(isShown).sorted(by: Self.isSlower).flatMap { library in
      let sorted = library.children.filter { $0.kind == .part && !isHidden($0) }
        .sorted(by: Self.isSlower)
      let count = max(1, sorted.count(where: isShown))
      let size = Self.size(of: library)
      return [StageRow(depth: 1, title: StageWords.shortTitle(library) + size, stage: library)]
        + sorted.prefix(count).map {
          StageRow(depth: 2, title: StageWords.title($0), stage: $0)
        }
    }
  }

  /// How many initializers a library has, where it is known and more than one.
  private static func size(of library: StageSummary) -> String {
    let parts = library.children.filter { $0.kind == .part }
    let counts = parts.compactMap { $0.flags.contains(.folded) ? $0.foldedCount : 1 }
    let count = counts.count == parts.count ? counts.reduce(0, +) : 0
    return count > 1 ? ", \(count) initializers" : ""
  }

  /// Whether it is the sum of short ones, which is none of the slowest though it may be long.
  private func isHidden(_ stage: StageSummary) -> Bool {
    !showsAll && stage.flags.contains(.folded)
  }

  /// Phases and tasks, marks and intervals, and libraries that were loaded later, by their
  /// beginning.
  var later: [StageRow] {
    showsAll ? allLater : Array(allLater.prefix(Self.mostListed))
  }

  /// The first of what the program says with the marks API.
  var marks: [StageRow] {
    Array(allLater.filter { $0.stage.source == .marks }.prefix(Self.mostMarks))
  }

  private static let mostMarks = 12

  /// A detail, or what a part holds of the marks API, such as tasks that run before `main`.
  private static func details(_ stage: StageSummary) -> [StageSummary] {
    guard stage.kind == .part else { return stage.kind == .detail ? [stage] : [] }
    return stage.children.filter { $0.kind == .detail && $0.source == .marks }
  }

  /// Whether the window that the launch waited for is among them.
  var hasWindow: Bool { later.contains { StageName.WindowPart.all.contains($0.stage.name) } }

  /// How many of the later ones are not listed.
  var unlistedCount: Int { allLater.count - later.count }

  private var allLater: [StageRow] {
    guard !isPrinted else { return [] }
    let stages = summary.launch.children.flatMap { part in
      part.kind == .detail && part.source == .marks
        ? [part]
        : [StageName.exec, StageName.launcher].contains(part.name)
          ? [] : part.children.flatMap(Self.details)
    }
    .filter { $0.source != .text && $0.source != .statistics }
    return stages.filter { !$0.name.hasPrefix(Self.otherPrefix) }.flatMap { stage in
      let below = stage.source == .marks ? stage.children : []
      return stage.source == .marks || isShown(stage)
        ? [StageRow(depth: 1, title: StageWords.shortTitle(stage), stage: stage)]
          + below.map { StageRow(depth: 2, title: StageWords.title($0), stage: $0) } : []
    }
  }

  private static let otherPrefix = "pre-main of "

  /// Other programs that were started, each with how often and how long until their `main`.
  var others: [(program: String, count: Int, preMain: Double)] {
    var others: [(program: String, count: Int, preMain: Double)] = []
    let details = summary.launch.children.flatMap(\.children)
    for detail in details where detail.name.hasPrefix(Self.otherPrefix) {
      let program = String(detail.name.dropFirst(Self.otherPrefix.count)).printable
      if let index = others.firstIndex(where: { $0.program == program }) {
        others[index].count += 1
        others[index].preMain += detail.median ?? 0
      } else {
        others.append((program, 1, detail.median ?? 0))
      }
    }
    return others
  }

  /// Stages that were printed, and are no parts of the launch; beside those that were seen, only
  /// what took a hundredth of it.
  var printed: [StageRow] {
    guard isPrinted else {
      let below = summary.launch.child(StageName.mainToReady)?.children ?? []
      let least = showsAll ? 0 : (summary.launch.median ?? 0) / 100
      return rows(below.filter { $0.source == .text }, 1).filter { ($0.stage.median ?? 0) >= least }
    }
    return rows(
      summary.launch.children.filter { $0.kind != .part && $0.name != StageName.spawn },
      1
    )
  }

  /// The printed stages that took longest, in the order they were printed, without their parts.
  var longestPrinted: [StageRow] {
    let rows = printed.filter { $0.depth == 1 }
    let limit = rows.compactMap(\.stage.median).sorted(by: >).prefix(Self.mostLongest).last ?? 0
    return Array(rows.filter { ($0.stage.median ?? 0) >= limit }.prefix(Self.mostLongest))
  }

  private static let mostLongest = 8

  /// Whether stages are known by what was printed of them only.
  private var isPrinted: Bool { summary.collector == .statistics || summary.collector == .text }

  private func rows(_ stages: [StageSummary], _ depth: Int) -> [StageRow] {
    stages.flatMap { stage in
      [StageRow(depth: depth, title: StageWords.title(stage), stage: stage)]
        + (depth < 4 ? rows(stage.children, depth + 1) : [])
    }
  }

  private static func isSlower(_ left: StageSummary, _ right: StageSummary) -> Bool {
    (left.median ?? 0) > (right.median ?? 0)
  }
}

extension StageSummary {
  /// Whether it is a mark, which has an instant and no duration to speak of.
  var isInstant: Bool { source == .marks && median == 0 && children.isEmpty }
}
