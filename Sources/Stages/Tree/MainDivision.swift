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
  ///   - begin: When the launch began, on the clock of the path.
  /// - Returns: The divided stages.
  package func dividing(by path: LaunchPath, since begin: Nanoseconds) -> Self {
    guard let place = launch.children.firstIndex(where: { $0.name == StageName.mainToReady }),
      let start = launch.children[place].start, let duration = launch.children[place].duration
    else { return self }
    let window = begin + start..<begin + start + duration
    let division = MainDivision(path, in: window)
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

  /// As many objects of each part tell what it was.
  private static let mostObjects = 3

  /// A part of the first thread is one of a resource; others are parts of their own.
  init(_ path: LaunchPath, in window: Range<Nanoseconds>) {
    for segment in path.segments {
      let time =
        min(segment.end, window.upperBound) - max(segment.start, window.lowerBound)
      guard time > .zero else { continue }
      let (part, object) = Self.place(of: segment)
      times[part, default: .zero] = times[part, default: .zero] + time
      if let object {
        let sum = objects[part, default: [:]][object, default: .zero]
        objects[part, default: [:]][object] = sum + time
      }
    }
  }

  private static func place(of segment: PathSegment) -> (part: String, object: String?) {
    switch segment.activity {
    case .queue: return (StageName.MainPart.queue, nil)
    case .harness: return (StageName.MainPart.harness, nil)
    case .unknown: return (StageName.MainPart.unknown, nil)
    case .ownCode, .systemCall, .wait, .diskWait, .faultWait: break
    }
    switch segment.actor {
    case .process(let program, _): return (StageName.MainPart.processes, program)
    case .thread, .threadOf: return (StageName.MainPart.threads, nil)
    case .main: break
    }
    let resource = ResourceKey(segment.activity).path
    let object = resource.count > 1 ? resource[1] : nil
    return (resources[resource[0]] ?? StageName.MainPart.calls, object)
  }

  var total: Nanoseconds { times.values.reduce(.zero, +) }

  func stages(by collector: StageCollector) -> [Stage] {
    StageName.MainPart.all.map { part in
      let sorted = (objects[part] ?? [:])
        .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
      return Stage(
        name: part,
        duration: times[part] ?? .zero,
        source: collector,
        children: sorted.prefix(Self.mostObjects).map {
          Stage(name: $0.key, kind: .detail, duration: $0.value, source: collector)
        }
      )
    }
  }
}
