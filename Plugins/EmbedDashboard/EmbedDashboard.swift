import Foundation
import PackagePlugin

/// Embeds the page, the style and the script of the dashboard as Swift string literals.
///
/// SwiftPM's own `.embedInCode` reads a file only when it plans a build: later changes go unnoticed.
@main
struct EmbedDashboard: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "Sources/History/Dashboard")
    let files = ["html", "css", "js"].map { folder.appending(path: "dashboard.\($0)") }
    let output = context.pluginWorkDirectoryURL.appending(path: "DashboardFile.swift")
    let script = ###"""
      output=$1; shift
      {
        echo 'enum DashboardFile {'
        for file; do
          printf 'static let %s = ##"""\n' "${file##*.}"; cat "$file"; printf '"""##\n'
        done
        echo '}'
      } > "$output"
      """###
    let paths = ([output] + files).map { $0.path(percentEncoded: false) }
    return [
      .buildCommand(
        displayName: "Embedding the dashboard",
        executable: URL(filePath: "/bin/sh"),
        arguments: ["-euc", script, "embed"] + paths,
        inputFiles: files,
        outputFiles: [output]
      )
    ]
  }
}
