@testable import LaunchCore
@testable import Stages

/// Texts that tests write themselves.
enum TextExample {
  /// A summary of dyld as it is printed.
  static let summary = """
    Total pre-main time: 400.00 milliseconds (100.0%)
             dylib loading time:  40.00 milliseconds (10.0%)
            rebase/binding time:  60.00 milliseconds (15.0%)
                ObjC setup time: 100.00 milliseconds (25.0%)
               initializer time: 200.00 milliseconds (50.0%)
               slowest intializers :
                 libSystem.B.dylib :   8.00 milliseconds (2.0%)
                        My App.1 2 : 120.00 milliseconds (30.0%)

    """

  /// Details of dyld as they are printed.
  static let details = """
      total time: 1.0 seconds (100.0%)
      total images loaded:  384 (378 from dyld shared cache)
      total segments mapped: 21, into 400 pages with 12 pages pre-fetched
      total images loading time: 571.10 milliseconds (52.1%)
      total load time in ObjC:  13.86 milliseconds (1.2%)
      total debugger pause time: 525.31 milliseconds (48.0%)
      total dtrace DOF registration time:   0.00 milliseconds (0.0%)
      total rebase fixups:  17,959
      total rebase fixups time:  24.00 milliseconds (2.1%)
      total binding fixups: 523,279
      total binding fixups time: 411.76 milliseconds (37.6%)
      total weak binding fixups time:   0.05 milliseconds (0.0%)
      total redo shared cached bindings time: 437.21 milliseconds (39.9%)
      total bindings lazily fixed up: 1 of 2
      total time in initializers and ObjC +load:  73.53 milliseconds (6.7%)
                             libSystem.B.dylib :   7.22 milliseconds (0.6%)
    total symbol trie searches:    1301730
    total symbol table binary searches:    0
    total images defining weak symbols:  41
    total images using weak symbols:  105

    """

  /// Both blocks of glibc 2.36 as they are printed.
  static let glibc = """
         18921:\t
         18921:\truntime linker statistics:
         18921:\t  total startup time in dynamic loader: 84338 cycles
         18921:\t            time needed for relocation: 12147 cycles (14.4%)
         18921:\t                 number of relocations: 83
         18921:\t      number of relocations from cache: 7
         18921:\t        number of relative relocations: 3
         18921:\t           time needed to load objects: 10478 cycles (12.4%)
         18921:\t
         18921:\truntime linker statistics:
         18921:\t           final number of relocations: 88
         18921:\tfinal number of relocations from cache: 7

    """

  static func parse(
    _ text: String,
    _ options: LoaderLogOptions = LoaderLogOptions()
  ) -> LoaderLogResult {
    LoaderLog.parse(Array(text.utf8), name: "a.log", options: options)
  }

  static func strictly(_ text: String) -> LoaderLogResult {
    parse(text, LoaderLogOptions(mode: .strict))
  }
}

extension LoaderLogResult {
  /// What does not change when marks are added to the lines of a text: names and times.
  var values: [[String]] {
    blocks.map { block in
      [block.format]
        + ([block.total].compactMap(\.self) + block.stages + block.images)
        .map { "\($0.name)=\($0.amount?.printed ?? "-") \($0.percent ?? "-") \($0.flags)" }
        + block.counters.map { "\($0.key)=\($0.value)" }.sorted()
    }
  }

  func ids(_ severity: String? = nil) -> [String] {
    diagnostics.filter { severity == nil || $0.severity.rawValue == severity }.map(\.id)
  }
}
