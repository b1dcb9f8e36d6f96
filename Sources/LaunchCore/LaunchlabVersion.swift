/// The version of launchlab, stored with every run.
package enum LaunchlabVersion {
  /// By semantic versioning.
  package static let current = "0.1.0"
}
