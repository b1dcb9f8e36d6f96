import LabModel
import SystemPackage

/// What the watcher wrote down of a launch, in the order that it happened.
///
/// The format is that of `watcher.c`.
struct FileRecords: Hashable, Sendable {
  /// Each file once: what something can have been read of before the tree wrote it.
  private(set) var files: [RecordedFile] = []

  /// The programs that the process which was launched has become, the last one at the end.
  private(set) var mainPrograms: [FilePath] = []

  /// Whether a process called ptrace(2), which fails while it is traced itself.
  private(set) var usesTracing = false

  /// Why the watcher did not execute the program, if so, and the system call's error.
  private(set) var failure: (step: String, errno: Int32)? {
    get { failedStep.map { ($0, failedErrno) } }
    set { (failedStep, failedErrno) = (newValue?.step, newValue?.errno ?? 0) }
  }

  private var failedStep: String?
  private var failedErrno: Int32 = 0

  /// Where a file is in `files`; -1 for one that the tree itself wrote first.
  private var places: [FileNumber: Int] = [:]

  private var mainProcess: Int32?

  /// Reads the records; a last one that is not whole is left out.
  init(_ bytes: [UInt8]) {
    let end = bytes.lastIndex(of: 0) ?? 0
    for record in bytes[..<end].split(separator: 0) {
      take(record.split(separator: 0x20, maxSplits: 4))
    }
  }

  private mutating func take(_ fields: [ArraySlice<UInt8>]) {
    func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }
    guard fields.count >= 2, let number = Int32(text(1)) else { return }
    switch text(0) {
    case "e": failure = (fields.count > 2 ? text(2) : "", number)
    case "p": usesTracing = true
    case let kind where fields.count == 5:
      guard let device = UInt64(text(2)), let inode = UInt64(text(3)) else { return }
      let path = FilePath(text(4))
      let file = FileNumber(device: device, inode: inode)
      if kind == "w" {
        if places[file] == nil { places[file] = -1 }
        return
      }
      let isProgram = kind == "x" || kind == "s"
      if kind == "x" {
        if mainProcess == nil { mainProcess = number }
        if mainProcess == number { mainPrograms.append(path) }
      }
      add(path, file, isProgram: isProgram)
    default: break
    }
  }

  private mutating func add(_ path: FilePath, _ number: FileNumber, isProgram: Bool) {
    if let place = places[number] {
      if place >= 0, isProgram { files[place].isProgram = true }
      return
    }
    places[number] = files.count
    files.append(RecordedFile(path: path, number: number, isProgram: isProgram))
  }
}

/// A file that a launch opened, mapped or executed.
struct RecordedFile: Hashable, Sendable {
  /// As the kernel names it, with links resolved.
  var path: FilePath

  var number: FileNumber

  /// Whether a process executed it.
  var isProgram: Bool
}
