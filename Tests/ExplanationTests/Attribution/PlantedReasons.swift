import Explanation
import LaunchCore
import Stages
import Testing

/// A reason that is built into a program, and how it must be named.
struct PlantedReason: CustomTestStringConvertible {
  var name: String
  var before = SyntheticProgram.base
  var after: SyntheticProgram
  var kind: ReasonKind

  /// The last function on the way to it; nil where none must be named.
  var function: String?
  var object: String?
  var novelty = LaunchReason.Novelty.new
  var milliseconds: Double

  /// How many blocks name it.
  var blocks = 16

  var testDescription: String { name }

  func isNamed(by reason: LaunchReason?) -> Bool {
    guard let reason else { return false }
    return reason.kind == kind && reason.novelty == novelty && reason.isSpecific
      && (function.map { function in
        (reason.path + reason.hotPath).contains { $0.function == function }
      } ?? true)
      && (object.map { reason.object == $0 } ?? true)
  }

  static let all: [Self] = [
    ownCode, smallOwnCode, manyFiles, sleeping, pageFaults, child, threads, lockHolder, daemon,
    moreCalls, manyStats, initializer, gone, libraries,
  ]

  static let ownCode = Self(
    name: "2 ms in a new function",
    after: .base + [.own(["main", "warm_up_cache"], 2000)],
    kind: .ownCode,
    function: "warm_up_cache",
    milliseconds: 2
  )

  static let smallOwnCode = Self(
    name: "0.15 ms in a new function",
    after: .base + [.own(["main", "warm_up_cache"], 150)],
    kind: .ownCode,
    function: "warm_up_cache",
    milliseconds: 0.15,
    blocks: 32
  )

  static let manyFiles = Self(
    name: "40 more files",
    after: {
      var program = SyntheticProgram.base
      let scan = ["main", "scan_plugins"]
      for number in 0..<40 {
        let file = "plugins/p\(number)"
        program.works += [
          .call("openat", on: ["files", "plugins", file, "openat"], scan, 6),
          .call("read", on: ["files", "plugins", file, "read"], scan, 2.5),
          .call("close", on: ["files", "plugins", file, "close"], scan, 1),
        ]
        for call in ["openat", "read", "close"] {
          program.counts[.call(name: call, object: file)] = 1
        }
      }
      program.works.append(.own(scan, 60))
      return program
    }(),
    kind: .file,
    object: "plugins",
    milliseconds: 0.44
  )

  static let sleeping = Self(
    name: "sleeping for 5 ms",
    after: {
      var program = SyntheticProgram.base
      program.works += [
        .wait("clock_nanosleep", on: "", ["main", "wait_for_device"], 5060),
        .call(
          "clock_nanosleep",
          on: ["kernel", "clock_nanosleep"],
          ["main", "wait_for_device"],
          8
        ),
      ]
      program.counts[.call(name: "clock_nanosleep", object: nil)] = 1
      return program
    }(),
    kind: .sleep,
    function: "wait_for_device",
    milliseconds: 5.06
  )

  static let pageFaults = Self(
    name: "20 MB touched",
    after: {
      var program = SyntheticProgram.base
      program.works += [
        .faults(["main", "allocate_arena"], 9000), .own(["main", "allocate_arena"], 700),
      ]
      program.counts[.faults(file: nil)] = 5302
      return program
    }(),
    kind: .pageFault,
    function: "allocate_arena",
    milliseconds: 9.7
  )

  static let child = Self(
    name: "a new child process",
    after: {
      var program = SyntheticProgram.base
      let helper = LaunchActor.process(program: "a-helper-with-a-long-name", thread: 0)
      program.works += [
        .call("vfork", on: ["processes", "vfork"], ["main", "run_hook"], 90),
        .own(["main", "run_hook"], 60, by: .process(program: program.name, thread: 0)),
        .own(["ld-linux-x86-64.so.2`_dl_start"], 300, by: helper),
        .call("openat", on: ["files", "/lib", "/lib/libc.so.6", "openat"], [], 70, by: helper),
        .own(["main"], 120, by: helper),
        .call("wait4", on: ["processes", "wait4"], ["main", "run_hook"], 60),
      ]
      program.counts[.processes(program: "a-helper-with-a-long-name")] = 1
      return program
    }(),
    kind: .child,
    object: "a-helper-with-a-long-name",
    milliseconds: 0.7
  )

  static let threads = Self(
    name: "waiting for threads that compute",
    after: {
      var program = SyntheticProgram.base
      for number in 1...3 {
        program.works.append(
          .own(["worker_compute", "multiply"], 1600, by: .thread(number: number))
        )
      }
      program.works.append(.call("clone3", on: ["processes", "clone3"], ["main", "spawn"], 60))
      program.counts[.threads] = 3
      return program
    }(),
    kind: .thread,
    object: "worker_compute",
    milliseconds: 4.86
  )

  static let lockHolder = Self(
    name: "a lock held by a sleeping thread",
    after: {
      var program = SyntheticProgram.base
      program.works += [
        .wait("clock_nanosleep", on: "", ["hold_lock"], 4800, by: .thread(number: 1)),
        .own(["hold_lock"], 30, by: .thread(number: 1)),
      ]
      program.counts[.threads] = 1
      return program
    }(),
    kind: .thread,
    milliseconds: 4.83
  )

  static let daemon = Self(
    name: "the answer of a daemon",
    after: {
      var program = SyntheticProgram.base
      program.works += [
        .wait("read", on: "unix:/run/daemon.sock", ["main", "ask_daemon"], 5600),
        .call(
          "read",
          on: ["sockets", "unix:/run/daemon.sock", "read"],
          ["main", "ask_daemon"],
          9
        ),
      ]
      program.counts[.call(name: "connect", object: "unix:/run/daemon.sock")] = 1
      return program
    }(),
    kind: .socket,
    function: "ask_daemon",
    object: "unix:/run/daemon.sock",
    milliseconds: 5.61
  )

  static let moreCalls = Self(
    name: "an existing function called more often",
    after: .base + [
      .own(["main", "parse_config", "lex"], 480), .own(["main", "parse_config"], 320),
    ],
    kind: .ownCode,
    function: "parse_config",
    novelty: .more,
    milliseconds: 0.8
  )

  static let manyStats = Self(
    name: "1,400 missing files",
    after: {
      var program = SyntheticProgram.base
      program.works += [
        .call(
          "newfstatat",
          on: ["files", "missing", "missing/#", "newfstatat"],
          ["main", "many_stats"],
          1400
        ),
        .own(["main", "many_stats"], 400),
      ]
      program.counts[.call(name: "newfstatat", object: "missing/#")] = 1400
      return program
    }(),
    kind: .file,
    function: "many_stats",
    object: "missing/#",
    milliseconds: 1.8
  )

  static let initializer = Self(
    name: "a static initializer",
    after: .base + [
      .own(["libc.so.6`__libc_csu_init", "_GLOBAL__sub_I_registry", "fill"], 2000)
    ],
    kind: .initializer,
    function: "_GLOBAL__sub_I_registry",
    milliseconds: 2
  )

  static let gone = Self(
    name: "a function less",
    before: .base + [.own(["main", "check_license"], 900)],
    after: .base,
    kind: .ownCode,
    function: "check_license",
    novelty: .gone,
    milliseconds: -0.9
  )

  static let libraries = Self(
    name: "two libraries more",
    after: {
      var program = SyntheticProgram.base
      let main = ["ld-linux-x86-64.so.2`_dl_start", "ld-linux-x86-64.so.2`dl_main"]
      let relocate = main + ["ld-linux-x86-64.so.2`_dl_relocate_object"]
      program.works += [.own(relocate, 1100), .faults(relocate, 500)]
      for name in ["libxml2.so.2", "libicudata.so.72"] {
        program.works.append(
          .call("openat", on: ["files", "/lib", "/lib/\(name)", "openat"], main, 60)
        )
        program.libraries.append("/lib/\(name)")
        program.counts[.call(name: "openat", object: "/lib/\(name)")] = 1
      }
      return program
    }(),
    kind: .library,
    object: "libicudata.so.72",
    novelty: .more,
    milliseconds: 1.72
  )
}
