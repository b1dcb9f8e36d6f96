import Foundation
import SystemPackage

/// A package that files were installed with.
struct InstalledPackage: Codable, Hashable, Sendable {
  /// Such as `openjdk-17-jre-headless`.
  var name: String

  /// What it was built from, together with others, such as `openjdk-17`.
  var source: String
}

/// Which package the files of this machine are from, by the databases of dpkg or rpm.
struct PackageDatabase: Sendable {
  /// The files of the machine, or a tree that stands for them.
  var tree = HostTree()

  private static let directory = "var/lib/dpkg"

  /// Finds the packages of files.
  ///
  /// A file that no package lists, such as what a package makes when it is installed, counts as that
  /// of the package which alone has the deepest listed directory above it.
  ///
  /// - Parameter paths: Absolute, with links resolved.
  /// - Returns: The package of each file that is of one; nothing where there is no database.
  func owners(of paths: [FilePath]) -> [FilePath: InstalledPackage] {
    let lists = tree.names(in: "\(Self.directory)/info").filter { $0.hasSuffix(".list") }
    guard !lists.isEmpty else { return RPMDatabase(tree: tree).owners(of: paths) }
    let diversions = Diversions(tree.text(at: "\(Self.directory)/diversions") ?? "")
    var wanted: [ArraySlice<UInt8>: [FilePath]] = [:]
    for path in Self.withParents(paths) {
      for name in Self.names(of: diversions.original(of: path)) {
        wanted[Array(name.utf8)[...], default: []].append(path)
      }
    }
    var holders: [FilePath: Set<String>] = [:]
    for list in lists {
      let package = Self.package(ofList: list)
      guard let bytes = tree.bytes(at: "\(Self.directory)/info/\(list)") else { continue }
      for line in bytes.split(separator: 0x0A) {
        for path in wanted[line] ?? [] where diversions.allow(package, path) {
          holders[path, default: []].insert(package)
        }
      }
    }
    let sources = self.sources(of: holders.values.reduce(into: []) { $0.formUnion($1) })
    return Self.owners(of: paths, holders, sources)
  }

  /// The owner of each file: who lists it, or who alone lists a directory above it.
  private static func owners(
    of paths: [FilePath],
    _ holders: [FilePath: Set<String>],
    _ sources: [String: String]
  ) -> [FilePath: InstalledPackage] {
    var owners: [FilePath: InstalledPackage] = [:]
    for path in paths {
      var place = path
      repeat {
        guard let names = holders[place] else { continue }
        let built = Set(names.map { sources[$0] ?? $0 })
        guard let name = names.min(), let source = built.min(),
          place == path || (built.count == 1 && SystemPlaces.belongsToPackages(place))
        else { break }
        owners[path] = InstalledPackage(name: name, source: source)
        break
      } while place.removeLastComponent()
    }
    return owners
  }

  private static func withParents(_ paths: [FilePath]) -> Set<FilePath> {
    var all: Set<FilePath> = []
    for path in paths {
      var place = path
      while place.lastComponent != nil, all.insert(place).inserted {
        place = place.removingLastComponent()
      }
    }
    return all
  }

  /// The names that a file may be listed by: packages still list files below `/lib` that are below
  /// `/usr/lib` since the directories were merged.
  private static func names(of path: FilePath) -> [String] {
    let names = path.components.map(\.string)
    guard names.count > 2, names[0] == "usr",
      names[1] == "bin" || names[1] == "sbin" || names[1].hasPrefix("lib")
    else { return [path.string] }
    return [path.string, "/" + names.dropFirst().joined(separator: "/")]
  }

  /// The name in `libc6:amd64.list`.
  private static func package(ofList name: String) -> String {
    String(name.dropLast(".list".count).prefix { $0 != ":" })
  }

  /// The source packages, as far as they have another name; deb-src-control(5).
  private func sources(of packages: Set<String>) -> [String: String] {
    var sources: [String: String] = [:]
    var package = ""
    let bytes = tree.bytes(at: "\(Self.directory)/status") ?? []
    for line in bytes.split(separator: 0x0A) where line.first == 0x50 || line.first == 0x53 {
      let text = String(decoding: line, as: UTF8.self)
      if text.hasPrefix("Package: ") {
        package = String(text.dropFirst("Package: ".count))
      } else if text.hasPrefix("Source: "), packages.contains(package) {
        // A version in parentheses may follow.
        sources[package] = String(text.dropFirst("Source: ".count).prefix { $0 != " " })
      }
    }
    return sources
  }
}

/// Files that a package keeps in another place than it lists them; dpkg-divert(1).
private struct Diversions {
  private var originals: [String: String] = [:]
  private var diverters: [String: String] = [:]

  /// Reads groups of three lines: the path, where it is instead, and the package that wants that.
  init(_ text: String) {
    let lines = text.split(separator: "\n").map(String.init)
    for start in stride(from: 0, to: lines.count - 2, by: 3) {
      originals[lines[start + 1]] = lines[start]
      diverters[lines[start]] = lines[start + 2]
    }
  }

  /// The path by which a file is listed.
  func original(of path: FilePath) -> FilePath {
    originals[path.string].map { FilePath($0) } ?? path
  }

  /// Whether what a package lists can be the file at a path.
  func allow(_ package: String, _ path: FilePath) -> Bool {
    if let original = originals[path.string] { return diverters[original] != package }
    guard let diverter = diverters[path.string], diverter != ":" else { return true }
    return diverter == package
  }
}

/// The packages of files, as the program rpm tells them.
struct RPMDatabase: Sendable {
  var tree: HostTree

  /// Runs `rpm` with arguments, and gives what it prints on stdout.
  var run: @Sendable ([String]) -> String? = Self.rpm

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
    return try? SystemTool(path, environment: ["LC_ALL": "C"]).output(arguments)
  }
}
