import Glibc
package import LaunchCore
import SystemPackage

/// Where a program is watched from outside while it starts: its loader, its entry point, `main`.
///
/// The places are of the program that the kernel executes first, which is the interpreter of a
/// script. They are read from its file, before any launch.
package struct BreakpointPlaces: Hashable, Sendable {
  /// One place, which a launch reaches once, and the loader's twice.
  package struct Place: Hashable, Sendable {
    /// What a hit means.
    package var kind: LaunchEvent.Kind

    /// What the address is added to.
    package var base: Base

    /// As in the file.
    package var address: UInt64
  }

  /// What the address of a place is added to.
  package enum Base: Sendable {
    /// The entry point, whose address is not used.
    case entry

    /// The bias of the program.
    case program

    /// The load address of the dynamic loader.
    case loader
  }

  /// The file that the kernel executes.
  package private(set) var program: String

  /// The entry point, as in the file.
  package private(set) var entry: UInt64 = 0

  /// In the order in which they are reached, at most four.
  package private(set) var places: [Place] = []

  /// Why no launch may be traced, if so; such launches are made as plain ones.
  package private(set) var refusal: String?

  /// What could not be found and why, as sentences without a full stop.
  package private(set) var notes: [String] = []

  /// Whether the program asks for a dynamic loader; nil when its file could not be read.
  private(set) var hasLoader: Bool?

  /// Whether the loader is musl's, which stops at its state once only.
  private(set) var hasMuslLoader = false

  /// The number of this machine's architecture in ELF files.
  private static let machine: Int? = {
    #if arch(x86_64)
    62
    #elseif arch(arm64)
    183
    #else
    nil
    #endif
  }()

  /// How many interpreters the kernel follows; `bprm_execve` in fs/exec.c.
  private static let interpreterLimit = 5

  /// Looks up the places of a program; what cannot be read is said in the notes.
  ///
  /// - Parameter path: The program, absolute.
  /// - Returns: The places that were found, in the order in which they are reached.
  package static func find(in path: String) -> Self {
    var program = path
    for _ in 0..<interpreterLimit {
      guard case .script(let interpreter, _) = ProgramFile(at: FilePath(program)) else { break }
      program = interpreter
    }
    var found = Self(program: program)
    found.look()
    return found
  }

  private init(program: String) { self.program = program }

  private mutating func look() {
    refusal = ProcessPrivileges.refusalToTrace(program)
    guard refusal == nil else { return }
    guard let file = ProgramFile.open(FilePath(program)) else {
      notes.append("the file \(program) cannot be read, so that its places are not known")
      return
    }
    defer { try? file.close() }
    let read = ProgramFile.reader(of: file)
    guard let symbols = ELFSymbols(read: read), symbols.header.machine == Self.machine else {
      notes.append("\(program) is not a 64-bit program of this machine; only its start is observed")
      return
    }
    entry = symbols.header.entry
    addLoader(symbols.header.loader(read: read))
    places.append(Place(kind: .entered, base: .entry, address: 0))
    addFunctions(of: symbols)
  }

  private mutating func addLoader(_ loader: String?) {
    hasLoader = loader != nil
    guard let loader else {
      notes.append("\(program) is static: no libraries are loaded for it")
      return
    }
    hasMuslLoader = FilePath(loader).lastComponent?.string.hasPrefix("ld-musl") == true
    if hasMuslLoader {
      notes.append(
        "musl's loader shows one state, after relocation, and runs the initializers of libraries "
          + "after the entry point"
      )
    }
    guard let file = ProgramFile.open(FilePath(loader)) else {
      notes.append("the loader \(loader) cannot be read, so that its states are not seen")
      return
    }
    defer { try? file.close() }
    let name = "_dl_debug_state"
    let symbols = ELFSymbols(read: ProgramFile.reader(of: file))
    if let address = symbols?.functions(named: [name])[name] {
      places.append(Place(kind: .loaderState, base: .loader, address: address))
    } else {
      notes.append("the loader \(loader) has no symbol \(name), so that its states are not seen")
    }
  }

  private mutating func addFunctions(of symbols: ELFSymbols) {
    if GoFunctions.isGo(symbols) { return addGo(symbols) }
    if let main = symbols.functions(named: ["main"])["main"] {
      return add(.mainReached, main)
    }
    #if arch(x86_64)
    let code = symbols.bytes(at: entry, count: 64)
    if let main = StartCode.main(in: code, entry: entry),
      !symbols.bytes(at: main, count: 1).isEmpty
    {
      return add(.mainReached, main)
    }
    #endif
    notes.append("\(program) has no symbol main, so that main cannot be told from initializers")
  }

  private mutating func addGo(_ symbols: ELFSymbols) {
    let names: [(String, LaunchEvent.Kind)] = [
      ("runtime.main", .runtimeMain), ("main.main", .mainReached),
    ]
    let found = GoFunctions.find(names.map(\.0), in: symbols)
    for (name, kind) in names {
      if let address = found[name] {
        add(kind, address)
      } else {
        notes.append("the Go function \(name) is not in the tables of \(program)")
      }
    }
  }

  private mutating func add(_ kind: LaunchEvent.Kind, _ address: UInt64) {
    places.append(Place(kind: kind, base: .program, address: address))
  }
}

/// The code at the entry point of a C program, which passes `main` to the C library.
///
/// It tells where `main` is in a program that was stripped of its symbols. Only the instructions
/// that glibc has used in sysdeps/x86_64/start.S since version 2.2 are understood, and all of them
/// have to be there, so that nothing is guessed.
enum StartCode {
  /// The address of `main`; nil when the code is not of that kind.
  ///
  /// The code is the first 64 bytes from the entry point, fewer at the end of the file.
  static func main(in code: [UInt8], entry: UInt64) -> UInt64? {
    var scan = Scan(bytes: code)
    // endbr64 of control-flow enforcement.
    scan.skip([0xF3, 0x0F, 0x1E, 0xFA])
    // xor ebp,ebp; mov r9,rdx; pop rsi; mov rdx,rsp; and rsp,-16; push rax; push rsp
    let beginning: [UInt8] = [
      0x31, 0xED, 0x49, 0x89, 0xD1, 0x5E, 0x48, 0x89, 0xE2, 0x48, 0x83, 0xE4, 0xF0, 0x50, 0x54,
    ]
    guard scan.skip(beginning), skipInitializers(&scan) else { return nil }
    let isRelative: Bool
    if scan.skip([0x48, 0x8D, 0x3D]) {  // lea rdi,[rip+x]
      isRelative = true
    } else if scan.skip([0x48, 0xC7, 0xC7]) {  // mov rdi,x
      isRelative = false
    } else {
      return nil
    }
    guard let operand = scan.operand() else { return nil }
    let next = scan.position
    // call of __libc_start_main, through a table or directly
    guard scan.skip([0xFF, 0x15]) || scan.skip([0x67, 0xE8]) || scan.skip([0xE8]) else {
      return nil
    }
    let base = isRelative ? entry &+ UInt64(next) : 0
    return base &+ UInt64(bitPattern: Int64(operand))
  }

  /// Skips what became of the initializers' arguments: zeros since 2.34, functions before.
  private static func skipInitializers(_ scan: inout Scan) -> Bool {
    if scan.skip([0x45, 0x31, 0xC0]) { return scan.skip([0x31, 0xC9]) }
    guard scan.skip([0x4C, 0x8D, 0x05]) || scan.skip([0x49, 0xC7, 0xC0]), scan.operand() != nil
    else { return false }
    return (scan.skip([0x48, 0x8D, 0x0D]) || scan.skip([0x48, 0xC7, 0xC1]))
      && scan.operand() != nil
  }

  private struct Scan {
    let bytes: [UInt8]
    private(set) var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    @discardableResult mutating func skip(_ pattern: [UInt8]) -> Bool {
      guard bytes.dropFirst(position).starts(with: pattern) else { return false }
      position += pattern.count
      return true
    }

    mutating func operand() -> Int32? {
      guard position + 4 <= bytes.count else { return nil }
      defer { position += 4 }
      return (0..<4).reduce(Int32(0)) {
        $0 | Int32(bitPattern: UInt32(bytes[position + $1]) << UInt32(8 * $1))
      }
    }
  }
}
