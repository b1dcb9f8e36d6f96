/// Where the threads of one launch were, at the ticks of a timer that runs with each of them, and
/// where they stopped running to wait.
///
/// Every instant is one of the monotonic clock.
package struct LaunchProfile: Hashable, Codable, Sendable {
  /// The instant just before `execve`.
  package var begin: Nanoseconds

  /// When the target was ready.
  package var ready: Nanoseconds

  /// The process that was launched; the id of its first thread is the same.
  package var process: Int32

  /// How much processor time lies between two samples of a thread.
  package var period: Nanoseconds

  /// In order of time; some of them after ``ready``.
  package var samples: [ProfileSample]

  /// What was started and executed, in order of time.
  package var tasks: [ProfileTask]

  /// The paths of the files with code that the processes mapped, each once, sorted.
  package var files: [String]

  /// How many samples, or records of what is mapped and started, there was no room for.
  package var lostSamples: Int

  /// Whether threads were sampled in the kernel, too; where that was refused, the time that they
  /// spent there has no samples.
  package var samplesKernel: Bool

  package init(
    begin: Nanoseconds,
    ready: Nanoseconds,
    process: Int32,
    period: Nanoseconds,
    samples: [ProfileSample],
    tasks: [ProfileTask] = [],
    files: [String] = [],
    lostSamples: Int = 0,
    samplesKernel: Bool = true
  ) {
    self.begin = begin
    self.ready = ready
    self.process = process
    self.period = period
    self.samples = samples
    self.tasks = tasks
    self.files = files
    self.lostSamples = lostSamples
    self.samplesKernel = samplesKernel
  }
}

/// Where a thread was at one instant.
package struct ProfileSample: Hashable, Codable, Sendable {
  package var time: Nanoseconds
  package var process: Int32
  package var thread: Int32

  /// The functions of the kernel, the outermost first; empty in own code.
  package var kernel: [String]

  /// The functions of the program and its libraries, the outermost first; empty while a program is
  /// executed, or while a process ends.
  package var user: [CodeFrame]

  /// Whether the outermost functions are missing, such as those of a stack that was too deep to be
  /// copied.
  package var isCut: Bool

  /// How long it did not run from then on, for a thread that stopped there to wait; nil for one that
  /// was running.
  package var waited: Nanoseconds?

  package init(
    time: Nanoseconds,
    process: Int32,
    thread: Int32,
    kernel: [String] = [],
    user: [CodeFrame],
    isCut: Bool = false,
    waited: Nanoseconds? = nil
  ) {
    self.time = time
    self.process = process
    self.thread = thread
    self.kernel = kernel
    self.user = user
    self.isCut = isCut
    self.waited = waited
  }
}

/// A function of a file.
package struct CodeFrame: Hashable, Codable, Sendable {
  /// The path of the file; empty for code that is in none, such as that of a just-in-time compiler,
  /// and `[vdso]` for what the kernel lends to every process.
  package var file: String

  /// Its readable name, or where it begins, such as `+0x1f100`, in a stripped file.
  ///
  /// Where not even that is known: `[code in no file]`, such as that of a JIT compiler, `[unreadable]`
  /// in a file that cannot be read, else `[entry]` where the file is entered, and `[unnamed]`.
  package var function: String

  package init(file: String, function: String) {
    self.file = file
    self.function = function
  }

  /// A name without what compilers add to the parts and copies that they make of a function.
  ///
  /// - Parameter function: A readable name, such as `walk.isra.0` or `walk(int) [clone .cold]`.
  /// - Returns: Such as `walk` or `walk(int)`.
  package static func plainName(_ function: String) -> String {
    guard let end = additions.compactMap({ function.firstRange(of: $0)?.lowerBound }).min(),
      end > function.startIndex
    else { return function }
    return String(function[..<end])
  }

  private static let additions = [
    " [clone .", ".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", ".llvm.",
  ]
}

/// The start of a thread or the execution of a program in a profiled launch.
package struct ProfileTask: Hashable, Codable, Sendable {
  package var time: Nanoseconds
  package var process: Int32
  package var thread: Int32

  package var kind: Kind

  package init(time: Nanoseconds, process: Int32, thread: Int32, kind: Kind) {
    self.time = time
    self.process = process
    self.thread = thread
    self.kind = kind
  }

  package enum Kind: Hashable, Codable, Sendable {
    /// The thread was started by another; of the same process if `process` is.
    case started(byThread: Int32, process: Int32)

    /// The process executed a program of this name, at most 15 bytes.
    case executed(name: String)
  }
}
