import LabModel
import SystemPackage

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
