import LaunchCore
import Rendering
import Stages
import Testing

@testable import Explanation

@Suite("Counted instructions")
struct InstructionDifferenceTests {
  /// Who calls whom how often, in a program whose `search` takes some instructions a call.
  private func counts(
    searches: Int64,
    of instructions: Int64,
    noise: Int64 = 0,
    start: [String] = ["_start", "(below main)"]
  ) -> InstructionCounts {
    let work = searches * instructions
    let chain = start + ["main", "compile", "bind"]
    var counts = InstructionCounts(
      own: [frame("search"): work, frame("main"): 10_000 + noise, frame("load"): 500_000]
    )
    for (caller, callee) in zip(chain, chain.dropFirst()) {
      add(&counts, caller, callee, 1, callee == "main" ? work + 510_000 : work)
    }
    add(&counts, "main", "load", 1, 500_000)
    add(&counts, "bind", "search", searches, work)
    add(&counts, "search", "search", 7 * searches, work)
    return counts
  }

  private func add(
    _ counts: inout InstructionCounts,
    _ caller: String,
    _ callee: String,
    _ times: Int64,
    _ instructions: Int64
  ) {
    counts.calls[.init(caller: frame(caller), callee: frame(callee))] =
      .init(times: times, instructions: instructions)
  }

  private func frame(_ function: String) -> CodeFrame {
    CodeFrame(file: "program", function: function)
  }

  private func difference(
    _ before: [InstructionCounts],
    _ after: [InstructionCounts]
  ) -> InstructionDifference {
    InstructionDifference(
      Sides(before: before, after: after),
      reader: SampleReading(Sides(before: [], after: []), paths: Sides(before: nil, after: nil))
    )
  }

  private func names(_ frames: [CodeFrame]) -> [String] { frames.map(\.function) }

  @Test("are followed from main to where most of the difference is")
  func path() {
    let found = difference(
      [counts(searches: 10, of: 1_000)],
      [counts(searches: 500, of: 1_000)]
    )
    #expect(found.before == 520_000 && found.after == 1_010_000)
    #expect(names(found.path) == ["main", "compile", "bind", "search"])
    let gone = difference([counts(searches: 500, of: 1_000)], [counts(searches: 10, of: 1_000)])
    #expect(gone.path == found.path && gone.difference == -490_000)
  }

  @Test("have no path in a thread, nor without a difference")
  func noPath() {
    let thread = ["clone", "start_thread"]
    let found = difference(
      [counts(searches: 10, of: 1_000, start: thread)],
      [counts(searches: 500, of: 1_000, start: thread)]
    )
    #expect(found.isDifferent && found.path.isEmpty)
    let same = difference(
      [counts(searches: 10, of: 1_000)],
      [counts(searches: 10, of: 1_000, noise: 1_000)]
    )
    #expect(!same.isDifferent && same.path.isEmpty)
  }

  @Test("say nothing that launches of one program differ in as much")
  func noise() {
    let found = difference(
      [counts(searches: 10, of: 1_000), counts(searches: 10, of: 1_000, noise: 20_000)],
      [counts(searches: 30, of: 1_000), counts(searches: 30, of: 1_000)]
    )
    #expect(found.noise == 20_000)
    #expect(!found.isDifferent)
  }

  @Test("give own code that samples could not divide a call path, and say how often it is called")
  func reasons() throws {
    var explanation = SampleExplanation.slower.explanation
    var reason = explanation.reasons[0]
    (reason.kind, reason.path, reason.hotPath) = (.ownCode, [], [])
    (reason.isSpecific, reason.counts, reason.call) = (false, [], nil)
    var thread = reason
    thread.actor = .threadOf(function: "worker")
    var named = reason
    (named.path, named.isSpecific) = (["main", "compile"].map(frame), true)
    var faster = reason
    faster.change = SampleExplanation.change(900, 100, within: 10)
    explanation.reasons = [reason, thread, named, faster]
    explanation.add(
      difference([counts(searches: 10, of: 1_000)], [counts(searches: 500, of: 1_000)])
    )
    #expect(explanation.reasons.map(\.isSpecific) == [true, false, true, false])
    #expect(explanation.reasons.map(\.isFromCounts) == [true, false, false, false])
    let found = explanation.reasons[0]
    #expect(names(found.path) == ["main", "compile", "bind", "search"])
    #expect(
      found.counted
        == CountedCode(
          before: 10_000,
          after: 500_000,
          calls: [.init(function: frame("search"), before: 10, after: 500)]
        )
    )
    let counted = CountedCode(before: 10_000, after: 500_000, calls: [])
    #expect(explanation.reasons[2].counted == counted)
    var result = SampleExplanation.slower
    result.explanation = explanation
    let text = ExplanationText(result, style: TextStyle(width: 120)).rendered()
    #expect(
      text.contains("     search called 10 → 500 times; instructions 10,000 → 500,000\n"),
      "\(text)"
    )
    #expect(!text.contains("also different: instructions"))
  }

  @Test("are told beside time where no reason has them")
  func beside() {
    var result = SampleExplanation.slower
    result.explanation.reasons = []
    result.explanation.add(
      difference([counts(searches: 10, of: 1_000)], [counts(searches: 500, of: 1_000)])
    )
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(
      text.contains(
        "instructions 520,000 → 1,010,000 (+94 %), most of it in main › compile › bind › search"
      ),
      "\(text)"
    )
    result.explanation.add(
      difference([counts(searches: 10, of: 1_000)], [counts(searches: 10, of: 1_000)])
    )
    #expect(
      ExplanationText(result, style: TextStyle(width: .max)).rendered().contains("instructions\n")
    )
  }
}
