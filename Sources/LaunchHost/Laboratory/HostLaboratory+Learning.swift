import Glibc
package import LaunchCore
import SystemPackage

extension HostLaboratory {
  /// The files that launches of an arm open, sorted into own and shared ones; they are learnt anew.
  ///
  /// - Parameter arm: One of a target, not of the floor.
  /// - Returns: The files in the order that they were first opened.
  /// - Throws: ``HostError/filesNotLearnt(reason:)``, and as ``launch(_:)``.
  package mutating func files(of arm: Arm) throws(HostError) -> [LaunchFile] {
    guard let prepared = preparedArms[arm], let plan = prepared.learning else { return [] }
    let learnt = try learn(arm, by: plan)
    learning.keep(learnt, of: plan.key)
    learning.targets[arm.target] = .learnt(learnt)
    try preparedArms[arm]?.watch([])
    return plan.ownership.files(of: learnt, home: plan.home, with: prepared.files)
  }

  /// Sees to it that the files of an arm's target are known before it is made cold.
  ///
  /// - Parameters:
  ///   - arm: What is to be launched.
  ///   - preparation: Gets the launch that learns them, if one is needed.
  /// - Throws: As ``launch(_:)``; that nothing can be learnt is a note.
  mutating func learnFiles(
    of arm: Arm,
    _ preparation: inout Preparation
  ) throws(HostError) {
    guard let prepared = preparedArms[arm], !prepared.hasLearnt, let plan = prepared.learning else {
      return
    }
    preparedArms[arm]?.hasLearnt = true
    guard arm.state.isCold else { return try seeLauncher(arm, by: plan, &preparation) }
    guard plan.ownership.rule != .listed else { return }
    if learning.targets[arm.target] == nil {
      let stored = learning.store.files(of: plan.key)
      if let stored, stored.isValid(home: plan.home) {
        learning.targets[arm.target] = .learnt(stored)
      } else {
        preparation.warmUps += 1
        preparedArms[arm]?.hasNewHome = false
        preparedArms[arm]?.lastClean = nil
        do throws(HostError) {
          let learnt = try learn(arm, by: plan)
          learning.targets[arm.target] = .learnt(learnt)
          learning.keep(learnt, of: plan.key)
        } catch .filesNotLearnt(let reason) {
          learning.targets[arm.target] = .failed(reason)
        }
      }
    }
    guard case .learnt(let learnt) = learning.targets[arm.target] else { return }
    let files = plan.ownership.files(of: learnt, home: plan.home)
    learning.compare(files, of: arm.target, learnt)
    try preparedArms[arm]?.watch(plan.watched(files))
  }

  /// Sees which program a warm target that begins as a shell script becomes or starts, once for a host.
  private mutating func seeLauncher(
    _ arm: Arm,
    by plan: LearningPlan,
    _ preparation: inout Preparation
  ) throws(HostError) {
    if let stored = learning.store.files(of: plan.key), stored.isValid(home: plan.home) {
      learning.launchers[arm.target] = stored.launchedProgram
      return
    }
    preparation.warmUps += 1
    do throws(HostError) {
      let learnt = try learn(arm, by: plan)
      learning.launchers[arm.target] = learnt.launchedProgram
      learning.keep(learnt, of: plan.key)
    } catch .filesNotLearnt {
      // The launches that are measured say what is wrong with it.
    }
  }

  /// Launches a target under the watcher.
  ///
  /// - Throws: ``HostError/filesNotLearnt(reason:)`` when it cannot be watched or was not ready.
  private mutating func learn(_ arm: Arm, by plan: LearningPlan) throws(HostError) -> LearntFiles {
    try beginLaunch(arm)
    defer { endLaunch(arm) }
    try plan.recorder.begin()
    try instruments.begin(plan.view)
    let result = try launchShown(plan.request, in: plan.view.environment, padding: 0)
    let records = plan.recorder.end()
    if let failure = records.failure, failure.step != "execute" {
      let cause = Errno(rawValue: failure.errno).description
      throw .filesNotLearnt(reason: "it cannot be watched: \(failure.step): \(cause)")
    }
    guard result.outcome == .ready else {
      throw .filesNotLearnt(reason: "the watched launch was not ready: \(result.outcome)")
    }
    return LearntFiles(records, home: plan.home)
  }

  /// Sees whether a launch opened more files than were learnt, and keeps those for the next run.
  ///
  /// What was written in this run, perhaps by the launches, is not among them. Those of this run stay
  /// as they are: its launches are to be alike.
  mutating func checkLearnt(_ result: LaunchResult, of arm: Arm) {
    guard let seen = result.faults?.seen, let prepared = preparedArms[arm], prepared.watchesLearnt,
      let plan = prepared.learning, case .learnt(var learnt) = learning.targets[arm.target]
    else { return }
    let new = learnt.add(
      seen,
      executed: Set((result.processes ?? []).filter(\.isExecuted).map(\.program)),
      home: plan.home,
      writtenBefore: learning.beginning
    )
    guard !new.isEmpty else { return }
    learning.targets[arm.target] = .learnt(learnt)
    learning.more[arm.target, default: []] += new.map(\.string)
    learning.keep(learnt, of: plan.key)
  }

  /// What a reader must know of how files were learnt.
  var learningNotes: [Diagnostic] {
    learning.targets.sorted { $0.key < $1.key }.flatMap { target, outcome in
      switch outcome {
      case .failed(let reason):
        [
          Diagnostic(
            .note,
            id: "files-not-learnt",
            problem: "of \"\(target)\" only the executable, its libraries outside the system's "
              + "directories and `files` are evicted and checked: \(reason)",
            remedy: "see `launchlab files`, or list what is its own under `files`"
          )
        ]
      case .learnt(let learnt):
        learnt.notes.map { Diagnostic(.note, id: "files-learnt", problem: "\"\(target)\": \($0)") }
      }
    } + learning.launcherNotes + learning.problems + learning.moreNotes
  }
}

/// What a laboratory has learnt of the files of its targets.
struct Learning {
  /// What became of the attempt, by target.
  var targets: [String: Outcome] = [:]

  let store: LearntStore

  /// The programs that targets which begin as shell scripts become or start.
  var launchers: [String: String] = [:]

  /// When the run began, by the clock of files.
  let beginning: timespec

  /// The files that later launches of a target opened besides.
  var more: [String: [String]] = [:]

  /// Why what was learnt could not be kept, and what seems to be missing in it.
  private(set) var problems: [Diagnostic] = []

  enum Outcome {
    case learnt(LearntFiles)

    /// A sentence without a full stop.
    case failed(String)
  }

  init(beside directory: String) {
    store = LearntStore(beside: directory)
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    beginning = now
  }

  /// Names the programs that are behind launchers, such as a version manager's shims.
  var launcherNotes: [Diagnostic] {
    launchers.sorted { $0.key < $1.key }.map { target, program in
      Diagnostic(
        .warning,
        id: "launcher",
        problem: "\"\(target)\" is a shell script that starts \(program), and its time is included",
        remedy: "measure \(program) itself, or see the share of each with `launchlab stages`"
      )
    }
  }

  var moreNotes: [Diagnostic] {
    more.sorted { $0.key < $1.key }.map { target, paths in
      let files = paths.count == 1 ? "1 file" : "\(paths.count) files"
      return Diagnostic(
        .note,
        id: "more-than-learnt",
        problem: "\"\(target)\" opened \(files) more than learnt, such as \(paths[0]), which no "
          + "launch of this run evicts",
        remedy: "run again: the next run knows them"
      )
    }
  }

  /// Tells of a target most of whose files are left warm, other than the C library.
  mutating func compare(_ files: [LaunchFile], of target: String, _ learnt: LearntFiles) {
    let basic = Set(
      learnt.files.filter { SystemPlaces.libraries.contains($0.package?.source ?? "") }.map(\.path)
    )
    let own = files.filter(\.isOwn).reduce(0) { $0 + $1.bytes }
    let shared = files.filter { !$0.isOwn && !basic.contains($0.path) }
      .reduce(0) { $0 + $1.bytes }
    guard shared >= 16 << 20, own < shared / 10 else { return }
    let note = Diagnostic(
      .note,
      id: "few-own-files",
      problem: "\"\(target)\": only \(own >> 10) KiB of the files that it opens are its own, and "
        + "\(shared >> 20) MiB of other packages or the system stay warm in reinstall-cold",
      remedy: "see `launchlab files`, and list what is its own under `files`, or set `own: all`"
    )
    if !problems.contains(note) { problems.append(note) }
  }

  /// Keeps what was learnt for later runs; that it cannot be kept ends nothing.
  mutating func keep(_ files: LearntFiles, of key: String) {
    do {
      try store.keep(files, of: key)
    } catch {
      let reason = (error as? any LabError)?.diagnostics.first?.problem ?? "\(error)"
      problems.append(
        Diagnostic(.note, id: "files-not-kept", problem: "learnt files are not kept: \(reason)")
      )
    }
  }
}
