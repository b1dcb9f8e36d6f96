import Foundation
import LaunchCore
import Subprocess
import SystemPackage

/// Digests of the machine instructions of functions, by objdump of binutils.
///
/// Addresses are masked: what is called or jumped to outside of a function counts by its name, what is
/// jumped to inside by the number of the instruction, and data not at all. So a function has the same
/// digest wherever it lies in its file; another constant, another callee and another order are another
/// digest. Instructions that do nothing, which align others, are left out.
///
/// objdump is given the bytes of the functions alone: it has no symbols to read, and large files cost
/// no more than what is asked of them.
struct Disassembly {
  var limit: Duration

  /// Where objdump is looked for, in the form of `PATH`.
  var path: String?

  /// Why there are no digests, as a clause without a full stop.
  struct Failure: Error {
    let reason: String
  }

  /// The most bytes of text that are read.
  private static let largestText = 1 << 29

  /// Disassembles functions of one file.
  ///
  /// - Returns: A digest for each name; functions of one name are digested together.
  func digests(
    of functions: [CodeMap.Function],
    in map: CodeMap
  ) async throws(Failure) -> [String: UInt64] {
    guard !functions.isEmpty else { return [:] }
    var pieces: [Piece] = []
    var bytes: [UInt8] = []
    for function in functions {
      let code = map.bytes(of: function)
      pieces.append(Piece(function: function, start: bytes.count, size: code.count))
      // Whatever the last bytes are, the next function is read from its beginning.
      bytes += code + [UInt8](repeating: 0x90, count: 16)
    }
    let text = try await text(of: bytes)
    var digests: [String: [UInt64]] = [:]
    for (piece, lines) in Self.lines(of: text, in: pieces) {
      let instructions = Instructions(lines: lines, text: text, piece: piece, map: map)
      digests[piece.function.name, default: []].append(instructions.digest)
    }
    return digests.mapValues { parts in
      var whole = CodeDigest()
      for part in parts.sorted() { whole.add(number: part) }
      return whole.value
    }
  }

  private func text(of bytes: [UInt8]) async throws(Failure) -> [UInt8] {
    guard
      let program = try? ExecutableLookup.resolve(
        command: "objdump",
        path: path,
        directory: FileManager.default.currentDirectoryPath
      )
    else { throw Failure(reason: "there is no objdump; install binutils") }
    let reading = LimitedWork(limit: limit) { try await Self.run(program, on: bytes) }
    let (result, obstacle) = await reading.result()
    if case .success(let text?) = result { return text }
    throw Failure(reason: obstacle != nil ? "objdump took longer than \(limit)" : "objdump failed")
  }

  private static func run(_ program: String, on bytes: [UInt8]) async throws -> [UInt8]? {
    let input = try MemoryFile.make(bytes)
    defer { try? input.close() }
    let result = try await Subprocess.run(
      .path(FilePath(program)),
      arguments: [
        "--disassemble-all", "--target=binary", "--architecture=i386:x86-64", "--wide",
        "--disassemble-zeroes", "--no-show-raw-insn", "/dev/stdin",
      ],
      input: .fileDescriptor(input, closeAfterSpawningProcess: false),
      output: .sequence,
      error: .discarded
    ) { try await $0.standardOutput.bytes(upTo: largestText) }
    return result.terminationStatus.isSuccess ? result.closureResult : nil
  }

  // MARK: - Lines

  /// A function among the bytes that are disassembled.
  struct Piece {
    var function: CodeMap.Function

    /// Its offset and size there.
    var start: Int
    var size: Int

    /// Where an offset lies in the file's own addresses.
    func address(_ offset: UInt64) -> UInt64 {
      offset &- UInt64(start) &+ function.address
    }
  }

  /// An instruction: its offset, and where its text is.
  struct Line {
    var offset: Int
    var text: Range<Int>
  }

  /// The lines of each piece, such as `  1e:\tjmp    0x12`.
  private static func lines(of text: [UInt8], in pieces: [Piece]) -> [(Piece, [Line])] {
    var found: [(Piece, [Line])] = pieces.map { ($0, []) }
    var current = 0
    var start = 0
    while start < text.count {
      var end = start
      var offset = 0
      var colon: Int?
      var isNumber = true
      while end < text.count, text[end] != 0x0A {
        let byte = text[end]
        if colon == nil, isNumber {
          if byte == 0x3A {
            colon = end
          } else if let digit = byte.hexadecimalDigit {
            offset = offset << 4 | digit
          } else if byte != 0x20 || offset > 0 {
            isNumber = false
          }
        }
        end += 1
      }
      if let colon, colon > start, colon + 1 < end, text[colon + 1] == 0x09 {
        while current < pieces.count, offset >= pieces[current].start + pieces[current].size {
          current += 1
        }
        guard current < pieces.count else { break }
        if offset >= pieces[current].start {
          found[current].1.append(Line(offset: offset, text: (colon + 2)..<end))
        }
      }
      start = end + 1
    }
    return found
  }
}

/// The instructions of one function, with addresses masked.
private struct Instructions {
  let lines: [Disassembly.Line]
  let text: [UInt8]
  let piece: Disassembly.Piece
  let map: CodeMap

  /// The digest of all instructions in their order.
  var digest: UInt64 {
    let kept = lines.filter { !isEmpty(words(of: $0)) }
    var numbers: [Int: Int] = [:]
    // A jump to an instruction that does nothing leads to the one after it.
    var number = 0
    for line in lines {
      while number < kept.count, kept[number].offset < line.offset { number += 1 }
      numbers[line.offset] = number
    }
    var digest = CodeDigest()
    let usesThread = kept.contains { line in
      words(of: line).contains { word in Self.threadAccess.contains { word.starts(with: $0) } }
    }
    for line in kept { add(line, to: &digest, numbers, usesThread: usesThread) }
    return digest.value
  }

  /// How operands begin that are in the memory of a thread at a place in a register.
  private static let threadAccess = ["%fs:(", "%fs:0x0,"].map { Array($0.utf8) }

  private func words(of line: Disassembly.Line) -> [ArraySlice<UInt8>] {
    text[line.text].split(separator: 0x20)
  }

  private static let nop = Array("nop".utf8)
  private static let exchange = ["xchg", "%ax,%ax"].map { Array($0.utf8) }

  /// Whether an instruction does nothing but take room.
  private func isEmpty(_ words: [ArraySlice<UInt8>]) -> Bool {
    words.prefix(4).contains { $0.starts(with: Self.nop) }
      || (words.count == 2 && words[0].elementsEqual(Self.exchange[0])
        && words[1].elementsEqual(Self.exchange[1]))
  }

  private func add(
    _ line: Disassembly.Line,
    to digest: inout CodeDigest,
    _ numbers: [Int: Int],
    usesThread: Bool
  ) {
    var words = words(of: line)
    // Behind `#` is the address that one relative to the instruction comes to.
    var relative: UInt64?
    if let mark = words.firstIndex(where: { $0.first == 0x23 }) {
      relative = mark + 1 < words.count ? words[mark + 1].hexadecimal : nil
      words.removeSubrange(mark...)
    }
    for (place, word) in words.enumerated() {
      digest.add(byte: 0x20)
      if place > 0, place == words.count - 1, let target = word.hexadecimal,
        words.dropLast().contains(where: Self.isBranch)
      {
        add(target: target, to: &digest, numbers)
      } else {
        add(operands: word, relative: relative, usesThread: usesThread, to: &digest)
      }
    }
    digest.add(byte: 0x0A)
  }

  private static let branches = ["j", "call", "loop", "xbegin"].map { Array($0.utf8) }

  private static func isBranch(_ word: ArraySlice<UInt8>) -> Bool {
    branches.contains { word.starts(with: $0) }
  }

  private func add(target: UInt64, to digest: inout CodeDigest, _ numbers: [Int: Int]) {
    if target >= UInt64(piece.start), target < UInt64(piece.start + piece.size) {
      digest.add(byte: 0x2B)
      digest.add(number: numbers[Int(target)].map(UInt64.init) ?? .max)
    } else {
      digest.add((map.target(piece.address(target)) ?? "?").utf8)
    }
  }

  private static let relativeEnd = Array("(%rip)".utf8)

  private func add(
    operands: ArraySlice<UInt8>,
    relative: UInt64?,
    usesThread: Bool,
    to digest: inout CodeDigest
  ) {
    var rest = operands
    var last: UInt8 = 0
    var isOfThread = false
    while let byte = rest.first {
      guard byte == 0x30, rest.dropFirst().first == 0x78, last.hexadecimalDigit == nil else {
        // A segment such as `%fs:` begins the memory of a thread.
        if byte == 0x3A { isOfThread = true }
        digest.add(byte: byte)
        last = byte
        rest = rest.dropFirst()
        continue
      }
      let number = rest.prefix(2) + rest.dropFirst(2).prefix { $0.hexadecimalDigit != nil }
      rest = rest.dropFirst(number.count)
      last = 0x30
      let value = number.hexadecimal ?? 0
      if rest.starts(with: Self.relativeEnd), let relative {
        let address = piece.address(relative)
        digest.add((map.function(at: address) ?? map.pointer(at: address) ?? "@").utf8)
      } else if value >= 1 << 63, isOfThread || usesThread {
        // Variables of a thread lie below what its register points to.
        digest.add(byte: 0x40)
      } else if let addresses = map.fixedAddresses, addresses.contains(value) {
        digest.add((map.function(at: value) ?? "@").utf8)
      } else {
        digest.add(number)
      }
    }
  }
}

/// A digest of 64 bits, FNV-1a.
private struct CodeDigest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte: byte) }
  }

  mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension UInt8 {
  fileprivate var hexadecimalDigit: Int? {
    switch self {
    case 0x30...0x39: Int(self) - 0x30
    case 0x61...0x66: Int(self) - 0x61 + 10
    default: nil
    }
  }
}

extension ArraySlice<UInt8> {
  /// The value of text such as `0x1f`; nil for anything else.
  fileprivate var hexadecimal: UInt64? {
    guard count > 2, count <= 18, starts(with: [0x30, 0x78]) else { return nil }
    var value: UInt64 = 0
    for byte in dropFirst(2) {
      guard let digit = byte.hexadecimalDigit else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
