import CLaunchWire
import Glibc
import LaunchCore
import SystemPackage

/// Records which files a launch opens, by way of the program `watcher`.
struct FileRecorder {
  /// The watcher, which becomes the target.
  private let watcher: String

  /// Where the records go, in a private directory.
  private let records: FilePath

  /// - Parameter directory: A private directory that the target can reach.
  /// - Throws: ``HostError/system(operation:path:errno:)`` when the watcher cannot be unpacked.
  init(in directory: FilePath) throws(HostError) {
    watcher = try EmbeddedHelper.watcher.unpacked()
    records = directory.appending("records")
  }

  /// The words that launch a program under the watcher.
  ///
  /// - Parameters:
  ///   - program: The absolute path of the program.
  ///   - arguments: All of `argv`.
  /// - Returns: The program to launch, and all of its `argv`.
  func command(
    _ program: String,
    _ arguments: [String]
  ) -> (program: String, arguments: [String]) {
    (watcher, [watcher, records.string, program] + arguments)
  }

  /// Makes ready for a launch: the file is there and empty.
  func begin() throws(HostError) {
    let descriptor = unsafe records.withPlatformString {
      unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
    guard descriptor >= 0 else {
      throw .system(operation: "make the file", path: records.string, errno: errno)
    }
    close(descriptor)
  }

  /// Reads what was recorded, and removes it.
  func end() -> FileRecords {
    defer { _ = unsafe records.withPlatformString { unsafe unlink($0) } }
    return FileRecords(HostTree().bytes(at: records.string) ?? [])
  }
}

/// What the watcher wrote down of a launch, in the order that it happened.
///
/// The format is that of `launch_wire.h`.
struct FileRecords: Hashable, Sendable {
  /// Each file once: what something can have been read of before the tree wrote it.
  private(set) var files: [RecordedFile] = []

  /// The programs that the process which was launched has become, the last one at the end.
  private(set) var mainPrograms: [FilePath] = []

  /// The programs that other processes have become, as often as they did.
  private(set) var childPrograms: [FilePath] = []

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
    guard fields.count >= 2, let letter = fields[0].first, let number = Int32(text(1)) else {
      return
    }
    switch watched_kind(UInt32(letter)) {
    case WATCHER_FAILED: failure = (fields.count > 2 ? text(2) : "", number)
    case WATCHED_TRACER: usesTracing = true
    case let kind where fields.count == 5:
      guard let device = UInt64(text(2)), let inode = UInt64(text(3)) else { return }
      let path = FilePath(text(4))
      let file = FileNumber(device: device, inode: inode)
      if kind == WATCHED_WRITTEN {
        if places[file] == nil { places[file] = -1 }
        return
      }
      let isProgram = kind == WATCHED_EXECUTED || kind == WATCHED_NAMED
      if kind == WATCHED_EXECUTED {
        if mainProcess == nil { mainProcess = number }
        if mainProcess == number { mainPrograms.append(path) } else { childPrograms.append(path) }
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
