/// The moment of a window that ends a launch, and which window it is.
package struct WindowCondition: Hashable, Codable, Sendable {
  package var moment: Moment

  /// What the title matches, as a POSIX extended regular expression; nil for any title.
  package var title: String?

  /// What the application's class matches, such as `Navigator` or `firefox`; nil for any class.
  package var windowClass: String?

  /// Which of those windows, in the order in which they are mapped, from 1.
  package var number: Int

  /// How much of a window has to be there.
  package enum Moment: Hashable, Codable, Sendable {
    /// It is mapped.
    case window

    /// It has content: more than its background.
    case frame

    /// It has content, which has not changed for so long; the launch ends with the last change.
    case settled(quiet: Nanoseconds)
  }

  /// The condition for the same window with another moment.
  package func waiting(for moment: Moment) -> Self {
    var condition = self
    condition.moment = moment
    return condition
  }

  /// How long a settled window does not change, unless it is said.
  package static let defaultQuiet = Nanoseconds.milliseconds(300)

  package init(
    _ moment: Moment,
    title: String? = nil,
    windowClass: String? = nil,
    number: Int = 1
  ) {
    self.moment = moment
    self.title = title
    self.windowClass = windowClass
    self.number = number
  }
}

extension WindowCondition: CustomStringConvertible {
  /// The condition as a phrase for people, such as `the first frame of window 2 titled "Inbox"`.
  package var description: String {
    let traits = [
      title.map { "titled \"\($0)\"" }, windowClass.map { "of class \"\($0)\"" },
    ].compactMap(\.self)
    let window =
      ([number > 1 ? "window \(number)" : "the window"] + traits)
      .joined(separator: " ")
    return switch moment {
    case .window: number == 1 && traits.isEmpty ? "the first window" : window
    case .frame: "the first frame of \(window)"
    case .settled(let quiet):
      "the last change of \(window) before \(quiet.count / 1_000_000) ms without one"
    }
  }
}

/// The display that the targets of a run are shown on.
package struct DisplayPlan: Hashable, Codable, Sendable {
  package var server: Server

  /// Whether it is the session that launchlab runs in, instead of a display of its own.
  package var isSession: Bool

  package var width: Int

  package var height: Int

  /// Whose protocol programs speak to it.
  package enum Server: String, Codable, CaseIterable, Sendable {
    case x11
    case wayland
  }

  package init(
    server: Server = .x11,
    isSession: Bool = false,
    width: Int = 1_920,
    height: Int = 1_080
  ) {
    self.server = server
    self.isSession = isSession
    self.width = width
    self.height = height
  }
}

extension Scenario {
  /// The display of its launches; nil where none is asked for and no target waits for a window.
  package var neededDisplay: DisplayPlan? {
    if let display { return display }
    return targets.contains { $0.ready.window != nil } ? DisplayPlan() : nil
  }
}

/// A window that was there during a launch.
///
/// The times are since the launch began; nil for what did not happen.
package struct SeenWindow: Hashable, Sendable {
  /// The process that made it; nil when it cannot be told.
  package var process: Int32?

  package var title: String

  /// Its class, such as `xterm XTerm`.
  package var windowClass: String

  package var width: Int

  package var height: Int

  /// Whether the launch waited for this one, and its moment came.
  package var isChosen: Bool

  /// Whether a process of the launch made it.
  package var isOwn: Bool

  /// Whether it is a menu, a tooltip, a splash screen or the like.
  package var isPassing: Bool

  /// Whether it is still mapped.
  package var isShown: Bool

  /// Whether all of it is of one color, as far as its pixels were looked at.
  package var isPlain: Bool

  package var created: Nanoseconds?

  package var mapped: Nanoseconds?

  package var content: Nanoseconds?

  /// The last change of more than 1 % of its pixels.
  package var changed: Nanoseconds?

  package init(
    process: Int32? = nil,
    title: String = "",
    windowClass: String = "",
    width: Int,
    height: Int,
    isChosen: Bool = false,
    isOwn: Bool = true,
    isPassing: Bool = false,
    isShown: Bool = true,
    isPlain: Bool = false,
    created: Nanoseconds? = nil,
    mapped: Nanoseconds? = nil,
    content: Nanoseconds? = nil,
    changed: Nanoseconds? = nil
  ) {
    self.process = process
    self.title = title
    self.windowClass = windowClass
    self.width = width
    self.height = height
    self.isChosen = isChosen
    self.isOwn = isOwn
    self.isPassing = isPassing
    self.isShown = isShown
    self.isPlain = isPlain
    self.created = created
    self.mapped = mapped
    self.content = content
    self.changed = changed
  }
}

/// When the user saw what of a launch, since it began.
package struct WindowTimes: Hashable, Sendable {
  /// The window was mapped.
  package var window: Nanoseconds?

  /// It had content.
  package var frame: Nanoseconds?

  /// It changed for the last time before it was quiet.
  package var settled: Nanoseconds?

  package init(window: Nanoseconds? = nil, frame: Nanoseconds? = nil, settled: Nanoseconds? = nil) {
    self.window = window
    self.frame = frame
    self.settled = settled
  }
}
