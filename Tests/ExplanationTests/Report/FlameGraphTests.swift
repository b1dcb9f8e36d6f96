import Foundation
import LaunchCore
import LaunchStatistics
import Stages
import Testing

@testable import Explanation

@Suite("A flame graph")
struct FlameGraphTests {
  @Test("is XML, whatever the names hold", arguments: Sample.allCases)
  func wellFormed(_ sample: Sample) throws {
    var result = sample.result
    for index in result.explanation.tree.indices where index % 3 == 1 {
      guard case .frame(let frame)? = result.explanation.tree[index].label else { continue }
      let function = "<\(frame.function)> & \"x\" ]]> '\u{1B}"
      result.explanation.tree[index].label = .frame(CodeFrame(file: "a&b", function: function))
    }
    result.arms[0].name = "<A>"
    let text = FlameGraph(result).svg()
    let elements = try XMLElements(text)
    #expect(elements.names.contains("svg") && elements.names.count > 20)
    #expect(!text.contains("<script") && !text.contains("\u{1B}"))
    #expect(text == FlameGraph(result).svg())
    #expect(text.contains("\n.own { fill: #") && text.contains("\n</style>\n"))
    // Depots take no other picture.
    #expect(ExplanationDocuments(json: "{}", flameGraph: text).foreignPart == nil)
  }

  enum Sample: CaseIterable {
    case slower, single, same, large

    var result: ExplanationResult {
      switch self {
      case .slower: SampleExplanation.slower
      case .single: SampleExplanation.single
      case .same: SampleExplanation.same
      case .large: SampleExplanation.large
      }
    }
  }

  @Test(
    "the check of XML finds what is not",
    arguments: ["<a><b></a></b>", "<a>&x</a>", "<a", "<a>"]
  )
  func broken(_ text: String) {
    #expect(throws: XMLElements.Broken.self) { try XMLElements(text) }
  }

  @Test("no part is wider than the one above it, and none overlap", arguments: Sample.allCases)
  func widths(_ sample: Sample) throws {
    let layout = FlameLayout(sample.result.explanation.tree)
    let places = Dictionary(uniqueKeysWithValues: layout.frames.map { ($0.node, $0) })
    #expect(layout.frames.count > 5)
    for frame in layout.frames {
      guard let parent = layout.tree.parents[frame.node] else {
        #expect(frame.width == 1 && frame.start == 0)
        continue
      }
      let above = try #require(places[parent])
      #expect(frame.depth == above.depth + 1)
      #expect(frame.start >= above.start - 1e-9)
      #expect(frame.start + frame.width <= above.start + above.width + 1e-9)
    }
    for (_, level) in Dictionary(grouping: layout.frames, by: \.depth) {
      let ordered = level.sorted { $0.start < $1.start }
      for (left, right) in zip(ordered, ordered.dropFirst()) {
        #expect(left.start + left.width <= right.start + 1e-9)
      }
    }
  }

  @Test("what is gone is as wide as it was, and hatched")
  func gone() throws {
    let result = SampleExplanation.slower
    let layout = FlameLayout(result.explanation.tree)
    let total = 8_930_000.0
    #expect(layout.total == Nanoseconds(8_930_000))
    let frame = try #require(layout.frames.first { layout.tree.name(of: $0.node) == "old_cache" })
    #expect(abs(frame.width - 400_000 / total) < 1e-9)
    let line = try #require(drawn("old_cache", in: result))
    #expect(line.contains("url(#gone)"))
    #expect(line.contains(#"class="part less1""#))
    #expect(line.contains("400 → 0 µs, −400 µs, 95 % interval −440 to −360 µs"))
  }

  @Test("what is new has a border, and what does not differ for certain is grey")
  func colours() throws {
    let result = SampleExplanation.slower
    let new = try #require(drawn("wait_for_device", in: result))
    #expect(new.contains(#"class="new""#) && new.contains(#"class="part more3""#))
    let same = try #require(drawn("parse_config", in: result))
    #expect(same.contains(#"class="part code""#) && !same.contains(#"class="new""#))
    #expect(same.contains("not significant"))
    let wait = try #require(drawn("waits in clock_nanosleep", in: result))
    #expect(wait.contains(#"class="part wait up""#))
    let fault = try #require(drawn("page faults", in: result))
    #expect(fault.contains(#"class="part fault""#))
  }

  @Test("one program has no colours of a difference")
  func single() throws {
    let text = FlameGraph(SampleExplanation.single).svg()
    #expect(!text.contains(#"class="part more"#) && !text.contains(#"class="part less"#))
    #expect(!text.contains(#"class="new""#))
    let line = try #require(drawn("wait_for_device", in: SampleExplanation.single))
    #expect(line.contains("<title>wait_for_device: 5.200 ms, 61 %</title>"))
  }

  @Test("says how many parts are too narrow to be shown")
  func narrow() {
    var tree = SampleTree()
    tree.add([.actor(.main), SampleExplanation.frame("large"), .leaf(.ownCode)], 9_000, 9_000)
    tree.add([.actor(.main), SampleExplanation.frame("small"), .leaf(.call("read"))], 1, 2)
    var result = SampleExplanation.slower
    result.explanation.tree = tree.nodes
    let layout = FlameLayout(tree.nodes)
    #expect(layout.narrow == 2)
    #expect(
      layout.frames.map { layout.tree.name(of: $0.node) } == [
        "critical path", "main thread", "large",
      ]
    )
    #expect(FlameGraph(result).svg().contains("2 parts narrower than 0.05 % not shown."))
  }

  @Test("is bounded, and leaves out the smallest parts of a level")
  func bounded() {
    var tree = SampleTree()
    for number in 0..<1_000 {
      let path = (0..<10).map { SampleExplanation.frame("f\(number)_\($0)") }
      tree.add([.actor(.main)] + path + [.leaf(.ownCode)], 10, number == 0 ? 90 : 10)
    }
    let layout = FlameLayout(tree.nodes)
    #expect(layout.frames.count == FlameLayout.mostFrames)
    #expect(layout.cut == 10_002 - FlameLayout.mostFrames)
    #expect(layout.frames.contains { layout.tree.name(of: $0.node) == "f0_5" })
  }

  @Test("is one of resources where nothing was sampled")
  func resources() {
    var result = SampleExplanation.slower
    result.explanation.tree = []
    let text = FlameGraph(result).svg()
    #expect(text.contains("<title>plugins/a.so: "))
    #expect(text.contains("no call stacks were sampled"))
  }

  @Test("has nothing to draw without any part")
  func empty() throws {
    var result = SampleExplanation.slower
    result.explanation.tree = []
    result.explanation.resources = []
    result.explanation.classes = []
    _ = try XMLElements(FlameGraph(result).svg())
    #expect(FlameGraph(result).svg().contains("No part of the launch is known."))
    let documents = ExplanationDocuments(json: "{}", flameGraph: FlameGraph(result).svg())
    #expect(documents.foreignPart == nil)
  }

  @Test("the bars divide the critical path of both programs by what it did")
  func bars() {
    let text = FlameGraph(SampleExplanation.slower).svg()
    for title in [
      "A, own code: 2.200 ms", "B, own code: 1.980 ms", "B, waits: 5.200 ms",
      "A, waits for a processor: 400.0 µs", "B, launchlab: 41.00 µs",
    ] {
      #expect(text.contains("<title>\(title)</title>"))
    }
    #expect(!text.contains("A, waits: "))
  }

  /// The line of the picture that a part is drawn with.
  private func drawn(_ name: String, in result: ExplanationResult) -> String? {
    FlameGraph(result).svg().split(separator: "\n").map(String.init)
      .first { $0.contains("<title>\(name): ") }
  }
}

/// The elements of a small XML text, which is read strictly.
struct XMLElements {
  private(set) var names: [String] = []

  struct Broken: Error { var reason: String }

  init(_ text: String) throws {
    var open: [String] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      try Self.check(rest[..<start])
      guard let end = Self.end(of: rest[start...]) else { throw Broken(reason: "open tag") }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { throw Broken(reason: "end \(tag)") }
        continue
      }
      let name = String(tag.prefix { !$0.isWhitespace && $0 != "/" })
      names.append(name)
      try Self.check(tag)
      if !tag.hasSuffix("/") { open.append(name) }
    }
    try Self.check(rest)
    guard open.isEmpty else { throw Broken(reason: "not closed: \(open)") }
  }

  /// Where a tag ends; a bracket in a quoted value does not end it.
  private static func end(of text: Substring) -> Substring.Index? {
    var isQuoted = false
    return text.indices.first { index in
      if text[index] == "\"" { isQuoted.toggle() }
      return text[index] == ">" && !isQuoted
    }
  }

  /// Refuses brackets and entities that are none.
  private static func check(_ text: Substring) throws {
    for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
      let isEntity = ["amp;", "lt;", "gt;", "quot;", "#39;"].contains { part.hasPrefix($0) }
      guard isEntity else { throw Broken(reason: "entity \(part.prefix(8))") }
    }
    for scalar in text.unicodeScalars where scalar.value < 0x20 && scalar != "\n" {
      throw Broken(reason: "control character")
    }
  }
}
