import LaunchCore
import LaunchStatistics
import Rendering
import Stages
import Testing

@testable import Explanation

@Suite("An explanation for a terminal")
struct ExplanationTextTests {
  private let style = TextStyle(width: 80)

  @Test("tells the reasons of a difference, the largest first")
  func reasons() {
    let text = ExplanationText(SampleExplanation.slower, style: style).rendered()
    #expect(
      text == """
        B is 5.9 ms slower than A (2.65 → 8.57 ms, 95 % interval +5.6 to +6.3 ms),
        because

          1  wait_for_device (new)  +5.20 ms   88 %  ± 0.04  sleep
             main › wait_for_device
             clock_nanosleep 0 → 1
          2  load_plugins (new)     +1.10 ms   19 %  ± 0.09  files
             main › load_plugins › scan_plugins
             openat, read plugins/ 0 → 40
          3  old_cache (gone)       −0.40 ms   −7 %  ± 0.03  own code
             main › old_cache
             not attributed         +0.03 ms  0.4 %
             in all, traced         +5.92 ms  100 %  ± 0.30

        the same: libraries, processes, threads
        also different: newfstatat /usr/share/zoneinfo/ 2 → 3

        16 + 16 plain, 16 + 16 traced (+4 % CPU), 16 + 16 sampled (+24 % CPU); figures
          from 8 fresh blocks
        explain.svg  explain.json

        """
    )
  }

  @Test("tells where the time of one program goes, in parts that add up")
  func single() {
    let text = ExplanationText(SampleExplanation.single, style: style).rendered()
    #expect(
      text == """
        app takes 8.57 ms (95 % interval 8.22 to 8.92 ms); traced launches took 8.99 ms,
        spent in

          waits        clock_nanosleep                                    5.20 ms   58 %
          files        plugins/                                           0.95 ms   11 %
          own code     _dl_relocate_object [ld-linux-x86-64.so.2]         0.71 ms    8 %
          own code     std::vector<int, std::allocator<int>>::push_back…  0.51 ms    6 %
          own code     worker (thread worker)                             0.31 ms    3 %
          page faults  dl_main [ld-linux-x86-64.so.2]                     0.31 ms    3 %
          kernel       mmap                                               0.20 ms    2 %
          own code     2 smaller parts                                    0.14 ms    2 %
          disk         1 smaller part                                     0.10 ms    1 %
          files        1 smaller part                                     0.10 ms    1 %
                       waiting for a processor                            0.42 ms    5 %
                       launchlab noticing that it is ready                0.04 ms  0.4 %
                       in all, traced                                     8.99 ms  100 %

        16 plain, 16 traced (+4 % CPU), 16 sampled (+24 % CPU); figures from 8 blocks

        """
    )
  }

  @Test("says so where nothing differs")
  func same() {
    let text = ExplanationText(SampleExplanation.same, style: style).rendered()
    #expect(
      text == """
        A and B take the same time (2.650 → 2.660 ms, 95 % interval −30 to +50 µs)

        the same: libraries, processes, threads, system calls, page faults

        16 + 16 plain, 16 + 16 traced (+4 % CPU), 16 + 16 sampled (+24 % CPU); figures
          from 8 blocks

        """
    )
  }

  @Test("does not call equal what may differ")
  func notToldApart() {
    var result = SampleExplanation.same
    result.explanation.difference.plain = nil
    result.explanation.difference.traced = SampleExplanation.change(2_600, 2_700, within: 400)
    let text = ExplanationText(result, style: style).rendered()
    #expect(
      text.hasPrefix(
        "no significant difference between A and B (2.60 → 2.70 ms when traced, 95 %"
      )
    )
    result.explanation.difference.traced = SampleExplanation.change(2_600, 2_900, within: 200)
    let likely = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(likely.hasPrefix("B may be 300 µs slower than A (2.60 → 2.90 ms when traced, 95 %"))
    #expect(likely.contains("+500 µs): too little to be sure\n"), "\(likely)")
    // One part may be slower and another one faster.
    result.explanation.reasons = SampleExplanation.slower.explanation.reasons
    let parts = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(parts.contains("too little to be sure, but these parts differ\n"), "\(parts)")
  }

  @Test("cuts a call path that nobody would read")
  func longPath() {
    var result = SampleExplanation.slower
    let frames = (0..<90).map { CodeFrame(file: "program", function: "evaluate_\($0)") }
    result.explanation.reasons[0].path = frames
    let text = ExplanationText(result, style: TextStyle(width: .max)).rendered()
    #expect(text.contains("› evaluate_2 › … ›"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 200 }, "\(text)")
  }

  @Test("shows all parts as trees, and what was withdrawn, only where all is asked for")
  func verbose() {
    let result = SampleExplanation.slower
    let brief = ExplanationText(result, style: style).rendered()
    let whole = ExplanationText(result, style: style, isVerbose: true).rendered()
    let rows = [
      "  1  parse_config  +0.01 ms  8 %  ± 0.03  own code\n",
      "      main                                              1.00 → 6.91 ms  +5.91 ms\n",
      "        load_plugins › scan_plugins                     0.00 → 1.10 ms  +1.10 ms\n",
      "          openat                                        0.00 → 0.70 ms  +0.70 ms\n",
      "      plugins               0.00 → 0.95 ms  +0.95 ms\n",
      "  page faults outside files about 310 → 322.5\n", "B: ./app-new --version\n",
      "found again in 8 fresh blocks",
    ]
    for row in rows {
      #expect(whole.contains(row))
      #expect(!brief.contains(row))
    }
  }

  @Test("fits into its width", arguments: [60, 80, 120])
  func width(_ width: Int) {
    let style = TextStyle(width: width)
    for result in [SampleExplanation.slower, SampleExplanation.large, SampleExplanation.single] {
      for isVerbose in [false, true] {
        let text = ExplanationText(result, style: style, isVerbose: isVerbose).rendered()
        let widest = text.split(separator: "\n").map { String($0).displayWidth }.max() ?? 0
        #expect(widest > 0 && widest <= width)
      }
    }
  }

  @Test("names what could not be divided below what is not attributed, and not as a reason")
  func unspecific() {
    var result = SampleExplanation.slower
    result.explanation.reasons = result.explanation.reasons.map {
      var reason = $0
      reason.isSpecific = false
      return reason
    }
    result.explanation.coverage = LaunchExplanation.Coverage(share: 0, interval: nil)
    let text = ExplanationText(result, style: TextStyle(width: 100)).rendered()
    #expect(
      text.hasPrefix("B is 5.9 ms slower than A") && text.contains("and no reason was found\n")
    )
    #expect(text.contains("      of it wait_for_device (new)  +5.20 ms   88 %\n"))
    #expect(ExplanationMarkdown(result).why() == "**Why**: no reason was found for +5.9 ms")
  }

  @Test("cuts a long name, but not how the programs differ in it")
  func longName() {
    var result = SampleExplanation.slower
    let name = String(repeating: "a_long_name::", count: 10)
    result.explanation.reasons[0].path = [CodeFrame(file: "program", function: name)]
    let text = ExplanationText(result, style: style).rendered()
    #expect(text.contains("a_long_name::a_long_name::a_long_… (new)  +5.20 ms   88 %"))
  }

  @Test("shows the smaller reasons as one line")
  func manyReasons() {
    var result = SampleExplanation.slower
    let reason = result.explanation.reasons[1]
    for rank in 4...6 {
      var another = reason
      another.rank = rank
      another.change = SampleExplanation.change(0, 100)
      another.share = 0.02
      result.explanation.reasons.append(another)
    }
    let text = ExplanationText(result, style: style).rendered()
    #expect(text.contains("     3 smaller reasons: see -v  +0.30 ms    6 %\n"))
  }

  @Test("makes control characters visible")
  func controlCharacters() {
    var result = SampleExplanation.slower
    result.explanation.reasons[0].path = [CodeFrame(file: "program", function: "\u{1B}[2Jmain")]
    result.files = ["\u{1B}.svg"]
    for isVerbose in [false, true] {
      let text = ExplanationText(result, style: style, isVerbose: isVerbose).rendered()
      #expect(!text.unicodeScalars.contains("\u{1B}"))
      #expect(text.contains(#"\u{1b}[2Jmain"#) || text.contains(#"\u{1B}[2Jmain"#))
    }
  }

  @Test("says why a collector is missing")
  func missing() {
    var result = SampleExplanation.slower
    result.collectors[2].missing = "perf_event_paranoid is 3"
    let text = ExplanationText(result, style: style).rendered()
    #expect(text.contains("\nno profile: perf_event_paranoid is 3\n"))
    #expect(!text.contains("sampled"))
  }

  @Test("says what the numbers leave open")
  func notes() {
    var result = SampleExplanation.slower
    result.explanation.notes = [
      .fewBlocks(count: 3, needed: 7), .unknownTime(share: 0.12), .lostSamples(count: 1),
      .pathSwitched(from: .main, to: .threadOf(function: "worker"), amount: Nanoseconds(520_000)),
    ]
    let text = ExplanationText(result, style: TextStyle(width: 200), isVerbose: true).rendered()
    #expect(
      text.hasSuffix(
        """
        warning: 3 usable blocks are too few to call anything different; it takes 7
          help: allow more time or more launches
        warning: the trace does not say what 12 % of the launch was
        warning: there was no room for 1 sample
        note: 520 µs of the critical path moved from main thread to thread worker, which is no \
        difference

        """
      )
    )
  }
}

@Suite("Words of an explanation")
struct ExplanationWordsTests {
  @Test("a long call path keeps its first three and last four functions")
  func callPath() {
    let names = (1...12).map { "function_\($0)" }
    let cut = CallPathText(names).text(width: 100)
    #expect(
      cut == "function_1 › function_2 › function_3 › … › function_9 › function_10 › function_11 › "
        + "function_12"
    )
    #expect(CallPathText(names).text(width: 200) == names.joined(separator: " › "))
    #expect(CallPathText(names).text(width: 50) == "function_1 › … › function_11 › function_12")
    #expect(CallPathText(names).text(width: 14) == "… › function_…")
  }

  @Test("numbers of one table have one unit and one number of decimals")
  func numbers() {
    let numbers = ExplanationNumbers(forTableUpTo: Nanoseconds(5_925_000))
    #expect(numbers.text(Nanoseconds(5_925_000)) == "5.92 ms")
    #expect(numbers.signed(Nanoseconds(-44_000)) == "−0.04 ms")
    #expect(numbers.signed(Nanoseconds(-4_000)) == "±0.00 ms")
    #expect(
      ExplanationNumbers(forTableUpTo: Nanoseconds(460_000)).text(Nanoseconds(460_000)) == "460 µs"
    )
  }

  @Test("two large times keep enough digits for a small difference")
  func smallDifference() {
    let change = SampleExplanation.change(100_000, 100_460)
    let numbers = ExplanationNumbers(for: change)
    #expect(numbers.number(change.before) == "100.00")
    #expect(numbers.text(change.after) == "100.46 ms")
  }

  @Test(
    "shares are whole percent, but not where that would be nothing",
    arguments: [(0.876, "88 %"), (0.004, "0.4 %"), (-0.07, "−7 %"), (0, "0 %"), (1.234, "123 %")]
  )
  func percent(_ share: Double, _ text: String) {
    #expect(ExplanationNumbers.percent(share) == text)
  }

  @Test("libraries are counted after the first")
  func libraries() {
    let change = LaunchExplanation.LibraryChange(
      new: ["liba.so.1", "libb.so.1", "libc.so.1"],
      gone: ["libz.so.1"]
    )
    #expect(
      ExplanationWords.text(of: change) == [
        "loads liba.so.1 and 2 more", "no longer loads libz.so.1",
      ]
    )
  }

  @Test("a reason of a resource is called by what is done to what")
  func resourceReason() {
    var reason = SampleExplanation.reason(
      1,
      .socket,
      [],
      "read",
      "unix:daemon.sock",
      SampleExplanation.change(0, 5_000),
      1,
      .new,
      []
    )
    #expect(ExplanationWords.title(of: reason) == "waiting in read unix:daemon.sock (new)")
    reason.kind = .child
    reason.object = "true"
    #expect(ExplanationWords.title(of: reason) == "process true (new)")
  }
}

@Suite("The exit code of an explanation")
struct ExplanationExitCodeTests {
  @Test(
    "tells whether the difference is explained",
    arguments: [(0.79, LabExitCode.inconclusive), (0.8, .done), (1.1, .done)]
  )
  func coverage(_ share: Double, _ code: LabExitCode) {
    var result = SampleExplanation.slower
    result.explanation.coverage = LaunchExplanation.Coverage(share: share, interval: nil)
    #expect(result.exitCode == code)
  }

  @Test("is done where there is no difference, but not where there are too few blocks to see one")
  func noDifference() {
    var result = SampleExplanation.same
    #expect(result.exitCode == .done)
    result.explanation.difference.plain = nil
    result.explanation.difference.traced.interval = nil
    result.explanation.notes = [.fewBlocks(count: 1, needed: 7)]
    #expect(result.exitCode == .inconclusive)
  }

  @Test("a program alone is always done")
  func single() { #expect(SampleExplanation.single.exitCode == .done) }

  @Test("stages are compared below the reasons, in text, Markdown and JSON")
  func stages() {
    func stage(_ path: String, _ before: Double?, _ after: Double?) -> StageDifference {
      StageDifference(kind: .stage, path: path, before: before, after: after, share: 0.9)
    }
    var result = SampleExplanation.slower
    result.stages = [
      stage("main_to_ready", 2_000_000, 7_300_000), stage("main_to_ready > files", nil, 1_000_000),
    ]
    let text = ExplanationText(result, style: TextStyle(width: 100)).rendered()
    #expect(text.contains("\nby stage, in separate launches (see `launchlab stages`):\n"))
    #expect(text.contains("\n  main to ready  2.000 ms  7.300 ms   +5.300 ms"))
    #expect(!text.contains("within the noise"))
    #expect(ExplanationMarkdown(result).rendered().contains("\n| main to ready "))
    let json = ExplanationJSON(result).rendered()
    #expect(json.contains("\"path\": \"main_to_ready\""))
    result = SampleExplanation.single
    result.stages = [stage("relocation", nil, 100_000), stage("main_to_ready", nil, 900_000)]
    let single = ExplanationText(result, style: TextStyle(width: 100)).rendered()
    #expect(single.contains("\n  main to ready               0.900 ms   90 %\n"))
    #expect(single.contains("\n  the median launch of these  1.000 ms  100 %\n"))
  }
}
