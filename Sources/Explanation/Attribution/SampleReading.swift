import LaunchCore
import Stages

/// Makes the call stacks of both programs comparable: the same thread, process and function is
/// called the same in all launches of both.
///
/// What it decides from some launches is kept for later ones, so that a reason is found again.
struct SampleReading: Hashable, Sendable {
  /// The file of each program itself, which is called `program` in both.
  private(set) var programs: Sides<String?>

  /// What a process is called that runs the program itself, in each program.
  private(set) var launchedNames: Sides<Set<String>>

  /// The start functions of the threads of the launched process, by number.
  private(set) var startFunctions: Sides<[Int: String]>

  /// The whole names of the processes whose samples know the first 15 bytes only.
  private var programNames: [String: String]

  /// Learns the names from all launches.
  ///
  /// - Parameters:
  ///   - launches: Those of both programs.
  ///   - paths: What was launched, where that is known.
  init(_ launches: Sides<[BlockLaunches]>, paths: Sides<String?>) {
    let profiles = launches.map { $0.compactMap(\.profile) }
    let sampled = profiles.map(Self.program)
    programs = Sides(
      before: sampled.before ?? paths.before,
      after: sampled.after ?? paths.after
    )
    programNames = [:]
    launchedNames = Sides(before: [], after: [])
    for arm in Side.allCases {
      launchedNames[arm] = Set([programs[arm], paths[arm]].compactMap { $0?.lastPathPart })
      for profile in profiles[arm] {
        for case .executed(let name) in profile.tasks.filter({ $0.process == profile.process })
          .map(\.kind)
        {
          launchedNames[arm].insert(name)
        }
      }
    }
    startFunctions = Sides(before: [:], after: [:])
    for launch in launches.before + launches.after {
      for case .process(let program, _) in (launch.traced?.classes.keys).map({ $0.map(\.actor) })
        ?? []
      where program.utf8.count > ProfileTask.nameLength {
        programNames[String(decoding: program.utf8.prefix(ProfileTask.nameLength), as: UTF8.self)] =
          program
      }
    }
    let found = Sides(
      before: Self.startFunctions(of: profiles.before),
      after: Self.startFunctions(of: profiles.after)
    )
    startFunctions = found
    // A thread that was sampled in one program only is the same in the other, if there are equally
    // many.
    let counts = launches.map { $0.compactMap(\.traced).map(\.threadCount).max() ?? 0 }
    if counts.before == counts.after {
      startFunctions.before.merge(found.after) { own, _ in own }
      startFunctions.after.merge(found.before) { own, _ in own }
    }
  }

  /// The file that the outermost functions of the first thread are in most often.
  private static func program(of profiles: [LaunchProfile]) -> String? {
    var counts: [String: Int] = [:]
    for profile in profiles {
      for sample in profile.samples where sample.thread == profile.process {
        let frame = sample.user.first { !isStart($0.function) && !isLibrary($0.file) }
        if let frame { counts[frame.file, default: 0] += 1 }
      }
    }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  /// The function that most samples of each thread began in.
  private static func startFunctions(of profiles: [LaunchProfile]) -> [Int: String] {
    var counts: [Int: [String: Int]] = [:]
    for profile in profiles {
      let actors = ProfileActors(profile)
      for sample in profile.samples where sample.time <= profile.ready {
        guard case .thread(let number) = actors.actor(of: sample),
          let frame = sample.user.first(where: { !isThreadStart($0) }),
          // The C library itself begins and ends threads.
          !isCLibrary(frame.file)
        else { continue }
        counts[number, default: [:]][CodeFrame.plainName(frame.function), default: 0] += 1
      }
    }
    return counts.compactMapValues { votes in
      votes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
  }

  /// How an actor is called in both programs.
  func name(of actor: LaunchActor, in arm: Side) -> LaunchActor {
    switch actor {
    case .main, .threadOf: actor
    case .thread(let number): startFunctions[arm][number].map { .threadOf(function: $0) } ?? actor
    case .process(let program, let thread):
      .process(
        program: isLaunched(program, in: arm)
          ? Self.programName : programNames[program] ?? program,
        thread: thread
      )
    }
  }

  private func isLaunched(_ program: String, in arm: Side) -> Bool {
    launchedNames[arm].contains { name in
      name == program
        || (name.utf8.count == ProfileTask.nameLength && program.hasPrefix(name))
    }
  }

  /// What the program itself is called as a file of functions.
  static let programName = "program"

  /// A function as it is compared between the programs; nil where it says nothing.
  func name(of frame: CodeFrame, in arm: Side) -> CodeFrame {
    let isProgram = frame.file == programs[arm]
    // Where a function without a name begins is another place in another build.
    let isMoved =
      isProgram && programs.before != programs.after && frame.function.hasPrefix("+0x")
    return CodeFrame(
      file: isProgram ? Self.programName : frame.file.lastPathPart,
      function: isMoved ? "(functions without names)" : CodeFrame.plainName(frame.function)
    )
  }

  private static func isLibrary(_ file: String) -> Bool {
    file.isEmpty || file.hasSuffix(".so") || file.contains(".so.") || file.hasPrefix("[")
  }

  private static func isCLibrary(_ file: String) -> Bool {
    let name = file.lastPathPart
    return ["libc.so", "libc-", "libpthread", "ld-"].contains { name.hasPrefix($0) }
  }

  /// Functions that begin every program.
  static func isStart(_ function: String) -> Bool { starts.contains(function) }

  private static let starts: Set = [
    "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
    "__libc_start_main@@GLIBC_2.34", "generic_start_main", "_dl_start_user", "runtime.rt0_go",
    "runtime.rt0_go.abi0", "runtime.goexit", "runtime.goexit.abi0",
  ]

  /// Whether a function is the one that a program begins with.
  static func isMain(_ frame: CodeFrame) -> Bool {
    ["main", "main.main", "runtime.main"].contains(frame.function)
      || frame.function.hasSuffix("::main")
  }

  /// Functions that begin every thread.
  static func isThreadStart(_ frame: CodeFrame) -> Bool {
    threadStarts.contains(frame.function) || frame.function.hasPrefix("std::thread::")
      || frame.function.hasPrefix("void std::__invoke") || frame.function.hasPrefix("std::__invoke")
      || (frame.file.contains("libstdc++") && frame.function.hasPrefix("+0x"))
  }

  private static let threadStarts: Set = [
    "clone", "__clone", "clone3", "__clone3", "__clone_internal", "start_thread",
    "execute_native_thread_routine", "std::sys::pal::unix::thread::Thread::new::thread_start",
    "thread_start", "runtime.clone", "runtime.clone.abi0", "runtime.mstart", "runtime.mstart.abi0",
    "runtime.mstart0", "runtime.mstart1",
  ]
}

extension ProfileTask {
  /// The most bytes of a name.
  static let nameLength = 15
}

extension TracedLaunch {
  /// The highest number of a thread of the launched process.
  fileprivate var threadCount: Int {
    classes.keys.reduce(0) { highest, key in
      if case .thread(let number) = key.actor { max(highest, number) } else { highest }
    }
  }
}

extension String {
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}

/// Which actor each thread of a sampled launch is.
struct ProfileActors {
  private var actors: [Int32: LaunchActor] = [:]
  private let process: Int32

  /// What each process ran from when on, in order of time.
  private var programs: [Int32: [(time: Nanoseconds, name: String)]] = [:]

  init(_ profile: LaunchProfile) {
    process = profile.process
    var numbers = 0
    var forked: Set<Int32> = []
    actors[process] = .main
    for task in profile.tasks where task.time <= profile.ready {
      switch task.kind {
      case .executed(let name):
        // Until it executes anything, a process is called by what it executes first.
        if forked.remove(task.process) != nil {
          programs[task.process]?[0].name = name
        } else {
          programs[task.process, default: []].append((task.time, name))
        }
      case .started(_, let parent):
        if task.process == process {
          numbers += 1
          actors[task.thread] = .thread(number: numbers)
        } else if task.process == task.thread, let name = programs[parent]?.last?.name {
          programs[task.process] = [(task.time, name)]
          forked.insert(task.process)
        }
      }
    }
  }

  /// The actor of a sample, with the name of its process cut to 15 bytes; nil for a thread that
  /// nobody started.
  func actor(of sample: ProfileSample) -> LaunchActor? {
    if sample.process == process { return actors[sample.thread] }
    let names = programs[sample.process] ?? []
    return (names.last { $0.time <= sample.time } ?? names.first).map {
      .process(program: $0.name, thread: sample.thread == sample.process ? 0 : 1)
    }
  }
}
