import Glibc
import LaunchCore
import SystemPackage

/// All that is known of one arm before its first launch.
struct PreparedArm {
  let request: LaunchRequest

  /// The environment of the target, without what makes its launches visible.
  let environment: [String: String]

  /// How its launches are made visible.
  let view: StageView

  private(set) var files: [WatchedFile]

  /// What the scenario names as the target's own.
  private let declared: [FilePattern]

  /// How the files that its launches open are learnt; nil where they are not.
  let learning: LearningPlan?

  /// Whether that was tried.
  var hasLearnt = false

  /// Whether learnt files are among the watched ones.
  private(set) var watchesLearnt = false

  /// What was in the page cache right before the next launch.
  var residency: [FileResidency] = []

  /// What the machine had read from block devices right before the next launch, where what a launch
  /// brings in is compared with that.
  var machineBytes: Int64? {
    get { readsBlocks ? bytesBefore : nil }
    set { bytesBefore = newValue }
  }

  private var bytesBefore: Int64?

  /// Whether all own files are read from block devices of this machine.
  private var readsBlocks = true

  /// Why the cold states of the files cannot be verified, if so.
  private(set) var unverified: String?

  let installs: [Reinstaller]

  /// The private HOME and the state directories, which a first run resets.
  let state: [PrivateDirectory]

  /// Whether the private HOME is as its template says, because nothing was launched in it yet.
  var hasNewHome: Bool

  let notes: [Diagnostic]

  var lastClean: Clean?

  private let identity: ProgramIdentity?

  init(
    request: LaunchRequest,
    environment: [String: String],
    view: StageView,
    files: [WatchedFile],
    declared: [FilePattern],
    learning: LearningPlan? = nil,
    installs: [Reinstaller],
    state: [PrivateDirectory],
    hasNewHome: Bool,
    notes: [Diagnostic]
  ) {
    self.request = request
    self.environment = environment
    self.view = view
    self.files = files
    self.declared = declared
    self.learning = learning
    self.installs = installs
    self.state = state
    self.hasNewHome = hasNewHome
    self.notes = notes
    identity = ProgramIdentity(of: FilePath(request.program))
    judgeFiles()
  }

  /// Watches what was learnt besides, and evicts what of it is own.
  mutating func watch(_ learnt: [WatchedFile]) throws(HostError) {
    files = try OwnFiles.adding(declared, learnt, to: files)
    watchesLearnt = true
    judgeFiles()
  }

  private mutating func judgeFiles() {
    let capabilities = CapabilityCheck()
    unverified = capabilities.unverified(files)
    readsBlocks = unverified == nil && capabilities.readsBlocks(of: files)
  }

  /// Empties the private HOME and the state directories, and fills them from their templates.
  ///
  /// What was just written is evicted, as after an installation some time ago.
  func reset(interrupt: InterruptFlag?) throws(HostError) {
    for directory in state { try directory.reset(interrupt: interrupt) }
    for directory in state { try directory.evict() }
  }

  /// Finds files that have appeared since, such as what an interpreter has compiled.
  mutating func findNewFiles() throws(HostError) {
    files = try OwnFiles.adding(declared, to: files)
  }

  /// Whether the program is another one than when the run began.
  var isReplaced: Bool { identity != ProgramIdentity(of: FilePath(request.program)) }
}

/// What tells a program from another one at the same path.
///
/// The inode is not part of it, because launchlab itself makes the files of `install:` anew.
private struct ProgramIdentity: Equatable {
  var size: Int
  var seconds: Int
  var nanoseconds: Int

  init?(of path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    size = status.st_size
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

/// How the files of one arm's target are learnt: by an unmeasured launch that is watched.
struct LearningPlan {
  /// Tells the target from others whose launches open other files.
  let key: String

  /// The launch under the watcher.
  let request: LaunchRequest

  /// How that launch is made visible, for the readiness of the target.
  let view: StageView

  let recorder: FileRecorder

  let ownership: Ownership

  /// The private HOME of the arm, if it has one.
  let home: FilePath?

  /// Own files as such where they can be evicted, and all others to be watched only.
  func watched(_ files: [LaunchFile]) -> [WatchedFile] {
    files.map { file in
      let path = FilePath(file.path)
      return WatchedFile(path: path, isOwn: file.isOwn && CapabilityCheck.mayOpen(path))
    }
  }
}
