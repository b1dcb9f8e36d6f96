import CLaunchWire
import Glibc
import LaunchCore

/// Sees the windows of launches, by a helper that speaks with the display server.
///
/// The helper starts the server, where the run has one of its own, and ends it.
final class DisplayObserver {
  private let helper: AnsweringHelper

  /// How long an answer may take; a server that starts takes longest.
  private static let patience = Nanoseconds.seconds(60)

  /// Where the helper connects, and what it starts.
  struct Place {
    var server: DisplayPlan.Server

    /// The X display, empty for that of the server that is started; or the socket of the compositor.
    var display: String

    /// The socket that targets of a Wayland display connect to; nil for X11.
    var socket: String?

    /// The file with the right to connect to an X display, or empty.
    var authority = ""

    /// The server and its arguments; empty for one that is there.
    var command: [String] = []
  }

  /// Starts the helper.
  ///
  /// - Parameters:
  ///   - place: Which display it sees.
  ///   - notifications: The spawner's socket, which is told when a launch is ready.
  /// - Throws: ``HostError/display(_:)`` when there is no such display.
  init(_ place: Place, notifications: String) throws(HostError) {
    let places = [place.socket, place.display].compactMap(\.self)
    helper = try AnsweringHelper(
      .display,
      arguments: [place.server.rawValue] + places + [notifications, place.authority]
        + place.command,
      patience: Self.patience
    )
  }

  /// What the display is called, such as `:1`.
  ///
  /// - Throws: ``HostError/display(_:)``.
  func name() throws(HostError) -> String {
    var request = display_request()
    request.command = DISPLAY_NAME
    var rest = try answer(to: request)
    return rest.takeText()
  }

  /// The message bus of one launch.
  struct Bus {
    /// The path of the socket that it makes.
    var socket: String

    var command: [String]

    /// As `NAME=value`.
    var environment: [String]
  }

  /// Looks for the windows of the launch that comes next, and starts its message bus.
  ///
  /// - Parameters:
  ///   - condition: What the launch waits for; nil where it waits for no window.
  ///   - spawner: The process that will launch.
  ///   - bus: The bus of the launch; nil for none.
  ///   - isFilmed: Whether a film is made of it.
  /// - Throws: ``HostError/display(_:)``.
  func begin(
    _ condition: WindowCondition?,
    spawner: Int32,
    bus: Bus?,
    isFilmed: Bool
  ) throws(HostError) {
    var request = display_request()
    request.command = DISPLAY_BEGIN
    request.spawner = spawner
    request.nth = UInt32(clamping: condition?.number ?? 1)
    request.is_filmed = isFilmed ? 1 : 0
    switch condition?.moment {
    case nil: request.moment = MOMENT_NONE
    case .window: request.moment = MOMENT_WINDOW
    case .frame: request.moment = MOMENT_FRAME
    case .settled(let quiet):
      request.moment = MOMENT_SETTLED
      request.quiet = quiet.count
    }
    let patterns = [condition?.title ?? "", condition?.windowClass ?? ""]
    let started = bus.map { $0.command + [""] + $0.environment } ?? []
    _ = try answer(to: request, patterns + [bus?.socket ?? ""] + started)
  }

  /// The windows that were there during the launch that has ended.
  ///
  /// - Parameters:
  ///   - beginning: When it began, on the monotonic clock.
  ///   - end: When its time ran out; what was shown then is shown.
  /// - Returns: In the order in which they were created.
  /// - Throws: ``HostError/display(_:)`` when the server has ended meanwhile.
  func end(since beginning: Nanoseconds, until end: Nanoseconds) throws(HostError) -> [SeenWindow] {
    var request = display_request()
    request.command = DISPLAY_END
    var rest = try answer(to: request)
    var windows: [SeenWindow] = []
    while let window: display_window = rest.value() {
      rest = rest.dropFirst(MemoryLayout<display_window>.size)
      let title = rest.takeText()
      let windowClass = rest.takeText()
      windows.append(
        SeenWindow(window, title: title, class: windowClass, since: beginning, until: end)
      )
    }
    return windows
  }

  /// The film of the window that the launch that has ended waited for.
  ///
  /// - Parameter beginning: When the launch began, on the monotonic clock.
  /// - Returns: In the order of time; none where the moment never came, or its pixels cannot be read.
  /// - Throws: ``HostError/display(_:)`` when the server has ended meanwhile.
  func film(since beginning: Nanoseconds) throws(HostError) -> [Film.Picture] {
    var request = display_request()
    request.command = DISPLAY_FILM
    var rest = try answer(to: request)
    var pictures: [Film.Picture] = []
    while let frame: film_frame = rest.value() {
      rest = rest.dropFirst(MemoryLayout<film_frame>.size)
      let png = Array(rest.prefix(Int(frame.png_length)))
      rest = rest.dropFirst(png.count)
      let histogram = ColorHistogram(counts: elements(of: frame.histogram))
      pictures.append((time: Nanoseconds(frame.at) - beginning, histogram: histogram, png: png))
    }
    return pictures
  }

  func close() { helper.close() }

  /// What follows the reason, of a request that was answered without one.
  private func answer(
    to request: display_request,
    _ texts: [String] = []
  ) throws(HostError) -> ArraySlice<UInt8> {
    let bytes: [UInt8] = texts.flatMap { Array($0.utf8) + [0] }
    var request = request
    let size = MemoryLayout<display_request>.size + bytes.count
    request.length = UInt32(size - MemoryLayout.size(ofValue: request.length))
    do throws(AnsweringHelper.Loss) {
      var rest = try helper.answer(to: [UInt8](of: request) + bytes)
        .dropFirst(MemoryLayout<display_answer>.size)
      let reason = rest.takeText()
      guard reason.isEmpty else { throw AnsweringHelper.Loss(reason: reason) }
      return rest
    } catch {
      throw .display(.unusable(reason: error.reason))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Takes the text before the next NUL byte, and that byte.
  fileprivate mutating func takeText() -> String {
    let text = prefix { $0 != 0 }
    self = dropFirst(text.count + 1)
    return String(decoding: text, as: UTF8.self)
  }
}

extension SeenWindow {
  fileprivate init(
    _ window: display_window,
    title: String,
    class windowClass: String,
    since beginning: Nanoseconds,
    until end: Nanoseconds
  ) {
    func time(_ instant: Int64) -> Nanoseconds? {
      instant == 0 ? nil : Nanoseconds(instant) - beginning
    }
    func has(_ flag: window_flags) -> Bool { window.flags & flag.rawValue != 0 }
    self.init(
      process: window.pid == 0 ? nil : window.pid,
      title: title,
      windowClass: windowClass,
      width: Int(window.width),
      height: Int(window.height),
      isChosen: has(WINDOW_IS_CHOSEN),
      isOwn: !has(WINDOW_IS_OTHER),
      isPassing: has(WINDOW_OVERRIDES) || has(WINDOW_IS_TRANSIENT),
      isShown: window.is_shown != 0 || window.hidden >= end.count,
      isPlain: window.colors == 1,
      created: time(window.created),
      mapped: time(window.mapped),
      content: time(window.content),
      changed: time(window.changed)
    )
  }
}
