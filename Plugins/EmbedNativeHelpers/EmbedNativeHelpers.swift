import Foundation
import PackagePlugin

/// Compiles the C programs of `Sources/NativeHelpers` and embeds each as a Swift string literal.
///
/// SwiftPM's own C products always link the Swift runtime, which these programs must not have:
/// they would report, and keep in the page cache, memory that is not the target's.
@main
struct EmbedNativeHelpers: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    // A linked directory would list nothing, and then no change would ever be noticed.
    let sources = context.package.directoryURL.appending(path: "Sources/NativeHelpers")
      .resolvingSymlinksInPath()
    let script = sources.appending(path: "embed.sh")
    func files(in folder: String) throws -> [URL] {
      try FileManager.default.contentsOfDirectory(
        at: sources.appending(path: folder).standardized,
        includingPropertiesForKeys: nil
      )
    }
    let shared = try [script] + files(in: "../CLaunchWire/include")
    let helpers = [
      "spawner", "empty", "symbols", "probe", "watcher", "timeline", "tracer", "profiler",
      "unwinder", "objects", "display",
    ]
    // The unwinder names functions as the symbol reader does, and the tracer records as `timeline`.
    let lenders = ["unwinder": "symbols", "tracer": "timeline"]
    return try helpers.map { helper in
      let lent = try lenders[helper].map { try files(in: $0) } ?? []
      let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedHelper+\(helper).swift")
      return .buildCommand(
        displayName: "Embedding native helper \(helper)",
        executable: URL(filePath: "/bin/sh"),
        arguments: [script.path(), helper, sources.path(), output.path()],
        inputFiles: try shared + lent + files(in: helper),
        outputFiles: [output]
      )
    }
  }
}
