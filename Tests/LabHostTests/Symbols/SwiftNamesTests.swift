import Testing

@testable import LaunchCore
@testable import LaunchHost

@Suite struct SwiftNamesTests {
  private static let load = "$s5Fonts4FontV4load4sizeS2i_tF"
  private static let readable = "Fonts.Font.load(size: Swift.Int) -> Swift.Int"

  @Test func `makes names of Swift readable, and leaves others alone`() {
    let names = SwiftNames([Self.load, "main", "$snothing", "_ZN3app4FontC1Ei", "", Self.load])
    #expect(names.readable == [Self.load: Self.readable])
    #expect(SwiftNames([]).readable.isEmpty)
    #expect(SwiftNames(["main"]).readable.isEmpty)
  }

  /// Names with which the demangler of Swift 6.3 ends its process, found by changing real ones.
  private static let damaged = [
    "$sSS5utf16SS9UTF16ViewRvs", "$sSI9_elementsxRvs", "$sSD8_variantSD8_Va9riMnVyxq_Rvs",
  ]

  @Test func `steps over names that the demangler does not stand`() {
    let names = SwiftNames(Self.damaged + [Self.load, "$s5Fonts4FontVMa", "$sSSMa"])
    #expect(
      names.readable == [
        Self.load: Self.readable,
        "$s5Fonts4FontVMa": "type metadata accessor for Fonts.Font",
        "$sSSMa": "type metadata accessor for Swift.String",
      ]
    )
  }

  @Test func `stands any name`() {
    var generator = SplitMix64(seed: 3)
    let alphabet = Array("abcdefgSsVCOyxqdlzWfFmMtTKRiIuvYZ_0123456789".utf8)
    let changed = (0..<2_000).map { _ in
      var bytes = Array(Self.load.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let index = Int.random(in: 2..<bytes.count, using: &generator)
        bytes[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    let deep = ["y", "Sg", "4abcd"].map { "$s" + String(repeating: $0, count: 4_000 / $0.count) }
    let names = SwiftNames(changed + deep)
    #expect(names.readable.keys.allSatisfy { changed.contains($0) || deep.contains($0) })
  }
}
