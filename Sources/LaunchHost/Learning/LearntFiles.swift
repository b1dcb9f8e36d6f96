import Foundation
import Glibc
import LaunchCore
import SystemPackage

/// The files that a launch of a target opens, as they are kept beside the store.
struct LearntFiles: Codable, Hashable, Sendable {
  /// The format of what is stored; another one is not read.
  private static let format = 1

  private var format = Self.format

  /// In the order that they were first opened.
  var files: [File]

  /// The program that the process which was launched became last.
  var mainProgram: String

  /// The only program that other processes became, apart from shells and everybody's tools; nil where
  /// there are none or several, and of what earlier versions learnt.
  var childProgram: String?

  /// What a reader must know, as sentences without a full stop.
  var notes: [String]

  /// One file.
  struct File: Codable, Hashable, Sendable {
    /// Absolute, or relative to the private HOME.
    var path: String

    /// The package, and that which it was built from; nil for a file of none.
    var package: InstalledPackage?

    /// What told the program from another one at the same path; nil unless it was executed.
    var program: Identity?
  }

  /// What is compared to notice that a program has changed.
  struct Identity: Codable, Hashable, Sendable {
    var bytes: Int64
    var modified: Int64

    init(_ status: stat) {
      bytes = Int64(status.st_size)
      modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }
  }

  init(files: [File], mainProgram: String, notes: [String]) {
    self.files = files
    self.mainProgram = mainProgram
    self.notes = notes
  }

  /// Keeps what of the records can be evicted: regular files that are still there, on a disk.
  init(
    _ records: FileRecords,
    home: FilePath?,
    mounts: MountInfo = MountInfo(),
    packages: PackageDatabase = PackageDatabase(),
    isRoot: Bool = geteuid() == 0
  ) {
    let kept = records.files.compactMap { file -> (file: RecordedFile, status: stat)? in
      guard let status = Self.evictable(file.path, mounts), FileNumber(status) == file.number else {
        return nil
      }
      return (file, status)
    }
    let owners = packages.owners(of: kept.map(\.file.path))
    self.init(
      files: kept.map { file, status in
        File(
          path: Self.stored(file.path, home: home),
          package: owners[file.path],
          program: file.isProgram ? Identity(status) : nil
        )
      },
      mainProgram: records.mainPrograms.last?.string ?? "",
      notes: []
    )
    let started = Set(records.childPrograms).filter {
      !OwnFiles.isShell($0.string) && !SystemPlaces.tools.contains(owners[$0]?.source ?? "")
    }
    childProgram = started.count == 1 ? started.first?.string : nil
    if records.usesTracing {
      notes.append("it calls ptrace(2), which fails while its files are learnt")
    }
    let gaining = kept.filter { $0.file.isProgram && $0.status.st_mode & (S_ISUID | S_ISGID) != 0 }
    if !isRoot, let first = gaining.first {
      notes.append("\(first.file.path) gains no rights while its files are learnt without root")
    }
  }

  /// What a target that begins as a shell script becomes, or else starts; nil where that is not one program.
  var launchedProgram: String? {
    mainProgram.isEmpty || OwnFiles.isShell(mainProgram) ? childProgram : mainProgram
  }

  /// The status of a regular file on a disk; nil of anything else.
  private static func evictable(_ path: FilePath, _ mounts: MountInfo) -> stat? {
    guard let status = DiskUse.status(of: path), status.isRegular,
      mounts.mount(holding: path)?.keepsPages == true
    else { return nil }
    return status
  }

  private static func stored(_ path: FilePath, home: FilePath?) -> String {
    guard let home, path.starts(with: home), var rest = Optional(path) else { return path.string }
    _ = rest.removePrefix(home)
    return rest.string
  }

  /// Where a file is for launches with a private HOME; nil for one below a HOME where there is none.
  static func place(of file: File, home: FilePath?) -> FilePath? {
    let path = FilePath(file.path)
    return path.isAbsolute ? path : home?.pushing(path)
  }

  // MARK: - Later launches

  /// Adds the files that a later launch has opened besides.
  ///
  /// What was written later is not among them, nor is what is empty: neither is an input.
  ///
  /// - Parameters:
  ///   - seen: All that the launch read or mapped.
  ///   - executed: The paths of the programs that it ran.
  ///   - home: The private HOME of the launch, if it had one.
  ///   - beginning: When the run began, by the clock of files.
  ///   - mounts: The file systems.
  ///   - packages: Those that are installed.
  /// - Returns: The paths of the files that are new.
  mutating func add(
    _ seen: Set<FileNumber>,
    executed: Set<String>,
    home: FilePath?,
    writtenBefore beginning: timespec,
    mounts: MountInfo = MountInfo(),
    packages: PackageDatabase = PackageDatabase()
  ) -> [FilePath] {
    let known = files.compactMap { Self.place(of: $0, home: home)?.string }
    let names = FileNames(known)
    let new = seen.filter { names.knownPath(of: $0) == nil }
      .compactMap { number -> (path: FilePath, status: stat)? in
        guard case .file(let name) = names.name(of: number), name.hasPrefix("/"),
          let status = Self.evictable(FilePath(name), mounts), status.st_size > 0,
          (status.st_ctim.tv_sec, status.st_ctim.tv_nsec) < (beginning.tv_sec, beginning.tv_nsec)
        else { return nil }
        return (FilePath(name), status)
      }
      .sorted { $0.path.string < $1.path.string }
    guard !new.isEmpty else { return [] }
    let owners = packages.owners(of: new.map(\.path))
    files += new.map { path, status in
      File(
        path: Self.stored(path, home: home),
        package: owners[path],
        program: executed.contains(path.string) ? Identity(status) : nil
      )
    }
    return new.map(\.path)
  }

  // MARK: - Validity

  /// The share of the files that may have gone, such as files with names of the moment.
  private static let toleratedLoss = 0.05

  /// Whether the programs are the same, and nearly all files are there.
  func isValid(home: FilePath?) -> Bool {
    guard format == Self.format, !files.isEmpty else { return false }
    var gone = 0
    for file in files {
      guard let path = Self.place(of: file, home: home), let status = DiskUse.status(of: path)
      else {
        if file.program != nil { return false }
        gone += 1
        continue
      }
      if let program = file.program, program != Identity(status) { return false }
    }
    return Double(gone) <= Self.toleratedLoss * Double(files.count)
  }
}

extension Mount {
  /// Whether files of it have pages that can be evicted: no file system of the kernel's own, nor one
  /// in memory.
  fileprivate var keepsPages: Bool {
    let kernels = [
      "proc", "sysfs", "devpts", "cgroup", "cgroup2", "securityfs", "debugfs", "tracefs", "bpf",
      "configfs", "pstore", "mqueue", "efivarfs", "binfmt_misc", "selinuxfs", "fusectl",
    ]
    return !isInMemory && !kernels.contains(type)
  }
}

/// Where the files of targets are kept for later runs: `learnt` beside the store.
///
/// Each target has a file named by a digest of what decides which files it opens.
struct LearntStore {
  private let directory: FilePath

  /// - Parameter directory: That of the store.
  init(beside directory: String) {
    self.directory = FilePath(directory).appending("learnt")
  }

  /// The name of a target's file.
  static func key(of target: Target) -> String {
    var digest = SHA256()
    func add(_ texts: [String]) {
      for text in texts { digest.append((Array(text.utf8) + [0])[...]) }
      digest.append([1][...])
    }
    add(target.command)
    add([target.directory, target.standardInput ?? "", target.home ?? "", "\(target.tty)"])
    add(target.environment.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
    add((target.secrets ?? [:]).keys.sorted())
    return digest.hexadecimal
  }

  /// What was learnt of a target; nil when nothing was, or others can have written it.
  func files(of key: String) -> LearntFiles? {
    let path = place(of: key)
    guard (try? OwnPlace.check(directory.string)) == true, OwnPlace.isOwn(file: path),
      let bytes = HostTree().bytes(at: path)
    else { return nil }
    return try? JSONDecoder().decode(LearntFiles.self, from: Data(bytes))
  }

  /// Keeps what was learnt.
  ///
  /// - Throws: ``HostError/placeRefused(path:_:)`` and ``HostError/system(operation:path:errno:)``.
  func keep(_ files: LearntFiles, of key: String) throws {
    try OwnPlace.make(directory.string)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(files), as: UTF8.self)
    try WholeFile(place(of: key)).write { sink in try sink(text + "\n") }
  }

  private func place(of key: String) -> String { directory.appending("\(key).json").string }
}
