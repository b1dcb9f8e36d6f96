import LabAnalysis
import Testing

/// What people do to labels when they paste a text into a page.
@Suite struct PrintersMarkupTests {
  @Test(arguments: [
    "**%**: ", "**%:** ", "*%*:", "`%`: ", "<b>%</b>: ", "<code>%:</code> ", "- **%**: ", "%: **",
    "%: `", "**%** : *", "> **%:** ",
  ])
  func `bold and code around a label change nothing but the marks`(_ form: String) {
    let plain = TextExample.strictly(TextExample.summary)
    let text = TextExample.summary.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      let name = parts[0].drop { $0 == " " }
      guard name.hasSuffix("time") else { return String(line) }
      return form.replacing("%", with: name) + parts[1].drop { $0 == " " }
    }.joined(separator: "\n")
    let result = TextExample.strictly(text)
    #expect(result.facts == plain.facts, "\(text)")
    #expect(result.ids().isEmpty)
    #expect(!result.blocks[0].flags.isEmpty)
  }

  @Test func `an event of the loader keeps the marks of its path`() {
    let text = "     18921:\tcalling init: `a*b`\n"
    #expect(TextExample.strictly(text).events.map(\.text) == ["`a*b`"])
  }
}
