/// Why somebody could not be told.
package struct NoticeFailure: Error, Hashable {
  /// A phrase without a full stop, which holds no secret.
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
