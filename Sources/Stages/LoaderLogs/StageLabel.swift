import LaunchCore

/// A text before a colon by which a line of a loader is known.
struct StageLabel {
  /// As printed.
  let name: String

  let role: Role

  fileprivate let bytes: [UInt8]

  private init(_ name: String, _ role: Role) {
    self.name = name
    self.role = role
    bytes = Array(name.utf8)
  }

  /// What a line with the label says.
  enum Role: Equatable {
    /// The total of a block of the format, which it begins.
    case dyldTotal(String)

    /// A time of a block of the format, and the stage it is brought to.
    case dyldStage(String, String?)

    /// Counts of a block of details, by their names.
    case dyldCounts(DyldCounts)

    /// The heading of the list of images.
    case imageHeading

    case glibcHeading
    case glibcTotal
    case glibcTime(GlibcTime)

    /// A count, and whether it belongs to the block that is printed at exit.
    case glibcCount(String, isFinal: Bool)

    case glibcEvent
  }
}

/// The lines of counts in dyld's details.
enum DyldCounts {
  case images
  case segments
  case rebaseFixups
  case bindingFixups
  case symbolLookups
  case lazyBindings
  case trieSearches
  case tableSearches
  case definingWeak
  case usingWeak
  case definingAndUsingWeak
  case weakExports
  case hintedSearches
  case unhintedSearches
}

/// The two times that glibc prints beside its total.
enum GlibcTime {
  case relocation
  case load
}

// MARK: - Finding

extension StageLabel {
  /// Finds the first label of a line: at the beginning of a word, and followed by a colon.
  ///
  /// The line is then read on behind the colon.
  ///
  /// - Parameter line: Read from its beginning.
  /// - Returns: The label and where it begins; nil when there is none.
  static func find(in line: inout LineScanner) -> (label: StageLabel, start: Int)? {
    line.rewind()
    let end = line.end
    var index = line.position
    var isInWord = false
    while index < end {
      let byte = line.bytes[index]
      if !isInWord {
        for label in labels[Int(byte)] where line.isNext(label.bytes, at: index) {
          line.position = index + label.bytes.count
          if colonFollows(in: &line) { return (label, index) }
        }
      }
      isInWord = Ascii.isLetter(byte) || Ascii.isDigit(byte)
      index += 1
    }
    line.charge(end - line.range.lowerBound)
    line.position = line.range.lowerBound
    return nil
  }

  private static func colonFollows(in line: inout LineScanner) -> Bool {
    if line.take(Ascii.colon) { return true }
    line.emphasis()
    return line.takeColon()
  }

  /// By the first byte of their names.
  private static let labels: [[StageLabel]] = {
    var table: [[StageLabel]] = Array(repeating: [], count: 256)
    for label in dyldSummary + dyldDetails + dyldCounts + glibc {
      table[Int(label.bytes[0])].append(label)
    }
    return table
  }()
}

extension LineScanner {
  /// Passes a colon, which may be a full-width one.
  mutating func takeColon() -> Bool { take(Ascii.colon) || take("\u{FF1A}") }

  /// Passes blanks and the marks and tags of bold and of code.
  ///
  /// - Returns: Whether there was a mark or a tag.
  @discardableResult mutating func emphasis() -> Bool {
    blanks()
    var hasMarks = false
    while takeTag() || !skip(while: { $0 == Ascii.star || $0 == UInt8(ascii: "`") }).isEmpty {
      hasMarks = true
    }
    blanks()
    return hasMarks
  }
}

// MARK: - The labels

extension StageLabel {
  // Source: apple-oss-distributions/dyld, src/ImageLoader.cpp, tags dyld-43 to dyld-852.2.

  /// The stages of a summary, all of which are always printed.
  static let summaryStages = [
    "dylib loading time", "rebase/binding time", "ObjC setup time", initializerTime,
  ]

  static let initializerTime = "initializer time"

  static let dyldSummary: [StageLabel] = [
    StageLabel("Total pre-main time", .dyldTotal(LoaderLogFormat.dyldSummary)),
    summary(summaryStages[0], StageName.load),
    summary(summaryStages[1], StageName.fixup),
    summary(summaryStages[2], StageName.runtimeSetup),
    summary(initializerTime, StageName.initializers),
    StageLabel("slowest intializers", .imageHeading),
    StageLabel("slowest initializers", .imageHeading),
  ]

  private static func summary(_ name: String, _ stage: String) -> StageLabel {
    StageLabel(name, .dyldStage(LoaderLogFormat.dyldSummary, stage))
  }

  static let dyldDetails: [StageLabel] =
    [
      StageLabel("total time", .dyldTotal(LoaderLogFormat.dyldDetails)),
      details(DyldName.loading, StageName.load),
      details(DyldName.objc, StageName.runtimeSetup),
      details(DyldName.pause, nil),
      details(DyldName.registration, nil),
      details(DyldName.rebase, StageName.fixup),
      details(DyldName.binding, StageName.fixup),
      details(DyldName.weakBinding, StageName.fixup),
      details(DyldName.redo, nil),
      details("total notify time time", nil),
    ] + DyldName.initializers.map { details($0, StageName.initializers) }

  private static func details(_ name: String, _ stage: String?) -> StageLabel {
    StageLabel(name, .dyldStage(LoaderLogFormat.dyldDetails, stage))
  }

  static let dyldCounts: [StageLabel] = [
    StageLabel("total images loaded", .dyldCounts(.images)),
    StageLabel("total segments mapped", .dyldCounts(.segments)),
    StageLabel("total rebase fixups", .dyldCounts(.rebaseFixups)),
    StageLabel("total binding fixups", .dyldCounts(.bindingFixups)),
    StageLabel("total binding symbol lookups", .dyldCounts(.symbolLookups)),
    StageLabel("total bindings lazily fixed up", .dyldCounts(.lazyBindings)),
    StageLabel("total symbol trie searches", .dyldCounts(.trieSearches)),
    StageLabel("total symbol table binary searches", .dyldCounts(.tableSearches)),
    StageLabel("total images defining weak symbols", .dyldCounts(.definingWeak)),
    StageLabel("total images using weak symbols", .dyldCounts(.usingWeak)),
    StageLabel("total images defining/using weak symbols", .dyldCounts(.definingAndUsingWeak)),
    StageLabel("total images with weak exports", .dyldCounts(.weakExports)),
    StageLabel("total hinted binary tree searches", .dyldCounts(.hintedSearches)),
    StageLabel("total unhinted binary tree searches", .dyldCounts(.unhintedSearches)),
  ]

  // Source: glibc, elf/rtld.c and elf/dl-init.c, versions 2.2 to 2.42.

  private static let glibc: [StageLabel] = [
    StageLabel("runtime linker statistics", .glibcHeading),
    StageLabel("run-time linker statistics", .glibcHeading),
    StageLabel("total startup time in dynamic loader", .glibcTotal),
    StageLabel("time needed for relocation", .glibcTime(.relocation)),
    StageLabel("time needed to load objects", .glibcTime(.load)),
    count("number of relocations"),
    count("number of relocations from cache"),
    count("number of relative relocations"),
    count("final number of relocations", isFinal: true),
    count("final number of relocations from cache", isFinal: true),
    StageLabel("calling preinit", .glibcEvent),
    StageLabel("calling init", .glibcEvent),
    StageLabel("initialize program", .glibcEvent),
    StageLabel("transferring control", .glibcEvent),
    StageLabel("calling fini", .glibcEvent),
  ]

  private static func count(_ name: String, isFinal: Bool = false) -> StageLabel {
    StageLabel(name, .glibcCount(name.replacing(" ", with: "_"), isFinal: isFinal))
  }
}

/// The names of times in dyld's details.
enum DyldName {
  static let loading = "total images loading time"
  static let objc = "total load time in ObjC"
  static let pause = "total debugger pause time"
  static let registration = "total dtrace DOF registration time"
  static let rebase = "total rebase fixups time"
  static let binding = "total binding fixups time"
  static let weakBinding = "total weak binding fixups time"
  static let redo = "total redo shared cached bindings time"

  /// One per family of printers, the newest first.
  static let initializers = [
    "total time in initializers and ObjC +load",
    "total time in initializers and ObjC setup",
    "total initializer time",
    "total init time time",
  ]
}
