/// What a collector saw of one launch, before anything is concluded from it.
package struct StageObservation: Hashable, Sendable {
  /// What really collected.
  package var collector: StageCollector

  /// The instant just before `execve`, on the monotonic clock, as every time here.
  package var begin: Nanoseconds

  /// The ready instant; nil when the target did not become ready.
  package var ready: Nanoseconds?

  /// The process that was launched.
  package var process: Int32

  /// The process that said it is ready, where one said so.
  package var readyProcess: Int32?

  /// The program that the stages are asked of; nil for the one that became ready.
  package var chosen: ChosenProgram?

  /// In the order in which they were claimed.
  package var events: [LaunchEvent]

  /// How many events found no room.
  package var lostEvents: Int

  /// What the dynamic loader wrote of itself.
  package var loaderText: [UInt8]

  /// The version of the loader that wrote it, and how many of its cycles are a second, where known.
  package var loader: LoaderFacts?

  /// Whether the program has a dynamic loader, where its file was looked into.
  package var hasLoader: Bool?

  /// What could not be had, and why, as sentences without a full stop.
  package var notes: [String]

  package init(
    collector: StageCollector,
    begin: Nanoseconds,
    ready: Nanoseconds?,
    process: Int32,
    readyProcess: Int32? = nil,
    events: [LaunchEvent] = [],
    lostEvents: Int = 0,
    loaderText: [UInt8] = [],
    loader: LoaderFacts? = nil,
    hasLoader: Bool? = nil,
    notes: [String] = []
  ) {
    self.collector = collector
    self.begin = begin
    self.ready = ready
    self.process = process
    self.readyProcess = readyProcess
    self.events = events
    self.lostEvents = lostEvents
    self.loaderText = loaderText
    self.loader = loader
    self.hasLoader = hasLoader
    self.notes = notes
  }
}

/// The executable of a launch that is asked for, where the command is only its launcher.
package struct ChosenProgram: Hashable, Sendable {
  /// The last component of its path, or an absolute path.
  package var name: String

  /// The executable that is found under the name, with symbolic links followed and that of its
  /// interpreter for a script; nil where none is.
  package var file: String?

  package init(name: String, file: String? = nil) {
    self.name = name
    self.file = file
  }

  /// Whether an executable is meant, by the path that the kernel has of it.
  package func matches(_ path: String) -> Bool {
    [file, name].contains(path) || path.split(separator: "/").last.map(String.init) == name
  }
}

/// What must be known of a dynamic loader to read its statistics.
package struct LoaderFacts: Hashable, Sendable {
  package var glibc: GlibcVersion?
  package var cyclesPerSecond: Double?

  package init(glibc: GlibcVersion?, cyclesPerSecond: Double?) {
    self.glibc = glibc
    self.cyclesPerSecond = cyclesPerSecond
  }
}

/// Something that happened at an instant of a launch, or between two.
package struct LaunchEvent: Hashable, Sendable {
  package var kind: Kind

  package var pid: Int32

  /// On the monotonic clock.
  package var time: Nanoseconds

  /// Nil for an instant, and for something that did not end.
  package var end: Nanoseconds?

  /// What the kind says.
  package var address: UInt64

  /// The number of a loaded object within its process and program, from 0; what the kind says.
  package var object: UInt32

  /// A path or a name; what the kind says.
  package var text: String

  package init(
    kind: Kind,
    pid: Int32,
    time: Nanoseconds,
    end: Nanoseconds? = nil,
    address: UInt64 = 0,
    object: UInt32 = 0,
    text: String = ""
  ) {
    self.kind = kind
    self.pid = pid
    self.time = time
    self.end = end
    self.address = address
    self.object = object
    self.text = text
  }

  /// What happened.
  package enum Kind: CaseIterable, Sendable {
    // The probe.

    /// The probe was loaded: a new program in this process. `text` is the executable.
    case programBegan

    /// An object was mapped. `address` is its load address, `text` its path.
    case objectOpened

    /// The loader begins to add objects.
    case adding

    /// The loader has added and, before `main`, relocated what it was adding.
    case consistent

    /// An initializer ran. `address` is the function, `object` its library.
    case initializer

    /// `main` is about to run.
    case mainBegins

    /// Initializers were counted: `address` are the entries found, `object` those that are timed.
    case initializersFound

    /// The initializers of an object cannot be timed: `address` is the errno, `object` the library.
    case initializersUntimed

    /// The loader is of a glibc before 2.35, and the probe has withdrawn. `address` is the version
    /// of its audit interface.
    case loaderTooOld

    // Breakpoints.

    /// The kernel has executed the program `text`, and nothing of it has run. Up to `end` the
    /// collector kept it from running.
    case executed

    /// The loader reached `_dl_debug_state`: first when it adds, with `object` 0, then when it is
    /// consistent, with `object` 1. The loader of musl does the second only.
    case loaderState

    /// The entry point of the program; for a static one its very start.
    case entered

    /// The function `main`, or `main.main` of Go.
    case mainReached

    /// Go's `runtime.main`, which runs the package initializers.
    case runtimeMain

    /// A page of a file was missing from the page cache. `address` is the offset of the page in
    /// the file `text`; the offset is all ones where it is not known.
    case majorFault

    // The marks API.

    /// `launch_mark`; `text` is its name.
    case mark

    /// `launch_interval_begin` to `launch_interval_end`; `text` is its name.
    case interval

    /// A start-up task; `text` is its name.
    case task

    /// A phase of start-up tasks; `text` is its name.
    case phase

    /// Whether a launch mark says it.
    package var isMark: Bool { [.mark, .interval, .task, .phase].contains(self) }
  }
}

/// What the processes of a launch were doing shortly before its time ran out.
package struct TreeSight: Hashable, Sendable {
  /// The names of the processes, that of the target first.
  package var processes: [String]

  /// The processor time that all of them used in ``window``.
  package var used: Nanoseconds

  /// How long they were looked at.
  package var window: Nanoseconds

  /// Whether some thread was running, or waited for storage, at the end of it.
  package var isActive: Bool

  /// The TCP ports that they listen on, such as `127.0.0.1:8080`, ascending.
  package var ports: [String]

  /// The paths of the Unix sockets that they listen on, ascending.
  package var sockets: [String]

  /// The regular files that they have open, ascending.
  package var files: [String]

  package init(
    processes: [String],
    used: Nanoseconds = .zero,
    window: Nanoseconds = .zero,
    isActive: Bool = false,
    ports: [String] = [],
    sockets: [String] = [],
    files: [String] = []
  ) {
    self.processes = processes
    self.used = used
    self.window = window
    self.isActive = isActive
    self.ports = ports
    self.sockets = sockets
    self.files = files
  }

  /// Whether they wait for something that does not come: nothing was computed or read.
  package var isAsleep: Bool { used == .zero && !isActive }
}
