import Foundation
import LabTestSupport
import Testing

@testable import LaunchCore
@testable import LaunchHost

/// Asks for the functions of one file.
struct SymbolBench {
  let file: String
  var reader = SymbolReader()

  /// The addresses of the functions of the file by their raw names, as nm(1) tells them.
  func addresses(_ options: String = "") throws -> [String: UInt64] {
    try TestMachine.shell("nm \(options) '\(file)'", in: "/").split(separator: "\n")
      .reduce(into: [:]) { addresses, line in
        let words = line.split(separator: " ")
        guard words.count == 3, "TtWwi".contains(words[1]) else { return }
        addresses[String(words[2])] = UInt64(words[0], radix: 16)
      }
  }

  func address(of function: String) throws -> UInt64 {
    try #require(try addresses()[function], "nm knows no \(function)")
  }

  func names(at offsets: [UInt64]) async -> (names: [String?], notes: [String]) {
    let places = offsets.map { CodePlace(file: file, offset: $0) }
    let answer = await reader.symbols(for: places)
    return (places.map { answer.names[$0] }, answer.notes)
  }

  func name(at offset: UInt64) async -> String? { await names(at: [offset]).names[0] }
}
