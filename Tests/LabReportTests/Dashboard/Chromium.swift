import Foundation

/// A browser without a window, where it is installed.
struct Chromium {
  /// Nil where there is none; `scripts/setup --dev` installs it.
  static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
    .first(where: FileManager.default.isExecutableFile(atPath:))

  static let isInstalled = path != nil
  static let requirement: String = "needs chromium: scripts/setup --dev installs it"

  /// The window in pixels.
  var width = 1_280
  var height = 2_000

  /// The page as it stands when its scripts have run.
  func document(of page: String, at hash: String, in directory: String) throws -> String {
    let output = "\(directory)/dom.html"
    try run(["--dump-dom"], page, hash, directory, output: output)
    return String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
  }

  /// A picture of the page, as a PNG file.
  func screenshot(of page: String, at hash: String, in directory: String, to file: String) throws {
    try run(["--screenshot=\(file)"], page, hash, directory, output: "/dev/null")
  }

  private func run(
    _ options: [String],
    _ page: String,
    _ hash: String,
    _ directory: String,
    output: String
  ) throws {
    let file = "\(directory)/index.html"
    try Data(page.utf8).write(to: URL(filePath: file))
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(filePath: Self.path ?? "/usr/bin/chromium")
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--user-data-dir=\(directory)/profile", "--timeout=60000",
        "--window-size=\(width),\(height)", "--virtual-time-budget=4000",
      ] + options + ["file://\(file)\(hash)"]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
  }

  struct Failure: Error {
    var status: Int32
  }
}
