package import LaunchCore
import LaunchHost
package import Measuring
import Stages

/// Runs the programs of directories with the probe and without it, and compares what they do.
package struct ProbeSweepWorkflow {
  private let programs: [String]
  private let context: WorkflowContext

  /// Programs that do something to the machine whatever they are given, or might.
  private static let dangerous: Set = [
    "blkdiscard", "cfdisk", "chroot", "ctrlaltdel", "dd", "fdisk", "gdisk", "halt", "hwclock",
    "init", "insmod", "kexec", "launchlab", "losetup", "modprobe", "mount", "parted", "pivot_root",
    "pkill", "poweroff", "reboot", "rm", "rmdir", "rmmod", "runlevel", "sfdisk", "sgdisk", "shred",
    "shutdown", "skill", "start-stop-daemon", "swapoff", "swapon", "switch_root", "systemctl",
    "telinit", "umount", "unlink", "wipefs",
  ]

  private static let dangerousBeginnings = ["kill", "mkfs", "fsck"]

  /// How often a program is run each way when its runs are not all the same.
  private static let mostRuns = 5

  /// - Parameters:
  ///   - directories: What is in them is run, but not in directories below.
  ///   - context: Where it is run.
  /// - Throws: ``WorkflowError/cannotRead(path:reason:)`` for one without programs.
  package init(directories: [String], in context: WorkflowContext) throws {
    self.context = context
    programs = try directories.flatMap { directory in
      let found = try ProbeSweeper.programs(in: directory)
      guard !found.isEmpty else {
        throw WorkflowError.cannotRead(path: directory, reason: "there is no program in it")
      }
      return found
    }
  }

  /// Runs every program.
  ///
  /// - Parameter observe: Told the program that is run next, its number from 1, and how many there
  ///   are.
  /// - Returns: What each of them did, in the order of the directories, and notes on how they were
  ///   run.
  /// - Throws: a ``LabError`` when nothing can be run, or the probe does not work on this host.
  package func run(
    _ observe: (String, Int, Int) -> Void
  ) async throws -> (programs: [SweptProgram], notes: [String]) {
    let interrupt = try context.interrupt()
    return try await context.lab(for: ["launchlab", "selftest", "--probe"]) { session in
      let sweeper = try ProbeSweeper(session: session, interrupt: interrupt)
      defer { sweeper.close() }
      if let problem = sweeper.problem { throw WorkflowError.noProbe(reason: problem) }
      var swept: [SweptProgram] = []
      for (index, program) in programs.enumerated() {
        observe(program, index + 1, programs.count)
        swept.append(try sweep(program, sweeper))
      }
      return (swept, sweeper.notes)
    }
  }

  private func sweep(
    _ program: String,
    _ sweeper: ProbeSweeper
  ) throws -> SweptProgram {
    if Self.isDangerous(program) {
      return SweptProgram(path: program, verdict: .leftOut, reason: "may change the machine")
    }
    if let refusal = sweeper.refusal(of: program) {
      return SweptProgram(path: program, verdict: .notProbed, reason: refusal)
    }
    guard let (arguments, first) = try answering(program, sweeper) else {
      let limit = ProbeSweeper.limit.count / 1_000_000_000
      return SweptProgram(
        path: program,
        verdict: .leftOut,
        reason: "does not end within \(limit) s of --version and --help"
      )
    }
    var plain = [first]
    var probed: [ProgramRun] = []
    var isSeen = false
    func runMore(_ count: Int) throws {
      while probed.count < count {
        let run = try sweeper.run(program, arguments, isProbed: true)
        isSeen = isSeen || run.isSeen
        probed.append(run.run)
        if plain.count < count {
          plain.append(try sweeper.run(program, arguments, isProbed: false).run)
        }
      }
    }
    try runMore(2)
    if SweepJudgement.verdict(plain: plain, probed: probed).verdict != .same {
      try runMore(Self.mostRuns)
    }
    let (verdict, difference) = SweepJudgement.verdict(plain: plain, probed: probed)
    let isUnseen = verdict == .same && !isSeen
    return SweptProgram(
      path: program,
      arguments: arguments,
      verdict: isUnseen ? .notProbed : verdict,
      difference: difference,
      reason: isUnseen ? "the probe was not loaded into it" : nil
    )
  }

  /// What a program takes without complaint, and what it then did; nil when it ends of neither.
  private func answering(
    _ program: String,
    _ sweeper: ProbeSweeper
  ) throws -> (arguments: [String], run: ProgramRun)? {
    let version = try sweeper.run(program, ["--version"], isProbed: false).run
    guard version.outcome != .ready else { return (["--version"], version) }
    let help = try sweeper.run(program, ["--help"], isProbed: false).run
    if help.outcome == .ready { return (["--help"], help) }
    if version.outcome != .timedOut { return (["--version"], version) }
    return help.outcome == .timedOut ? nil : (["--help"], help)
  }

  private static func isDangerous(_ program: String) -> Bool {
    let name = String(program.split(separator: "/").last ?? "")
    return dangerous.contains(name) || dangerousBeginnings.contains { name.hasPrefix($0) }
  }
}
