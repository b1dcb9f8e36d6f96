import Glibc
import SystemPackage

/// Tells which processes map files, and so keep their pages in the page cache.
///
/// One scan reads the mappings of every process once, whatever the number of files.
struct MappingScan: Sendable {
  /// The mapped files that were asked for, with the processes that map them, in order of ids.
  private var processes: [FilePath: [Int]] = [:]

  private let tree: HostTree
  private let selfID: Int

  /// Reads the mappings of all processes that may be read.
  ///
  /// - Parameters:
  ///   - files: Absolute paths with links resolved.
  ///   - root: The directory that stands for `/` where `proc` is.
  ///   - selfID: The process id of launchlab.
  init(of files: [FilePath], root: FilePath = "/", selfID: Int = Int(getpid())) {
    tree = HostTree(root: root)
    self.selfID = selfID
    let identities = files.compactMap { FileIdentity($0) }
    let byInode = Dictionary(grouping: identities, by: \.inode)
    for process in tree.names(in: "proc").compactMap({ Int($0) }).sorted() {
      guard let maps = tree.bytes(at: "proc/\(process)/maps") else { continue }
      for file in Self.mapped(in: maps, of: byInode) {
        processes[file, default: []].append(process)
      }
    }
  }

  /// Why pages of a file stay, such as `mapped by pid 1 (init) and 41 others`.
  func describe(_ file: FilePath) -> String {
    guard let ids = processes[file], let first = ids.first else {
      return "mapped by no process that can be read"
    }
    let subject = ids.contains(selfID) ? "launchlab itself" : "pid \(first)\(name(of: first))"
    switch ids.count {
    case 1: return "mapped by \(subject)"
    case 2: return "mapped by \(subject) and 1 other"
    default: return "mapped by \(subject) and \(ids.count - 1) others"
    }
  }

  private func name(of process: Int) -> String {
    tree.text(at: "proc/\(process)/comm").map { " (\($0))" } ?? ""
  }

  /// Finds the files in the lines `address permissions offset device inode path`.
  ///
  /// The device shown for a file of a stacked file system may not be the one that `stat` gives, so
  /// there an equal path counts too. Source: proc_pid_maps(5).
  private static func mapped(in maps: [UInt8], of files: [UInt64: [FileIdentity]]) -> Set<FilePath>
  {
    var found: Set<FilePath> = []
    for line in maps.split(separator: 0x0A) {
      var rest = line
      for _ in 0..<3 { rest = rest.dropField() }
      let device = rest.prefix { $0 != 0x20 }
      rest = rest.dropField()
      guard let inode = rest.number, inode != 0, let candidates = files[inode] else { continue }
      let path = rest.dropField()
      for file in candidates
      where device.elementsEqual(file.device) || path.elementsEqual(file.name) {
        found.insert(file.path)
      }
    }
    return found
  }
}

/// A file as the kernel numbers it.
private struct FileIdentity {
  let path: FilePath

  /// The device as maps files write it: `major:minor`, each of at least two hexadecimal digits.
  let device: [UInt8]
  let inode: UInt64
  let name: [UInt8]

  init?(_ path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    self.path = path
    inode = UInt64(status.st_ino)
    let number = UInt64(status.st_dev)
    let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
    let minor = number & 0xFF | (number >> 12) & ~0xFF
    device = Array("\(Self.digits(major)):\(Self.digits(minor))".utf8)
    name = Array(path.string.utf8)
  }

  private static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}

extension ArraySlice<UInt8> {
  /// The bytes after the first field and the spaces that follow it.
  ///
  /// Nothing is allocated, since every line of every process passes through here.
  fileprivate func dropField() -> ArraySlice<UInt8> {
    drop { $0 != 0x20 }.drop { $0 == 0x20 }
  }

  /// The decimal number at the start; nil when there is none.
  fileprivate var number: UInt64? {
    var number: UInt64?
    for byte in self {
      guard (0x30...0x39).contains(byte) else { break }
      number = (number ?? 0) &* 10 &+ UInt64(byte - 0x30)
    }
    return number
  }
}
