import LaunchCore
import LaunchHost

/// The files with code that the launches of two programs mapped, to be compared with each other.
struct ComparedFiles {
  /// The program itself in each, if it is known.
  private let programs: Sides<String?>

  /// The libraries of the same name that are different files, by that name.
  private let libraries: [(name: String, paths: Sides<String>)]

  /// How many libraries are compared.
  private static let mostLibraries = 16

  /// Pairs the files.
  ///
  /// - Parameters:
  ///   - blocks: The launches, whose profiles say what was mapped.
  ///   - programs: The paths of the programs.
  init(_ blocks: [AttributionBlock], programs: Sides<String?>) {
    self.programs = programs
    let sides = Sides(before: blocks.map(\.before), after: blocks.map(\.after))
    let paths = sides.map { launches in
      let all = Set(launches.flatMap { $0.profile?.files ?? [] })
      let files = all.filter { $0.hasPrefix("/") && ($0.hasSuffix(".so") || $0.contains(".so.")) }
      return Dictionary(files.sorted().map { ($0.lastPathPart, $0) }) { first, _ in first }
    }
    libraries = paths.before.keys.sorted().compactMap { name in
      guard let before = paths.before[name], let after = paths.after[name], before != after else {
        return nil
      }
      return (name, Sides(before: before, after: after))
    }
  }

  /// Reads and compares them, which takes longer than a launch.
  ///
  /// - Parameter reasons: Of large files, only the functions on their call paths are compared.
  /// - Returns: Nil where nothing is known; and what could not be compared, as sentences without a
  ///   full stop.
  func difference(
    for reasons: [LaunchReason]
  ) async -> (difference: CodeDifference?, problems: [String]) {
    guard let before = programs.before, let after = programs.after else { return (nil, []) }
    let names = Set(reasons.flatMap { $0.path + $0.hotPath }.map(\.function))
    let program = (SampleReading.programName, Sides(before: before, after: after))
    var difference = CodeDifference()
    var problems: [String] = []
    for (name, paths) in [program] + libraries.prefix(Self.mostLibraries) {
      let reader = ProgramCodeReader()
      if reader.areSame(paths.before, paths.after) { continue }
      let one = await reader.code(of: paths.before, namely: names)
      let other = await reader.code(of: paths.after, namely: names)
      difference.add(one.code, other.code, file: name)
      problems += [one.problem ?? other.problem].compactMap(\.self)
    }
    if libraries.count > Self.mostLibraries {
      problems.append(
        "the code of \(libraries.count - Self.mostLibraries) more libraries is not compared"
      )
      difference.uncompared += libraries.dropFirst(Self.mostLibraries).map(\.name)
    }
    return (difference, problems)
  }
}
