import Foundation
import Testing

@testable import LaunchCore
@testable import Rendering

@Suite struct FilmStripTests {
  /// The head of a PNG file of 320 by 200 pixels.
  private static func png(_ last: UInt8) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
      + [0, 0, 1, 64, 0, 0, 0, 200, last]
  }

  static let film = Film(frames: [
    Film.Frame(time: .milliseconds(130), progress: 0, png: png(1)),
    Film.Frame(time: .milliseconds(250), progress: 0.5, png: png(2)),
    Film.Frame(time: .milliseconds(260), progress: 0.6, png: png(3)),
    Film.Frame(time: .milliseconds(390), progress: 1, png: png(4)),
  ])

  private let strip = FilmStrip(
    title: "app \"<1>\" & more warm",
    rows: [FilmStrip.Row(name: "tonight", film: film)]
  )

  private func classes(of svg: String) -> [Substring] {
    svg.matches(of: #/<rect class="(none|new|same)"/#).map(\.1)
  }

  @Test func `shows how the window looked at even times`() {
    let svg = strip.rendered()
    // Every 50 ms: nothing at 50 and 100, then the first picture, and so on.
    #expect(classes(of: svg) == ["none", "none", "new", "same", "new", "new", "same", "new"])
    #expect(svg.contains("\n.page { fill: #ffffff }"))
    #expect(svg.contains("400 ms · 100 %"))
    #expect(svg.contains("100 ms · –"))
    #expect(svg.ranges(of: "<image ").count == 4)
    #expect(svg.contains(Data(Self.png(3)).base64EncodedString()))
  }

  @Test func `draws the progress as steps, and names the figures`() {
    let svg = strip.rendered()
    // The axis is 888 units for 400 ms, from 56 on, and 90 units high.
    let steps = ["M56 252", "H344.6V252", "H611V207", "H633.2V198", "H921.8V162", "H944"]
    #expect(svg.contains("d=\"\(steps.joined())\""), "\(svg)")
    #expect(svg.contains("tonight: Speed Index 307.0 ms, visually complete at 390.0 ms"))
  }

  @Test func `one axis of time serves all films, the longest of which is seen to its end`() {
    var slow = Self.film
    for index in slow.frames.indices {
      slow.frames[index].time = slow.frames[index].time + .milliseconds(3_000)
    }
    let rows = [
      FilmStrip.Row(name: "tonight", film: slow),
      FilmStrip.Row(name: "2026-11-20", film: Self.film),
    ]
    let svg = FilmStrip(title: "app", rows: rows).rendered()
    #expect(svg.contains("4.0 s · 100 %"))
    #expect(classes(of: svg).prefix(8).filter { $0 == "none" }.count == 6)
    #expect(classes(of: svg).suffix(8).first == "new")
  }

  @Test func `names cannot break out of their places`() {
    let svg = strip.rendered()
    #expect(svg.contains("app &quot;&lt;1&gt;&quot; &amp; more warm"))
    #expect(!svg.contains("<1>"))
    #expect(!svg.replacing("http://www.w3.org/2000/svg", with: "").contains("http"))
  }

  @Test func `the same films give the same bytes`() {
    #expect(strip.rendered() == strip.rendered())
  }
}
