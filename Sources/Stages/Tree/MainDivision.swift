package import LaunchCore

extension LaunchStages {
  /// The stages with `main_to_ready` divided by what the critical path was on meanwhile.
  ///
  /// The parts sum exactly to it; all of them are there in every launch, so that their medians are
  /// those of all launches. What took most of each is a detail of it. Nothing changes where `main` was
  /// not seen, or the path does not cover the stage.
  ///
  /// - Parameters:
  ///   - path: The critical path of the same launch.
  ///   - process: The one that was launched.
  ///   - begin: When the launch began, on the clock of the path.
  /// - Returns: The divided stages.
  package func dividing(
    by path: LaunchPath,
    launched process: Int32,
    since begin: Nanoseconds
  ) -> Self {
    guard let place = launch.children.firstIndex(where: { $0.name == StageName.mainToReady }),
      let start = launch.children[place].start, let duration = launch.children[place].duration,
      duration > .zero
    else { return self }
    let window = begin + start..<begin + start + duration
    // Behind a launcher the program whose `main` it is runs in a process of its own.
    let other = pid.flatMap { $0 == process ? nil : program }
    let name = other?.split(separator: "/").last.map(String.init)
    let subject = name.map { LaunchActor.process(program: $0, thread: 0) } ?? .main
    let division = MainDivision(path, in: window, of: subject)
    guard division.total == duration else { return self }
    var stages = self
    stages.launch.children[place].children =
      division.stages(by: collector) + launch.children[place].children
    return stages
  }
}

/// The time of a critical path by what it was on.
private struct MainDivision {
  private var times: [String: Nanoseconds] = [:]

  /// By part, and the object or process within it.
  private var objects: [String: [String: Nanoseconds]] = [:]

  private static let resources = [
    "own code": StageName.MainPart.ownCode, "page faults": StageName.MainPart.faults,
    "files": StageName.MainPart.files, "disk": StageName.MainPart.disk,
    "sockets": StageName.MainPart.sockets, "processes": StageName.MainPart.starting,
    "waits": StageName.MainPart.waits,
  ]

  /// An object that took less than this share of the time is not kept.
  private static let smallestShare = 0.001

  /// The time of the subject is divided by resource; that of others is a part of its own.
  init(_ path: LaunchPath, in window: Range<Nanoseconds>, of subject: LaunchActor) {
    for segment in path.segments {
      let time =
        min(segment.end, window.upperBound) - max(segment.start, window.lowerBound)
      guard time > .zero else { continue }
      let (part, object) = Self.place(of: segment, subject)
      times[part, default: .zero] = times[part, default: .zero] + time
      if let object {
        let sum = objects[part, default: [:]][object, default: .zero]
        objects[part, default: [:]][object] = sum + time
      }
    }
  }

  private static func place(
    of segment: PathSegment,
    _ subject: LaunchActor
  ) -> (part: String, object: String?) {
    switch segment.activity {
    case .queue: return (StageName.MainPart.queue, nil)
    case .harness: return (StageName.MainPart.harness, nil)
    case .unknown: return (StageName.MainPart.unknown, nil)
    case .ownCode, .systemCall, .wait, .diskWait, .faultWait: break
    }
    guard segment.actor == subject else {
      let program = segment.actor.program
      return program == subject.program
        ? (StageName.MainPart.threads, nil)
        : (StageName.MainPart.processes, program ?? "launcher")
    }
    let resource = ResourceKey(segment.activity).path
    let object = resource.count > 1 ? resource[1] : nil
    return (resources[resource[0]] ?? StageName.MainPart.calls, object)
  }

  var total: Nanoseconds { times.values.reduce(.zero, +) }

  func stages(by collector: StageCollector) -> [Stage] {
    let least = Double(total.count) * Self.smallestShare
    return StageName.MainPart.all.map { part in
      let sorted = (objects[part] ?? [:])
        .filter { Double($0.value.count) >= least }
        .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
      return Stage(
        name: part,
        duration: times[part] ?? .zero,
        source: collector,
        children: sorted.map {
          Stage(name: $0.key, kind: .detail, duration: $0.value, source: collector)
        }
      )
    }
  }
}

extension LaunchActor {
  /// The program of its process; nil for the one that was launched.
  fileprivate var program: String? {
    switch self {
    case .process(let program, _): program
    case .main, .thread, .threadOf: nil
    }
  }
}
