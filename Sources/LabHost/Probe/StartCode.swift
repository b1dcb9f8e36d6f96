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
