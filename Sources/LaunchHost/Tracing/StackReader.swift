import CLaunchWire
package import LaunchCore

/// Names the functions that threads were in when they were sampled.
///
/// The files of profiles are read in a process of its own, after the launches: all at once, since
/// launches of one program are found in the same functions again and again.
package struct StackReader: Sendable {
  /// Where separate debug files are looked for, in the form of libdwfl's `debuginfo_path`.
  ///
  /// Nil is its default: the file's own directory, `.debug` below it, and `/usr/lib/debug`.
  var debugDirectories: String?

  /// The program that reads; tests put another in its place.
  var helper = EmbeddedHelper.unwinder

  /// Variables of the helper's environment besides launchlab's own.
  var variables: [String: String] = [:]

  /// How long reading may take altogether.
  var limit = Duration.seconds(120)

  package init() {}

  /// Reads profiles; whatever is in the files, this never fails.
  ///
  /// - Parameter files: They may be of different programs.
  /// - Returns: A profile for each file, in the same order, nil where it could not be read; and why
  ///   it could not, and which functions have no names, as sentences without a full stop.
  package func profiles(
    of files: [ProfileRecording]
  ) async -> (profiles: [LaunchProfile?], notes: [String]) {
    let answer = await answer(of: files)
    return (answer.profiles, answer.notes)
  }

  /// Profiles, and what the unwinder answered; nil for nothing that can be kept.
  package typealias Answer = (profiles: [LaunchProfile?], notes: [String], bytes: [UInt8]?)

  /// The profiles of an answer that was kept.
  ///
  /// - Parameters:
  ///   - bytes: What the unwinder answered.
  ///   - files: What it was asked for.
  /// - Returns: Nil for what is no such answer.
  package static func profiles(
    in bytes: [UInt8],
    of files: [ProfileRecording]
  ) -> [LaunchProfile?]? {
    StackAnswer(bytes, of: files)?.profiles
  }

  /// The same as ``profiles(of:)``, with the answer that says it.
  package func answer(of files: [ProfileRecording]) async -> Answer {
    guard !files.isEmpty else { return ([], [], nil) }
    let nothing = [LaunchProfile?](repeating: nil, count: files.count)
    let reading = ReadingHelper(
      name: "the unwinder",
      helper: helper,
      variables: variables,
      limit: limit
    )
    switch await reading.answer([debugDirectories ?? ""] + files.map(\.path)) {
    case .success(let bytes):
      let answer = StackAnswer(bytes, of: files)
      return answer.map { ($0.profiles, $0.notes, bytes) }
        ?? (nothing, ["no call stacks: they were not understood"], nil)
    case .failure(let failure):
      return (nothing, ["no call stacks: \(failure.reason)"], nil)
    }
  }
}

/// What the native helper `unwinder` answers; `profile_wire.h` describes it.
struct StackAnswer {
  /// One for each file, nil where it could not be read.
  private(set) var profiles: [LaunchProfile?] = []

  private(set) var notes: [String]

  private let texts: [String]
  private let functions: [CodeFrame]

  /// Decodes an answer; nil when it is cut off, damaged, or not about these files.
  init?(_ bytes: [UInt8], of files: [ProfileRecording]) {
    var rest = WordReader(bytes)
    guard let header: stacks_header = rest.next(), header.magic == STACKS_MAGIC,
      header.bytes == UInt64(bytes.count), Int(header.profiles) == files.count,
      let texts = rest.texts(Int(header.texts), inBytes: header.text_bytes),
      let pairs = rest.numbers(2 * Int(header.functions)),
      let notes = rest.numbers(Int(header.notes)),
      let functions = Self.functions(pairs, texts),
      let readable = Self.named(notes, in: texts)
    else { return nil }
    self.texts = texts
    self.functions = functions
    self.notes = readable
    for file in files {
      guard let read = profile(of: file, &rest) else { return nil }
      if let problem = read.problem {
        self.notes.append("no call stacks of \(file.path): \(problem)")
      }
      profiles.append(read.profile)
    }
    guard rest.isAtEnd else { return nil }
  }

  /// The functions, those of Swift as people write them.
  private static func functions(_ pairs: [UInt32], _ texts: [String]) -> [CodeFrame]? {
    var functions: [CodeFrame] = []
    functions.reserveCapacity(pairs.count / 2)
    for index in stride(from: 0, to: pairs.count, by: 2) {
      guard let file = texts.at(pairs[index]), let name = texts.at(pairs[index + 1]) else {
        return nil
      }
      functions.append(CodeFrame(file: file, function: name))
    }
    let swift = SwiftNames(functions.map(\.function)).readable
    for index in functions.indices {
      if let readable = swift[functions[index].function] { functions[index].function = readable }
    }
    return functions
  }

  private static func named(_ numbers: [UInt32], in texts: [String]) -> [String]? {
    var named: [String] = []
    named.reserveCapacity(numbers.count)
    for number in numbers {
      guard let text = texts.at(number) else { return nil }
      named.append(text)
    }
    return named
  }

  // MARK: - Profiles

  private func profile(
    of file: ProfileRecording,
    _ rest: inout WordReader
  ) -> (profile: LaunchProfile?, problem: String?)? {
    guard let header: stacks_profile = rest.next(), let problem = texts.at(header.problem),
      let tasks = tasks(Int(header.tasks), &rest),
      let numbers = rest.numbers(Int(header.files)),
      let paths = Self.named(numbers, in: texts),
      let samples = samples(Int(header.samples), &rest)
    else { return nil }
    guard problem.isEmpty else { return (nil, problem) }
    return (
      LaunchProfile(
        begin: file.begin,
        ready: file.ready,
        process: file.process,
        period: Nanoseconds(Int64(clamping: header.period)),
        samples: samples,
        tasks: tasks,
        files: Set(paths).sorted(),
        lostSamples: Int(clamping: header.lost),
        samplesKernel: header.flags & STACKS_WITHOUT_KERNEL == 0
      ),
      nil
    )
  }

  private func tasks(_ count: Int, _ rest: inout WordReader) -> [ProfileTask]? {
    var tasks: [ProfileTask] = []
    for _ in 0..<count {
      guard let task: stacks_task = rest.next(), let name = texts.at(task.name) else { return nil }
      let isStart = task.kind == STACKS_STARTED.rawValue
      tasks.append(
        ProfileTask(
          time: Nanoseconds(Int64(clamping: task.time)),
          process: task.process,
          thread: task.thread,
          kind: isStart
            ? .started(byThread: task.parent_thread, process: task.parent) : .executed(name: name)
        )
      )
    }
    return tasks
  }

  private func samples(_ count: Int, _ rest: inout WordReader) -> [ProfileSample]? {
    var samples: [ProfileSample] = []
    for _ in 0..<count {
      guard let sample: stacks_sample = rest.next(),
        let numbers = rest.numbers(Int(sample.kernel) + Int(sample.user)),
        let kernel = Self.named(Array(numbers.prefix(Int(sample.kernel))), in: texts)
      else { return nil }
      var user: [CodeFrame] = []
      user.reserveCapacity(Int(sample.user))
      for number in numbers.dropFirst(Int(sample.kernel)) {
        guard let function = functions.at(number) else { return nil }
        user.append(function)
      }
      let isWait = sample.flags & STACKS_WAIT != 0
      // One that was preempted, or never ran again, says nothing.
      if isWait, sample.waited == 0 { continue }
      samples.append(
        ProfileSample(
          time: Nanoseconds(Int64(clamping: sample.time)),
          process: sample.process,
          thread: sample.thread,
          kernel: kernel,
          user: user,
          isCut: sample.flags & STACKS_CUT != 0,
          waited: isWait ? Nanoseconds(Int64(clamping: sample.waited)) : nil
        )
      )
    }
    return samples
  }
}

/// Takes values off the front of bytes, as long as there are enough.
private struct WordReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func next<Value: BitwiseCopyable>() -> Value? {
    guard let value: Value = bytes.value(at: position) else { return nil }
    position += MemoryLayout<Value>.size
    return value
  }

  /// Numbers, and what pads them to whole words of 8 bytes.
  mutating func numbers(_ count: Int) -> [UInt32]? {
    let size = MemoryLayout<UInt32>.size
    guard count <= (bytes.count - position) / size else { return nil }
    let end = position + (count * size + 7) / 8 * 8
    guard end <= bytes.count else { return nil }
    defer { position = end }
    return unsafe bytes.withUnsafeBytes { buffer in
      (0..<count).map { index in
        unsafe buffer.loadUnaligned(fromByteOffset: position + index * size, as: UInt32.self)
      }
    }
  }

  /// Texts that each end with a NUL byte, and what pads them.
  mutating func texts(_ count: Int, inBytes length: UInt64) -> [String]? {
    guard length <= UInt64(bytes.count - position) else { return nil }
    let end = position + Int(length)
    defer { position = end }
    let all = bytes[position..<end].split(separator: 0, omittingEmptySubsequences: false)
    guard all.count > count else { return nil }
    return all.prefix(count).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Array {
  /// The element with a number; nil where there is none.
  fileprivate func at(_ number: UInt32) -> Element? {
    Int(number) < count ? self[Int(number)] : nil
  }
}
