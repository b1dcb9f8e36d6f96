import Foundation

/// A native program that is part of the executable; the build writes one literal for each.
struct EmbeddedHelper: Sendable {
  let name: String

  /// The lower-case hexadecimal SHA-256 of the program.
  let digest: String

  let base64: String

  /// Unpacks the program unless it is there already, and gives its path.
  ///
  /// - Throws: ``HostError/system(operation:path:errno:)``.
  func unpacked() throws(HostError) -> String {
    try HelperCache(environment: ProcessInfo.processInfo.environment).path(of: self)
  }

  /// The bytes of the program; empty when the literal is broken.
  var program: [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }
}
