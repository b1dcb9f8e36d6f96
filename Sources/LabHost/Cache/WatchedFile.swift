import SystemPackage

/// One file of a target whose pages in the page cache are watched.
struct WatchedFile: Hashable, Sendable {
  /// Absolute, with symbolic links resolved.
  var path: FilePath

  /// Whether the file is the target's own, and so must not be resident before a cold launch.
  var isOwn: Bool
}
