import Testing

@testable import Stages

@Suite struct StageBarTests {
  struct Case: Sendable {
    var share: Double
    var blocks: String
    var ascii: String
  }

  @Test(arguments: [
    Case(share: 0, blocks: "", ascii: ""), Case(share: -1, blocks: "", ascii: ""),
    Case(share: .nan, blocks: "", ascii: ""), Case(share: 0.001, blocks: "▏", ascii: "."),
    Case(share: 0.25, blocks: "█", ascii: "#"), Case(share: 0.375, blocks: "█▌", ascii: "##"),
    Case(share: 1, blocks: "████", ascii: "####"), Case(share: 1.7, blocks: "████", ascii: "####"),
  ])
  func `is as long as the share`(_ example: Case) {
    #expect(StageBar(width: 4).text(example.share) == example.blocks)
    #expect(StageBar(width: 4, isASCII: true).text(example.share) == example.ascii)
  }
}
