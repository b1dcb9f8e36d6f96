/// A named part of a launch, and its own parts.
package struct Stage: Hashable, Codable, Sendable {
  /// One of ``StageName``, or what the stage is about: a library, an initializer, a mark.
  package var name: String

  package var kind: Kind

  /// When it began, since the instant just before `execve`; nil where only durations are known.
  package var start: Nanoseconds?

  /// How long it took; nil when that could not be had, for the reason in `flags`.
  package var duration: Nanoseconds?

  /// How far `duration` may be off, because it is printed or polled that coarsely.
  package var resolution: Nanoseconds

  package var source: StageCollector

  package var flags: [StageFlag]

  /// The code that the stage is about.
  package var place: CodePlace?

  /// In order of their beginning, where that is known.
  package var children: [Stage]

  package init(
    name: String,
    kind: Kind = .part,
    start: Nanoseconds? = nil,
    duration: Nanoseconds?,
    resolution: Nanoseconds = .zero,
    source: StageCollector,
    flags: [StageFlag] = [],
    place: CodePlace? = nil,
    children: [Stage] = []
  ) {
    self.name = name
    self.kind = kind
    self.start = start
    self.duration = duration
    self.resolution = resolution
    self.source = source
    self.flags = flags
    self.place = place
    self.children = children
  }

  /// How a stage relates to the one it belongs to.
  package enum Kind: String, Codable, Sendable {
    /// The parts of a stage sum to it within the resolution.
    case part

    /// It may overlap others, and is not summed.
    case detail

    /// It is shown beside the launch, and is no part of it.
    case excluded
  }
}

/// The stages that every collector's values are brought to.
package enum StageName {
  package static let launch = "launch"

  /// From the beginning of the launch until the chosen program is executed; only where a program is
  /// chosen that is not the launched one.
  package static let launcher = "launcher"

  /// From the `execve` request to the first mark in user space.
  ///
  /// It holds the kernel's part, and what the loader does before it can be watched. For a program
  /// behind wrappers it reaches up to the first mark of that program.
  package static let exec = "exec"

  /// Finding and mapping libraries.
  package static let load = "load"

  /// Relocation: rebase and bind.
  package static let fixup = "fixup"

  /// The set-up of a language's runtime: ObjC, Go, JVM.
  package static let runtimeSetup = "runtime_setup"

  /// Initializers, before `main`.
  package static let initializers = "init"
  package static let libraryInitializers = "init.libraries"
  package static let programInitializers = "init.program"

  /// What the loader took besides, never hidden.
  package static let loaderOther = "loader_other"

  /// From `main` to the ready instant; for `ready: exit` it holds the teardown too.
  package static let mainToReady = "main_to_ready"

  /// How far the user was served meanwhile, of a launch that waits for a window.
  package enum WindowPart {
    /// From `main` until the window was created.
    package static let creation = "window_creation"
    package static let mapping = "window_mapping"

    /// From when it was mapped until it had content.
    package static let frame = "first_frame"
    package static let settling = "settling"

    package static let all = [creation, mapping, frame, settling]
  }

  /// What `main_to_ready` is divided into, where the launch was traced as well: the first thread's time
  /// by resource, then what it waited for in others.
  package enum MainPart {
    package static let ownCode = "main_to_ready.own_code"
    package static let faults = "main_to_ready.page_faults"
    package static let files = "main_to_ready.files"
    package static let disk = "main_to_ready.disk"
    package static let sockets = "main_to_ready.sockets"

    /// Starting, and ending, processes and threads.
    package static let starting = "main_to_ready.starting"

    /// All other system calls.
    package static let calls = "main_to_ready.calls"

    package static let waits = "main_to_ready.waits"
    package static let threads = "main_to_ready.threads"
    package static let processes = "main_to_ready.processes"

    /// Waiting for a processor.
    package static let queue = "main_to_ready.queue"

    /// From when the launch was ready until launchlab noticed.
    package static let harness = "main_to_ready.harness"

    package static let unknown = "main_to_ready.unknown"

    package static let all = [
      ownCode, faults, files, disk, sockets, starting, calls, waits, threads, processes, queue,
      harness, unknown,
    ]
  }

  /// From the end of the chosen program to the ready instant, where it ends before that.
  package static let afterProgram = "after_program"

  /// From before `clone` to the `execve` request.
  package static let spawn = "spawn"
}

/// A place in an executable file or library.
package struct CodePlace: Hashable, Codable, Sendable {
  /// The path of the file as it was loaded.
  package var file: String

  /// The address less the load address of the file; nil for the file as a whole.
  package var offset: UInt64?

  /// The demangled symbol; nil where the file has none for the offset.
  package var symbol: String?

  package init(file: String, offset: UInt64? = nil, symbol: String? = nil) {
    self.file = file
    self.offset = offset
    self.symbol = symbol
  }
}

/// What a reader of a stage's value must know.
///
/// The raw value is the name used in JSON and reports.
package enum StageFlag: String, Hashable, Codable, CaseIterable, Sendable {
  /// An unsigned difference went below zero when it was printed; the value is not usable.
  case wrapped

  /// Calculated from the total and the other stages.
  case repaired

  /// The end was not seen, such as of an initializer that does not return.
  case unfinished

  /// Parts that were too short to keep one by one, together.
  case folded

  /// The boundary was not seen; the value contains the next stage as well.
  case merged

  /// Cannot be had with this collector or for this program.
  case unavailable
}

/// How a scenario asks for stages.
package struct StagePlan: Hashable, Codable, Sendable {
  /// At least one, without repetition.
  package var collectors: [StageCollector]

  /// How many launches of its own each collector gets in each state, at least 1.
  package var launches: Int

  /// Whether the probe takes `LD_AUDIT` out of the target's environment.
  package var isProbeHidden: Bool

  /// Variables that only the launches of the collector `text` get.
  package var environment: [String: String]

  /// Regular expressions with the groups `stage`, `value` and `unit`, for the target's own text.
  package var patterns: [String]

  package init(
    collectors: [StageCollector] = [.probe],
    launches: Int = Self.defaultLaunches,
    isProbeHidden: Bool = false,
    environment: [String: String] = [:],
    patterns: [String] = []
  ) {
    self.collectors = collectors
    self.launches = launches
    self.isProbeHidden = isProbeHidden
    self.environment = environment
    self.patterns = patterns
  }

  package static let defaultLaunches = 5

  /// The collectors that get launches of their own.
  ///
  /// Marks cost next to nothing, and are taken along where the probe or breakpoints collect.
  package var arms: [StageCollector] {
    let carriesMarks = collectors.contains { [.auto, .probe, .breakpoints].contains($0) }
    return collectors.filter { !carriesMarks || $0 != .marks }
  }

  /// Whether marks are wanted, on launches of whatever collector.
  package var hasMarks: Bool { collectors.contains(.marks) }
}

/// A way to see how a launch is spent; its launches are never mixed with plain ones.
///
/// The raw value is the name used in scenarios, JSON, the store and reports.
package enum StageCollector: String, Hashable, Codable, CaseIterable, Sendable {
  /// The probe, what the runtime of a known program prints of its own start when it is asked, and what
  /// `main_to_ready` is spent on where the launch can be traced.
  case auto

  /// An `LD_AUDIT` object in the target: every stage, library and initializer of a dynamic glibc
  /// program.
  case probe

  /// Hardware breakpoints from outside: exec, entry and main of any program, nothing injected.
  case breakpoints

  /// The dynamic loader's own `LD_DEBUG=statistics`.
  case statistics

  /// Text that the target prints itself, such as Go's `inittrace`.
  case text

  /// What the target says with the marks API.
  case marks
}

/// A version of the GNU C library.
package struct GlibcVersion: Hashable, Comparable, CustomStringConvertible, Sendable {
  package var major: Int
  package var minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads a version such as `2.36`; nil for any other text.
  package init?(_ text: String) {
    self.init(beginning: text)
    guard text == description else { return nil }
  }

  /// Reads the two numbers that a text begins with, such as `2.36-9+deb12u7`.
  package init?(beginning text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let major = Int(parts[0]),
      let minor = Int(parts[1].prefix(while: \.isNumber)), major >= 0
    else { return nil }
    self.init(major, minor)
  }

  package var description: String { "\(major).\(minor)" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
