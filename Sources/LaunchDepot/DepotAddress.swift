import Foundation
import Glibc

/// Where a depot is: a URI that `psql` understands, and that is safe to print.
///
/// `postgresql:///lab?host=/run/postgresql`, `postgres://depot.example/lab?sslmode=verify-full` and
/// `postgres://?service=lab` are such addresses. What is missing comes from the environment, the
/// service file and the passfile, as for every client of PostgreSQL.
///
/// Source: PostgreSQL 15 documentation, 34.1.1.2 "Connection URIs".
package struct DepotAddress: Hashable, Sendable, CustomStringConvertible {
  /// The URI as it was given, which has no secret in it.
  package let description: String

  /// Reads an address; nil for a text that is none, such as the path of a file.
  ///
  /// A password is refused, since others can read it among the arguments of the process, in the
  /// history of the shell and in logs. What only looks like one is refused, too: an `@` after a `:`
  /// before the parameters, which a name of a database would write as `%40`.
  ///
  /// - Throws: ``DepotError/passwordInAddress`` or ``DepotError/malformedAddress(address:reason:)``.
  package init?(_ text: String) throws(DepotError) {
    let prefixes = ["postgres://", "postgresql://"]
    guard let prefix = prefixes.first(where: text.hasPrefix) else { return nil }
    let parts = text.dropFirst(prefix.count)
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    if let at = parts[0].lastIndex(of: "@"), parts[0][..<at].contains(":") {
      throw .passwordInAddress
    }
    for parameter in parts.dropFirst().joined().split(separator: "&") {
      let key = parameter.prefix { $0 != "=" }
      guard let name = key.removingPercentEncoding?.lowercased() else { continue }
      if Self.secrets.contains(where: name.contains) { throw .passwordInAddress }
    }
    guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f }) else {
      throw .malformedAddress(
        address: text.debugDescription,
        reason: "it has a space or a control character in it"
      )
    }
    description = text
  }

  /// Parts of the names of parameters that hold secrets: `password`, `sslpassword`, and those of
  /// PostgreSQL 18, `oauth_client_secret`, `scram_client_key` and `scram_server_key`.
  private static let secrets = ["password", "secret", "scram_"]
}
