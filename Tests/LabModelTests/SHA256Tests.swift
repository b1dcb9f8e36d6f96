import Testing

@testable import LaunchCore

@Suite struct SHA256Tests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let message: [UInt8]
    let digest: String
    var testDescription: String { name }
  }

  /// Values of coreutils' sha256sum; the first three are also those of FIPS PUB 180-4's examples.
  static let cases = [
    Case(
      name: "nothing",
      message: [],
      digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ),
    Case(
      name: "abc",
      message: Array("abc".utf8),
      digest: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    Case(
      name: "two blocks",
      message: Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    Case(
      name: "exactly one block of a",
      message: [UInt8](repeating: 0x61, count: 64),
      digest: "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
    ),
  ]

  @Test(arguments: cases) func `agrees with an independent implementation`(_ test: Case) {
    #expect(SHA256(test.message).hexadecimal == test.digest)
  }

  @Test(arguments: [1, 7, 63, 64, 65, 1_000])
  func `gives the same digest of a message in pieces`(size: Int) {
    let message = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var hash = SHA256()
    for start in stride(from: 0, to: message.count, by: size) {
      hash.append(message[start..<min(message.count, start + size)])
    }
    #expect(hash.hexadecimal == SHA256(message).hexadecimal)
    // By Python's hashlib, of `bytes(i * 31 % 256 for i in range(1000))`.
    #expect(hash.hexadecimal == "945acdf575d6a2430bf4d6163e1d03b4b0b896fcef107c8b24bf7ff07a621fa3")
  }
}
