import ArgumentParser
import LabModel
import LabWorkflows

/// How `stages --parse` reads a text.
struct StageTextOptionGroup: ParsableArguments {
  @Option(help: "Read the stages that are printed in this <file>; - means stdin.", completion: .file())
  var parse: String?

  @Flag(help: "Refuse what no loader prints, and blocks that are not complete.")
  var strict = false

  @Option(help: "The <version> of the glibc that printed the text, such as 2.36.")
  var glibc: String?

  @Option(help: "The <frequency> of the cycles in the text, in hertz.")
  var cyclesPerSecond: Double?

  @Option(help: "Find stages with this <regex>; its groups are stage, value and unit.")
  var pattern: [String] = []
}
