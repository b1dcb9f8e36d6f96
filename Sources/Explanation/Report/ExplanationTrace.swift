import LaunchCore
package import Rendering
import Stages

/// An explanation as a trace, which Perfetto, speedscope and the Firefox Profiler open.
///
/// Of a traced launch of each program every process is one there, and each thread has a track: own
/// code and system calls, with the waits in them below. The critical path has a track of its own, whose
/// slices add up to the launch, and every wake-up within the launch is an arrow. Of a sampled launch
/// each thread has its call stacks. Every launch begins at 0. The mean time by actor and function is
/// laid end to end.
package struct ExplanationTrace: JSONDocument {
  private let result: ExplanationResult

  package init(_ result: ExplanationResult) { self.result = result }

  package var layout: JSONText.Layout { .line }

  package var value: JSONValue {
    var processes = ExplanationProcesses()
    for (side, arm) in result.sides {
      let reader = result.explanation.reading.reader
      let names: (LaunchActor) -> String = {
        ExplanationWords.name(of: reader.name(of: $0, in: side))
      }
      if let traced = arm.traced {
        processes.add(LaunchTracks(traced), of: arm, nameOf: names)
      }
      if let sampled = arm.sampled { processes.add(sampled, of: arm, nameOf: names) }
    }
    processes.addMeanTimes(of: NodeTree(result.explanation.tree), times)
    let commands = result.arms.map { ShellQuoting.text($0.command) }
    return TraceEvent.document(processes.events, command: commands.joined(separator: "; "))
  }

  /// The times that are shown of each part; of two programs also what takes longer in the second one,
  /// and what takes less time, since no slice can be negative.
  private var times: [(name: String, of: (TimeChange) -> Nanoseconds)] {
    guard result.arms.count == 2 else {
      return [(result.arms.first?.name ?? "launch", { $0.after })]
    }
    let (first, last) = (result.arms[0].name, result.arms[1].name)
    return [
      (first, { $0.before }), (last, { $0.after }),
      ("slower in \(last)", { $0.difference }),
      ("faster in \(last)", { $0.before - $0.after }),
    ]
  }
}

/// The processes of a trace, and the arrows between them.
private struct ExplanationProcesses {
  private var processes: [TraceProcess] = []
  private var arrows: [JSONValue] = []

  /// An arrow is bound to a slice that was read before it.
  var events: [JSONValue] { processes.flatMap(\.events) + arrows }

  /// Adds a process, and returns its place.
  private mutating func add(_ name: String) -> Int {
    let number = processes.count + 1
    processes.append(TraceProcess(number, name: name, order: number))
    return processes.count - 1
  }

  // MARK: - A traced launch

  mutating func add(
    _ tracks: LaunchTracks,
    of arm: ExplanationResult.Arm,
    nameOf: (LaunchActor) -> String
  ) {
    let first = add("\(arm.name): \(ShellQuoting.text(arm.command))")
    let path = tracks.criticalPath.map { segment in
      TraceSlice(
        "\(nameOf(segment.actor)): \(ExplanationWords.name(of: segment.activity))",
        category: "critical path",
        from: segment.start,
        to: segment.end,
        details(of: segment.activity)
      )
    }
    processes[first].add("critical path", path)
    var numbers = [0: first]
    var places: [(process: Int, thread: Int)] = []
    for thread in tracks.threads {
      let name = nameOf(thread.actor)
      let process = numbers[thread.process] ?? add("\(arm.name): \(name)")
      numbers[thread.process] = process
      let slices = slices(of: thread, in: tracks, nameOf: nameOf)
      places.append((processes[process].number, processes[process].add(name, slices)))
    }
    for (thread, place) in zip(tracks.threads, places) {
      for pause in thread.stretches.flatMap(\.pauses) {
        guard let waker = pause.waker else { continue }
        addArrow(from: places[waker], to: place, at: pause.end)
      }
    }
  }

  private func slices(
    of thread: LaunchTracks.Thread,
    in tracks: LaunchTracks,
    nameOf: (LaunchActor) -> String
  ) -> [TraceSlice] {
    thread.stretches.flatMap { stretch in
      let name = [stretch.call, stretch.object].compactMap(\.self).joined(separator: " ")
      let whole = TraceSlice(
        stretch.call == nil ? "own code" : name,
        category: stretch.call == nil ? "own code" : "system call",
        from: stretch.start,
        to: stretch.end
      )
      return [whole]
        + stretch.pauses.map { pause in
          let waker = pause.waker.map { number in
            let other = tracks.threads[number]
            let call = other.stretch(before: pause.end)?.call
            return [nameOf(other.actor), call].compactMap(\.self).joined(separator: " in ")
          }
          return TraceSlice(
            ExplanationWords.name(of: pause.activity),
            category: "wait",
            from: pause.start,
            to: pause.end,
            details(of: pause.activity, waker: waker)
          )
        }
    }
  }

  /// What is worked on or waited for, and who ended the wait.
  ///
  /// The Firefox Profiler shows no other argument than `detail`.
  private func details(
    of activity: Activity,
    waker: String? = nil
  ) -> [(name: String, value: JSONValue)] {
    var outside: String?
    if case .wait(_, _, let name) = activity { outside = name }
    let text = [activity.object, (waker ?? outside).map { "woken by \($0)" }]
      .compactMap(\.self).joined(separator: ", ")
    return text.isEmpty ? [] : [("detail", .string(text))]
  }

  private mutating func addArrow(
    from waker: (process: Int, thread: Int),
    to woken: (process: Int, thread: Int),
    at time: Nanoseconds
  ) {
    let number = arrows.count / 2 + 1
    for (phase, place) in [("s", waker), ("f", woken)] {
      arrows.append([
        "name": "wakes", "cat": "wake-up", "ph": .string(phase), "id": JSONValue(number),
        "ts": TraceEvent.microseconds(time), "pid": JSONValue(place.process),
        "tid": JSONValue(place.thread), "bp": "e",
      ])
    }
  }

  // MARK: - A sampled launch

  mutating func add(
    _ profile: LaunchProfile,
    of arm: ExplanationResult.Arm,
    nameOf: (LaunchActor) -> String
  ) {
    let actors = ProfileActors(profile)
    let samples = profile.samples.filter { sample in
      sample.waited == nil && (profile.begin...profile.ready).contains(sample.time)
    }
    let process = add("\(arm.name): sampled launch")
    let threads = Dictionary(grouping: samples, by: \.thread).values.sorted { one, other in
      (one[0].time, one[0].thread) < (other[0].time, other[0].thread)
    }
    for samples in threads {
      var stacks = StackSlices("sample", gap: Nanoseconds(profile.period.count / 2))
      for sample in samples {
        let start = sample.time - profile.begin
        stacks.add(stack(of: sample), from: start, to: start + profile.period)
      }
      let name = actors.actor(of: samples[0]).map(nameOf) ?? "unknown thread"
      processes[process].add(name, stacks.slices)
    }
  }

  private func stack(of sample: ProfileSample) -> [String] {
    sample.user.map { frame in
      ExplanationWords.fullName(
        of: CodeFrame(file: frame.file.lastPathPart, function: frame.function)
      )
    } + sample.kernel.map { "\($0) [kernel]" }
  }

  // MARK: - Mean times

  mutating func addMeanTimes(
    of tree: NodeTree,
    _ times: [(name: String, of: (TimeChange) -> Nanoseconds)]
  ) {
    let process = add("mean times (order unknown)")
    let ends = tree.ends
      .map { (change: tree.nodes[$0].change, stack: stack(of: $0, in: tree)) }
      .sorted { $0.stack.lexicographicallyPrecedes($1.stack) }
    for time in times {
      var stacks = StackSlices("mean time")
      var start = Nanoseconds.zero
      for end in ends {
        let length = time.of(end.change)
        guard length > .zero else { continue }
        stacks.add(end.stack, from: start, to: start + length)
        start = start + length
      }
      processes[process].add(time.name, stacks.slices)
    }
  }

  /// The names of the steps to an end, the outermost first.
  private func stack(of end: Int, in tree: NodeTree) -> [String] {
    var stack: [String] = []
    var next: Int? = end
    while let place = next, place > 0 {
      if tree.nodes[place].label != .leaf(.ownCode) { stack.append(tree.fullName(of: place)) }
      next = tree.parents[place]
    }
    return stack.reversed()
  }
}

/// Call stacks in order of time as slices that nest: what neighbours have in common is one slice.
private struct StackSlices {
  private(set) var slices: [TraceSlice] = []
  private let category: String

  /// How far apart neighbours may be.
  private let gap: Nanoseconds

  /// The places of the slices of the last stack, the outermost first.
  private var open: [Int] = []
  private var end = Nanoseconds.zero

  init(_ category: String, gap: Nanoseconds = .zero) {
    self.category = category
    self.gap = gap
  }

  /// Adds a stack, the outermost function first; the one before it ends where it begins at the latest.
  mutating func add(_ stack: [String], from start: Nanoseconds, to end: Nanoseconds) {
    if start > self.end + gap { open = [] }
    for place in open { slices[place].end = min(slices[place].end, start) }
    let shared = zip(open, stack).prefix { slices[$0].name == $1 }.count
    open.removeSubrange(shared...)
    for name in stack.dropFirst(shared) {
      open.append(slices.count)
      slices.append(TraceSlice(name, category: category, from: start, to: end))
    }
    for place in open { slices[place].end = end }
    self.end = end
  }
}
