import Foundation
import SystemPackage

/// The packages of files, as the program rpm tells them.
struct RPMDatabase: Sendable {
  var tree: HostTree

  /// Runs `rpm` with arguments, and gives what it prints on stdout.
  var run: @Sendable ([String]) -> String?

  init(tree: HostTree, run: @escaping @Sendable ([String]) -> String? = Self.rpm) {
    self.tree = tree
    self.run = run
  }

  private static let places = ["var/lib/rpm", "usr/lib/sysimage/rpm"]

  /// Finds the packages of files; nothing where there is no database.
  func owners(of paths: [FilePath]) -> [FilePath: InstalledPackage] {
    guard Self.places.contains(where: { !tree.names(in: $0).isEmpty }) else { return [:] }
    return owners(ofSome: paths[...])
  }

  /// rpm prints a line for each file, but several for one of several packages: then it is asked for
  /// fewer at a time.
  private func owners(ofSome paths: ArraySlice<FilePath>) -> [FilePath: InstalledPackage] {
    guard !paths.isEmpty else { return [:] }
    let format = "%{NAME}\\t%{SOURCERPM}\\n"
    let output = run(["-qf", "--queryformat", format] + paths.map(\.string)) ?? ""
    let lines = output.split(separator: "\n")
    if lines.count != paths.count, paths.count > 1 {
      let middle = paths.startIndex + paths.count / 2
      return owners(ofSome: paths[..<middle])
        .merging(owners(ofSome: paths[middle...])) { first, _ in first }
    }
    var owners: [FilePath: InstalledPackage] = [:]
    for (path, line) in zip(paths, lines) {
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 2 else { continue }
      // Such as bash-5.2.26-3.fc40.src.rpm.
      let source = fields[1].split(separator: "-").dropLast(2).joined(separator: "-")
      owners[path] = InstalledPackage(name: fields[0], source: source.isEmpty ? fields[0] : source)
    }
    return owners
  }

  private static func rpm(_ arguments: [String]) -> String? {
    let path = ["/usr/bin/rpm", "/bin/rpm"].first(where: FileManager.default.isExecutableFile)
    guard let path else { return nil }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ["LC_ALL": "C"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = try? output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    return text.map { String(decoding: $0, as: UTF8.self) }
  }
}
