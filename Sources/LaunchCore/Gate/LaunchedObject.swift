/// What an ELF file says of the launches that it takes part in.
package struct LaunchedObject: Hashable, Codable, Sendable {
  /// The absolute path.
  package var path: String

  /// Whether it belongs to the target: no library of the system.
  package var isOwn = true

  /// What the processor is called by ELF (`e_machine`).
  package var machine = 0

  /// Whether it has 64 bits.
  package var is64Bit = true

  /// The program that loads it; nil for libraries and static programs.
  package var interpreter: String?

  /// What others call it; nil for programs.
  package var soname: String?

  /// The libraries that it needs itself, by name, in the order of the file.
  package var needed: [String] = []

  /// Where its libraries are looked for, as it says itself (`DT_RPATH` and `DT_RUNPATH`).
  package var runPaths: [String] = []

  /// In the order in which the loader runs them.
  package var initializers: [Initializer] = []

  /// The tasks that it registers with launch marks.
  package var tasks: [Task] = []

  /// How many addresses the loader adjusts, by kind.
  package var relocations: [String: Int] = [:]

  /// How many symbols it exports and imports.
  package var exported = 0
  package var imported = 0

  /// The memory that it maps, in bytes.
  package var mapped: Int64 = 0

  /// The size of the file in bytes.
  package var size: Int64 = 0

  /// `pie`, `relro`, `bind-now`, `exec-stack`, `text-relocations`, `static`.
  package var hardening: Set<String> = []

  package init(path: String) { self.path = path }

  /// A function that runs before `main`.
  package struct Initializer: Hashable, Codable, Sendable {
    /// `preinit_array`, `init` or `init_array`.
    package var section: String

    /// The virtual address in the file.
    package var address: UInt64

    /// Its readable name; nil where the file has none.
    package var name: String?

    /// Where it is written; nil without debug information.
    package var source: SourceLine?

    package init(section: String, address: UInt64, name: String? = nil, source: SourceLine? = nil) {
      self.section = section
      self.address = address
      self.name = name
      self.source = source
    }
  }

  /// A task of launch marks.
  package struct Task: Hashable, Codable, Sendable {
    package var name: String
    package var phase: String
    package var source: SourceLine?

    package init(name: String, phase: String, source: SourceLine? = nil) {
      self.name = name
      self.phase = phase
      self.source = source
    }
  }

  package struct SourceLine: Hashable, Codable, Sendable {
    package var file: String
    package var line: Int

    package init(file: String, line: Int) {
      self.file = file
      self.line = line
    }
  }

  /// What it is called in both of two builds.
  package var name: String { soname ?? path.split(separator: "/").last.map(String.init) ?? path }
}

/// The files of a launch that the loader, or the target, maps before anything is launched.
package struct LaunchedObjects: Hashable, Codable, Sendable {
  /// The executable; nil for a script, whose interpreter is among the libraries.
  package var program: LaunchedObject?

  /// The libraries that the loader finds, in its order, and the plug-ins that the scenario names.
  package var libraries: [LaunchedObject]

  /// What could not be found out, as sentences without a full stop.
  package var problems: [String]

  /// The files that could not be read, by path, and why, as sentences without a full stop.
  package var unread: [String: String]

  package init(
    program: LaunchedObject?,
    libraries: [LaunchedObject],
    problems: [String] = [],
    unread: [String: String] = [:]
  ) {
    self.program = program
    self.libraries = libraries
    self.problems = problems
    self.unread = unread
  }

  package var all: [LaunchedObject] { (program.map { [$0] } ?? []) + libraries }
}
