import Explanation
import Foundation
import LaunchCore
import Stages

/// A program that does some things one after the other, from which launches are drawn.
struct SyntheticProgram {
  var name = "program-a"
  var works: [Work] = []
  var counts: [CountedThing: Int] = [:]
  var libraries = ["/lib/libc.so.6"]

  /// Something that a launch does for some time.
  struct Work {
    var actor: LaunchActor = .main

    /// Functions of the program, outermost first; those of another file have its name and a
    /// backquote before them.
    var functions: [String]
    var activity: ActivityClass
    var isFault = false
    var resource: ResourceKey
    var microseconds: Double

    /// How many events a timeline has of it.
    var events = 0
  }

  static func + (program: Self, works: [Work]) -> Self {
    var program = program
    program.works += works
    return program
  }
}

extension SyntheticProgram.Work {
  static func own(
    _ functions: [String],
    _ microseconds: Double,
    by actor: LaunchActor = .main
  )
    -> Self
  {
    Self(
      actor: actor,
      functions: functions,
      activity: .ownCode,
      resource: ["own code"],
      microseconds: microseconds
    )
  }

  static func faults(_ functions: [String], _ microseconds: Double) -> Self {
    var work = own(functions, microseconds)
    work.isFault = true
    return work
  }

  static func call(
    _ name: String,
    on resource: ResourceKey,
    _ functions: [String],
    _ microseconds: Double,
    by actor: LaunchActor = .main
  ) -> Self {
    Self(
      actor: actor,
      functions: functions,
      activity: .call(name),
      resource: resource,
      microseconds: microseconds,
      events: 2
    )
  }

  static func wait(
    _ name: String,
    on object: String,
    _ functions: [String],
    _ microseconds: Double,
    by actor: LaunchActor = .main
  ) -> Self {
    Self(
      actor: actor,
      functions: functions,
      activity: .wait(name),
      resource: ResourceKey(["waits", name] + (object.isEmpty ? [] : [object])),
      microseconds: microseconds,
      events: 2
    )
  }
}

/// Draws the launches of two programs in blocks, on a machine that is now and then much slower.
struct SyntheticMachine {
  var generator: SplitMix64

  /// The standard deviation of a launch and of each work, as a share.
  var launchNoise = 0.04
  var workNoise = 0.08

  /// How often something takes several times as long.
  var spikes = 0.03
  var period = 200_000.0
  var costPerEvent = 0.0

  /// How much longer each wait is when it is sampled, in nanoseconds.
  var foreignWait = 0.0

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func blocks(
    _ count: Int,
    _ before: SyntheticProgram,
    _ after: SyntheticProgram,
    profiles: Bool = true
  ) -> [AttributionBlock] {
    (0..<count).map { _ in
      AttributionBlock(
        before: launches(of: before, profiles: profiles),
        after: launches(of: after, profiles: profiles)
      )
    }
  }

  private mutating func launches(of program: SyntheticProgram, profiles: Bool) -> BlockLaunches {
    let plain = times(of: program).reduce(0, +) + queue()
    return BlockLaunches(
      plain: Nanoseconds(Int64(plain)),
      traced: traced(program),
      profile: profiles ? profile(program) : nil
    )
  }

  private mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  private mutating func normal() -> Double {
    (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
  }

  /// The nanoseconds that each work of one launch takes.
  private mutating func times(of program: SyntheticProgram) -> [Double] {
    let launch = exp(launchNoise * normal())
    let spiked = uniform() < spikes
    return program.works.map { work in
      let isSpike = uniform() < (spiked ? 0.2 : 0.002)
      return work.microseconds * 1000 * launch * exp(workNoise * normal())
        * (isSpike ? 2 + 4 * uniform() : 1)
    }
  }

  /// Heavy-tailed waiting for a processor.
  private mutating func queue() -> Double { 100_000 / pow(1 - uniform(), 0.7) }

  private mutating func traced(_ program: SyntheticProgram) -> TracedLaunch {
    var launch = TracedLaunch(classes: [:], resources: [:], counts: program.counts)
    for (work, time) in zip(program.works, times(of: program)) {
      let key = ClassKey(actor: work.actor, activity: work.activity)
      let time = Nanoseconds(Int64(time + Double(work.events) * costPerEvent))
      launch.classes[key] = (launch.classes[key] ?? .zero) + time
      launch.resources[work.resource] = (launch.resources[work.resource] ?? .zero) + time
      launch.classEvents[key, default: 0] += work.events
      launch.resourceEvents[work.resource, default: 0] += work.events
    }
    launch.queue = Nanoseconds(Int64(queue()))
    launch.harness = Nanoseconds(20_000)
    return launch
  }

  private mutating func profile(_ program: SyntheticProgram) -> LaunchProfile {
    var profile = LaunchProfile(
      begin: Nanoseconds(1000),
      ready: .zero,
      process: 100,
      period: Nanoseconds(Int64(period)),
      samples: [],
      tasks: [
        ProfileTask(
          time: Nanoseconds(1000),
          process: 100,
          thread: 100,
          kind: .executed(name: program.name)
        )
      ],
      files: ["/opt/\(program.name)/\(program.name)"] + program.libraries
    )
    let jittered = period * (0.8 + 0.4 * uniform())
    var now = 1000.0
    var known: Set<Int32> = [100]
    // A timer runs with each thread.
    var next: [Int32: Double] = [:]
    for (work, time) in zip(program.works, times(of: program)) {
      let (process, thread) = Self.ids(of: work.actor)
      let instant = Nanoseconds(Int64(now))
      if known.insert(thread).inserted {
        profile.tasks.append(
          ProfileTask(
            time: instant,
            process: process,
            thread: thread,
            kind: .started(byThread: 100, process: 100)
          )
        )
        if case .process(let name, _) = work.actor {
          profile.tasks.append(
            ProfileTask(
              time: instant,
              process: process,
              thread: thread,
              kind: .executed(name: String(name.prefix(15)))
            )
          )
        }
      }
      var left = time
      switch work.activity {
      case .wait, .diskWait, .faultWait:
        left = 0
        profile.samples.append(
          ProfileSample(
            time: Nanoseconds(Int64(now)),
            process: process,
            thread: thread,
            kernel: Self.kernel(of: work),
            user: Self.frames(of: work, program),
            waited: Nanoseconds(Int64(time + foreignWait))
          )
        )
      default: break
      }
      var due = next[thread] ?? jittered * uniform()
      while due < left {
        profile.samples.append(
          ProfileSample(
            time: Nanoseconds(Int64(now + due)),
            process: process,
            thread: thread,
            kernel: Self.kernel(of: work),
            user: Self.frames(of: work, program)
          )
        )
        due += jittered
      }
      next[thread] = due - left
      now += time
    }
    profile.ready = Nanoseconds(Int64(now) + 1)
    return profile
  }

  private static func ids(of actor: LaunchActor) -> (process: Int32, thread: Int32) {
    switch actor {
    case .main: (100, 100)
    case .thread(let number): (100, 100 + Int32(number))
    case .threadOf: (100, 100)
    case .process(let program, let thread):
      (200 + Int32(program.utf8.count), 200 + Int32(program.utf8.count) + 50 * Int32(thread))
    }
  }

  private static func kernel(of work: SyntheticProgram.Work) -> [String] {
    switch work.activity {
    case .call(let name), .wait(let name):
      return ["entry_SYSCALL_64_after_hwframe", "do_syscall_64", "__x64_sys_\(name)"]
    default: break
    }
    return work.isFault ? ["asm_exc_page_fault", "exc_page_fault", "handle_mm_fault"] : []
  }

  private static func frames(
    of work: SyntheticProgram.Work,
    _ program: SyntheticProgram
  ) -> [CodeFrame] {
    var frames = [CodeFrame(file: "/opt/\(program.name)/\(program.name)", function: "_start")]
    if case .thread = work.actor {
      frames = [
        CodeFrame(file: "/lib/libc.so.6", function: "clone3"),
        CodeFrame(file: "/lib/libc.so.6", function: "start_thread"),
      ]
    }
    for function in work.functions {
      let parts = function.split(separator: "`").map(String.init)
      frames.append(
        parts.count == 2
          ? CodeFrame(file: "/lib/\(parts[0])", function: parts[1])
          : CodeFrame(file: "/opt/\(program.name)/\(program.name)", function: function)
      )
    }
    return frames
  }
}

extension SyntheticProgram {
  private static let loader = "ld-linux-x86-64.so.2`"

  /// A program of 3.1 ms with one thread and six files.
  static let base: Self = {
    let relocation = [loader + "_dl_start", loader + "dl_main", loader + "_dl_relocate_object"]
    let mapping = [loader + "_dl_start", loader + "dl_main", loader + "_dl_map_object"]
    var program = Self()
    program.works = [
      .own(relocation, 350), .faults(relocation, 250), .own(mapping, 100),
      .call("mmap", on: ["kernel", "mmap"], mapping, 160),
      .call("openat", on: ["files", "/lib", "/lib/libc.so.6", "openat"], mapping, 60),
      .call("read", on: ["files", "/lib", "/lib/libc.so.6", "read"], mapping, 30),
      .call("execve", on: ["kernel", "execve"], [], 280),
      .own(["main", "parse_config", "lex"], 240), .own(["main", "parse_config"], 160),
      .call(
        "openat",
        on: ["files", "/etc/app", "/etc/app/main.conf", "openat"],
        ["main", "parse_config"],
        25
      ),
      .call(
        "read",
        on: ["files", "/etc/app", "/etc/app/main.conf", "read"],
        ["main", "parse_config"],
        20
      ),
      .own(["main", "build_index", "hash"], 330), .own(["main", "build_index", "sort"], 260),
      .faults(["main", "build_index"], 190), .own(["main", "render"], 270),
      .call("write", on: ["kernel", "write"], ["main", "render"], 40),
      .own(["main"], 90), .call("brk", on: ["kernel", "brk"], ["main", "build_index"], 40),
    ]
    program.counts = [
      .call(name: "openat", object: "/etc/app/main.conf"): 1,
      .call(name: "openat", object: "/lib/libc.so.6"): 1,
      .call(name: "mmap", object: nil): 14,
      .faults(file: nil): 310,
    ]
    return program
  }()

  /// The base program, rebuilt: another file, and nothing else.
  static let rebuilt: Self = {
    var program = base
    program.name = "program-b"
    return program
  }()
}
