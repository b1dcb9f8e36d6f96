package import LaunchCore
package import LaunchStatistics
package import Stages

/// Why launches of one program take longer than those of another, or where the time of one goes.
package struct LaunchExplanation: Hashable, Sendable {
  /// How many blocks the figures are of, and how many were left out as unusual.
  package var blocks: Int
  package var droppedBlocks: Int

  /// The whole launches.
  package var difference: LaunchDifference

  /// What a part must differ by to be called different, in nanoseconds.
  package var floor: Double

  /// Why, the largest part first; no time is in two of them.
  package var reasons: [LaunchReason]

  /// What was named before, and was not there again in later launches.
  package var withdrawn: [LaunchReason]

  /// Which share of the difference the reasons make up; nil without a difference.
  package var coverage: Coverage?

  /// What is left of the difference without the reasons.
  package var unattributed: TimeChange?

  /// The time by actor, function and what it did.
  ///
  /// The root comes first, and parents before children. There are no functions where nothing was
  /// sampled.
  package var tree: [TreeNode]

  /// The time by resource, in the same way.
  package var resources: [TreeNode]

  /// The time by what clocks can tell apart, the largest difference first.
  package var classes: [ClassChange]

  /// What happened another number of times, the largest difference first.
  package var counts: [CountChange]

  /// What came from files into the page cache, most pages first; only of one program alone.
  package var pageIns: [PageInCount]

  /// The libraries that only one of the two has in memory.
  package var libraries: LibraryChange

  /// How the files of the two programs differ; nil where they were not compared.
  package var code: CodeDifference?

  /// How the launches differ in instructions; nil where those were not counted.
  package var instructions: InstructionDifference?

  package var notes: [Note]

  /// How the samples were read, for later blocks.
  var reading: DividedTime.Reading

  /// How much of a difference is explained.
  package struct Coverage: Hashable, Sendable {
    package var share: Double
    package var interval: Interval?
  }

  /// A part of the time.
  package struct TreeNode: Hashable, Sendable {
    package var id: Int

    /// Nil for the root.
    package var parent: Int?
    package var label: TreeLabel?
    package var change: TimeChange
    package var isSignificant: Bool
  }

  /// The time of what an actor did in one way.
  package struct ClassChange: Hashable, Sendable {
    package var key: ClassKey
    package var change: TimeChange
  }

  /// Libraries by the last parts of their paths, sorted.
  package struct LibraryChange: Hashable, Sendable {
    package var new: [String] = []
    package var gone: [String] = []
  }

  /// What the reader must know of the figures.
  package enum Note: Hashable, Sendable {
    /// Nothing was sampled, so there is no view by code.
    case notSampled

    /// Too few blocks have both launches for anything to be called different.
    case fewBlocks(count: Int, needed: Int)

    /// Equal and opposite differences of two actors: another of them decides when the launch is
    /// ready.
    case pathSwitched(from: LaunchActor, to: LaunchActor, amount: Nanoseconds)

    /// The events do not say what this share of the launch was.
    case unknownTime(share: Double)

    /// Plain and traced launches do not agree on the difference.
    case tracedDiffersFromPlain(plain: TimeChange, traced: TimeChange)

    /// There was no room for some samples.
    case lostSamples(count: Int)
  }
}

/// How two programs differ in the time of their launches.
package struct LaunchDifference: Hashable, Sendable {
  /// Of launches that nothing looked into; nil where there are none.
  package var plain: TimeChange?

  /// On the critical path, without waiting for processors and without launchlab's own time.
  package var traced: TimeChange
  package var queue: TimeChange
  package var harness: TimeChange
}

/// The mean time of a part in both programs.
package struct TimeChange: Hashable, Sendable {
  /// Zero where there is one program only.
  package var before: Nanoseconds
  package var after: Nanoseconds

  /// The 95 % interval of the difference in nanoseconds, from pairs; nil with fewer than two.
  package var interval: Interval?

  package init(before: Nanoseconds, after: Nanoseconds, interval: Interval?) {
    self.before = before
    self.after = after
    self.interval = interval
  }

  package var difference: Nanoseconds { after - before }

  /// Compares the values of blocks in nanoseconds, two lists of equal length.
  init(_ values: Sides<[Double]>) {
    let count = values.after.count
    func mean(_ values: [Double]) -> Double {
      values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }
    before = Nanoseconds(Int64(clamping: mean(values.before).rounded()))
    after = Nanoseconds(Int64(clamping: mean(values.after).rounded()))
    let differences = zip(values.after, values.before).map { $0 - $1 }
    interval =
      count < 2
      ? nil : meanInterval(of: differences, around: mean(values.after) - mean(values.before))
  }
}

/// The 95 % interval of a mean by Student's t.
///
/// - Parameters:
///   - values: At least two.
///   - center: What the interval lies around; the mean where it is nil.
/// - Returns: In the unit of the values.
func meanInterval(of values: [Double], around center: Double? = nil) -> Interval? {
  guard let sample = try? Sample(values), let deviation = sample.standardDeviation else {
    return nil
  }
  let count = Double(values.count)
  let reach =
    StudentT.quantile(0.975, degreesOfFreedom: count - 1) * deviation / count.squareRoot()
  let center = center ?? sample.mean
  return Interval(low: center - reach, high: center + reach)
}

/// A part of the difference that has a name.
package struct LaunchReason: Hashable, Sendable {
  /// From 1 on, by the size of the difference.
  package var rank: Int
  package var kind: ReasonKind

  /// Nil where the part is of several actors.
  package var actor: LaunchActor?

  /// The functions on the way to it, outermost first; empty where that is not known.
  package var path: [CodeFrame]

  /// The functions below it on the way to most of it, outermost first.
  package var hotPath: [CodeFrame]

  /// The system call that most of it is in, if most of it is in one.
  package var call: String?

  /// What it is done to, such as a file, an address or the name of a program.
  package var object: String?

  package var change: TimeChange

  /// Which part of the whole difference it is; nil where there is no difference.
  package var share: Double?
  package var novelty: Novelty

  /// What happened another number of times in it, the largest difference first.
  package var counts: [CountChange]

  /// Whether it names anything; else it only says which part could not be divided further, and does
  /// not count as explained.
  package var isSpecific: Bool

  /// How many blocks launched later it was found in again; nil where it was not looked for.
  package var confirmedBlocks: Int?

  /// What was counted of the functions on its call path; nil where nothing was.
  package var counted: CountedCode?

  /// Whether its call path is that of most of the instructions, and not that of its samples.
  package var isFromCounts = false

  /// The changed function on its call path that it comes from; nil where no function on the path
  /// differs, or that is not known.
  package var blame: Blame?

  /// The module of an interpreter whose loading most of it is; nil where there is none.
  var module: ModuleComparison.Change?

  /// What its time is the sum of.
  var parts: [ReasonPart]

  /// How the two programs differ in a part.
  package enum Novelty: String, Codable, Sendable { case new, gone, more, less }
}

/// What kind of thing a reason is; the raw value is the name used in JSON.
package enum ReasonKind: String, Codable, Sendable {
  case ownCode = "own-code"
  case pageFault = "page-fault"
  case syscall
  case file
  case sleep
  case lock
  case thread
  case socket
  case disk
  case child
  case library
  case initializer
  case data
  case other
}

/// How often something happens in a launch of each program.
package struct CountChange: Hashable, Sendable {
  /// An object that ends with `/` stands for everything in that directory.
  package var thing: CountedThing

  /// The usual count, in most launches where it is certain, and else the median.
  package var before: Double
  package var after: Double

  /// Whether nearly all launches of a program have the same count.
  package var isCertain: Bool

  package var difference: Double { after - before }
}

/// How many pages of a file come into the page cache in a launch, as medians.
package struct PageInCount: Hashable, Sendable {
  /// Nil for what is not known, such as directories on the way to a program.
  package var file: String?
  package var pages: Int

  /// Those of them that the launch had not asked for yet.
  package var readAhead: Int
}
