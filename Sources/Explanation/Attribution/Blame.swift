package import LaunchCore
import LaunchHost

/// The changed function that the time of a reason comes from.
///
/// The time may be spent in a function that nobody touched: what is to blame is who calls it more
/// often, or with more to do.
package struct Blame: Hashable, Sendable {
  package var function: String

  /// As in ``LaunchReason/path``.
  package var file: String
  package var change: Change

  /// How the code of a function differs; the raw value is the name used in JSON.
  package enum Change: String, CaseIterable, Sendable { case changed, new, gone }

  var frame: CodeFrame { CodeFrame(file: file, function: function) }
}

/// How the files of two programs differ, whatever time that takes.
package struct CodeDifference: Hashable, Sendable {
  /// The functions whose instructions differ, and those of one program only, by name.
  package var changed: [CodeFrame] = []
  package var new: [CodeFrame] = []
  package var gone: [CodeFrame] = []

  /// The sections whose sizes differ, by file.
  package var sections: [SectionChange] = []

  /// The libraries that only one of the programs, or of their libraries, asks for.
  package var libraries: LaunchExplanation.LibraryChange = .init()

  /// The files in which not every function could be compared, by the last part of their paths.
  package var uncompared: [String] = []

  /// A section that has another size, in bytes; 0 where a file does not have it.
  package struct SectionChange: Hashable, Sendable {
    /// `program`, or the last part of the path of a library.
    package var file: String
    package var name: String
    package var before: Int
    package var after: Int

    package init(file: String, name: String, before: Int, after: Int) {
      self.file = file
      self.name = name
      self.before = before
      self.after = after
    }
  }

  /// Whether every function of both programs is there in the other, with the same instructions.
  var isSameCode: Bool { changed.isEmpty && new.isEmpty && gone.isEmpty && uncompared.isEmpty }

  /// The functions that differ, with how they do.
  var functions: [Blame] {
    [(Blame.Change.changed, changed), (.new, new), (.gone, gone)].flatMap { change, frames in
      frames.map { Blame(function: $0.function, file: $0.file, change: change) }
    }
  }
}

// MARK: - Comparing files

extension CodeDifference {
  /// Compares two files that are called the same.
  ///
  /// - Parameters:
  ///   - before: Nil where nothing is known of the file.
  ///   - after: Likewise.
  ///   - file: What both are called.
  mutating func add(_ before: ProgramCode?, _ after: ProgramCode?, file: String) {
    guard let before, let after else {
      uncompared.append(file)
      return
    }
    if !before.isComplete || !after.isComplete { uncompared.append(file) }
    addSections(before, after, file)
    let needed = [Set(before.libraries), Set(after.libraries)]
    libraries.gone = Set(libraries.gone).union(needed[0].subtracting(needed[1])).sorted()
    libraries.new = Set(libraries.new).union(needed[1].subtracting(needed[0])).sorted()
    func frames(_ names: some Sequence<String>) -> [CodeFrame] {
      names.sorted().map { CodeFrame(file: file, function: $0) }
    }
    let names = [Set(before.functions.keys), Set(after.functions.keys)]
    // That a stripped file does not name a function does not mean that it lacks it.
    if before.isNamed == after.isNamed, !names.contains(where: \.isEmpty) {
      gone += frames(names[0].subtracting(names[1]))
      new += frames(names[1].subtracting(names[0]))
    }
    changed += frames(
      names[0].intersection(names[1]).filter { name in
        guard let one = before.functions[name] ?? nil, let other = after.functions[name] ?? nil
        else { return false }
        return one != other
      }
    )
  }

  private mutating func addSections(_ before: ProgramCode, _ after: ProgramCode, _ file: String) {
    for name in ProgramCode.sectionNames {
      let sizes = [before, after].map { $0.sections[name] ?? 0 }
      guard sizes[0] != sizes[1] else { continue }
      sections.append(SectionChange(file: file, name: name, before: sizes[0], after: sizes[1]))
    }
  }
}

// MARK: - Who is to blame

extension CodeDifference {
  /// The first function from the leaf upwards on the call path of a reason that differs.
  ///
  /// Functions that call each other and are all new count as one, which the outermost of them names:
  /// that is where the unchanged program enters what is new. So do functions that are gone.
  ///
  /// - Returns: Nil where no function on the path differs, or the path is not known.
  func blame(for reason: LaunchReason) -> Blame? {
    var changes: [CodeFrame: Blame] = [:]
    for function in functions { changes[function.frame] = function }
    let path = (reason.path + reason.hotPath).map { changes[$0] }
    guard var place = path.lastIndex(where: { $0 != nil }) else { return nil }
    while path[place]?.change != .changed, place > 0,
      path[place - 1]?.change == path[place]?.change
    {
      place -= 1
    }
    return path[place]
  }
}

extension LaunchExplanation {
  /// Adds how the files of the programs differ, and which of it is to blame for each reason.
  mutating func add(_ code: CodeDifference) {
    self.code = code
    for index in reasons.indices { reasons[index].blame = code.blame(for: reasons[index]) }
  }

  /// The functions that differ, but are neither to blame for a reason nor one themselves.
  package var changedWithoutTime: [Blame] {
    let told = Set(reasons.compactMap { $0.blame?.frame } + reasons.compactMap(\.path.last))
    return code?.functions.filter { !told.contains($0.frame) } ?? []
  }
}

extension LaunchReason {
  /// Whether the function that the reason is called by is to blame itself.
  var isBlamed: Bool { blame.map { $0.frame == path.last } ?? false }
}
