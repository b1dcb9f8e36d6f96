import Foundation
import LabTestSupport
import Testing

@testable import History
@testable import LaunchCore

/// The page in a real browser.
@Suite(
  .serialized,
  .temporaryDirectory,
  .enabled(if: Chromium.isInstalled, "\(Chromium.requirement)")
)
struct DashboardBrowserTests {
  private func document(
    _ sample: SampleDashboard = SampleDashboard(),
    at hash: String = "",
    by browser: Chromium = Chromium()
  ) throws -> String {
    try document(of: sample.summary, at: hash, by: browser)
  }

  private func document(
    of summary: TrendSummary,
    at hash: String = "",
    by browser: Chromium = Chromium(),
    then script: String = ""
  ) throws -> String {
    let ending = script.isEmpty ? "" : "<script type=\"module\">\(script)</script>"
    let page = DashboardHTML(summary).rendered().replacing("</body>", with: "\(ending)</body>")
    let document = try browser.document(of: page, at: hash, in: TemporaryDirectory.path)
    #expect(document.contains("data-ready=\"yes\""), "the script did not reach its end")
    #expect(document.contains("<pre id=\"error\" role=\"alert\" hidden=\"\"></pre>"))
    return document
  }

  /// What a script finds when the page is drawn, such as a number.
  private func found(
    _ script: String,
    in summary: TrendSummary = SampleDashboard().summary,
    at hash: String = "",
    by browser: Chromium = Chromium()
  ) throws -> String {
    let found = "document.body.append(Object.assign(document.createElement('i'), "
    let document = try document(
      of: summary,
      at: hash,
      by: browser,
      then: "\(Self.gestures)\n\(found){ id: 'found', textContent: (() => {\(script)})() }));"
    )
    return String(try #require(document.firstMatch(of: #/<i id="found">([^<]*)</i>/#)).1)
  }

  /// Pointers and keys of a test, on the first chart.
  private static let gestures = """
    const plot = document.querySelector('.plot');
    plot.setPointerCapture = () => {};
    const point = (type, share) => plot.dispatchEvent(new PointerEvent(type, {
      button: 0, pointerType: 'mouse', bubbles: true,
      clientX: plot.getBoundingClientRect().left + share * plot.clientWidth,
    }));
    const press = (key, shiftKey = false) =>
      plot.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }));
    const count = () => document.getElementById('count').textContent;
    const asked = name => new URLSearchParams(location.hash.slice(1)).get(name);
    """

  @Test func `shows a flame graph, and runs nothing that is in it`() throws {
    var summary = SampleDashboard().summary
    summary.alerts[0].explanation = SampleAlerts.explanation
    summary.flameGraphs = [
      summary.alerts[0].number: """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 480"><title>"a" &amp; b</title>
      <style>body { display: none }</style>
      <script>parent.document.title = 'broken'; top.location.hash = 'broken'</script></svg>
      """
    ]
    let script = """
      const frame = document.querySelector('iframe');
      frame.closest('details').open = true;
      const size = frame.getBoundingClientRect();
      const inside = new DOMParser().parseFromString(frame.srcdoc, 'text/html');
      return [Math.round(10 * size.width / size.height), inside.querySelector('title').textContent,
        getComputedStyle(document.body).display, document.title.includes('broken')].join('; ');
      """
    #expect(try found(script, in: summary) == "25; \"a\" &amp; b; block; false")
  }

  @Test func `zooms by dragging, and back`() throws {
    let script = """
      point('pointerdown', 0.5); point('pointermove', 0.7);
      const chosen = document.querySelectorAll('.chosen').length;
      point('pointerup', 0.7);
      const zoomed = count() + ' from ' + asked('from') + ' to ' + asked('to');
      document.getElementById('unzoom').click();
      return [chosen, zoomed, count()].join('; ');
      """
    let zoomed = "6 of 6 series, 22 of 120 nights from 2026-10-02 to 2026-10-23"
    let answer = try found(script)
    #expect(answer == "1; \(zoomed); 6 of 6 series, 90 of 120 nights")
  }

  @Test func `zooms and keeps a night by keyboard`() throws {
    let script = """
      for (let step = 0; step < 5; step += 1) press('ArrowLeft', true);
      press('Enter');
      const zoomed = count();
      press('Escape');
      press('End'); press('ArrowLeft'); press('Enter');
      return [zoomed, count(), asked('night')].join('; ');
      """
    let answer = try found(script)
    let all = "6 of 6 series, 90 of 120 nights"
    #expect(answer == "6 of 6 series, 6 of 120 nights; \(all); night-118")
  }

  @Test func `shows the nights of an address, and those around one that is asked for`() throws {
    let zoomed = try document(at: "#from=2026-11-01&to=2026-11-10")
    #expect(zoomed.contains("10 of 120 nights"))
    #expect(zoomed.contains("id=\"unzoom\">"))
    #expect(try document(at: "#range=30&night=night-50").contains("90 of 120 nights"))
    #expect(try document(at: "#from=2030-01-01&to=2030-02-01").contains("90 of 120 nights"))
  }

  @Test func `shows the proof of an alert beside the history`() throws {
    var summary = SampleDashboard().summary
    summary.alerts[0].proof = SampleAlerts.proof
    let document = try document(of: summary, at: "#target=server&state=warm")
    let proof = "<code>4c1f9e2</code> against <code>8ab12c0</code> in turn on this machine"
    #expect(document.contains("\(proof) is +12.4&nbsp;%"))
    #expect(document.ranges(of: "<path class=\"proof\" d=\"M").count == 1 + 1)
    let onset = summary.alerts[0].onset
    let link = "#target=server&amp;state=warm&amp;metric=launch&amp;night=\(onset)"
    #expect(document.contains("<a href=\"\(link)\">R-17</a> server warm"))
    #expect(document.contains("<a href=\"\(link)\">R-17</a> confirmed"))
  }

  @Test func `lists the values of the first night`() throws {
    var summary = SampleDashboard(nights: 1, series: 4).summary
    for index in summary.series.indices { summary.series[index].assessment.outcome = .new }
    let document = try document(of: summary)
    #expect(document.contains("<h2>4 series of the first night; charts begin with the second</h2>"))
    #expect(document.contains("4 of 4 series, 1 of 1 night<"))
    #expect(document.ranges(of: #/<section class="card" aria-label="[^"]*">/#).isEmpty)
  }

  /// Chromium without a window is at least 500 pixels wide where it writes a document.
  struct Width: CustomTestStringConvertible {
    var width: Int
    var hash = ""
    var testDescription: String { "\(width) px \(hash)" }
  }

  @Test(arguments: [
    Width(width: 1_440), Width(width: 1_024), Width(width: 500),
    Width(width: 500, hash: "#show=table"), Width(width: 500, hash: "#range=all&theme=dark"),
  ])
  func `fits its window, and no label covers another`(_ window: Width) throws {
    var sample = SampleDashboard()
    sample.names[0] = "an-application-with-a-rather-long-name-of-its-own"
    let script = """
      const over = document.documentElement.scrollWidth - window.innerWidth;
      const bad = [];
      for (const drawing of document.querySelectorAll('.plot svg')) {
        const texts = [...drawing.querySelectorAll('text')];
        const boxes = texts.map(text => text.getBoundingClientRect());
        const outer = drawing.getBoundingClientRect();
        boxes.forEach((one, index) => {
          if (one.left < outer.left - 1 || one.right > outer.right + 1) bad.push(texts[index].textContent);
          bad.push(...texts.slice(index + 1).filter((_, place) => {
            const other = boxes[index + 1 + place];
            return one.left < other.right && other.left < one.right && one.top + 3 < other.bottom
              && other.top + 3 < one.bottom;
          }).map(text => `${texts[index].textContent} on ${text.textContent}`));
        });
      }
      return [over, document.getElementById('filters').open, ...bad].join(' ');
      """
    let browser = Chromium(width: window.width)
    let answer = try found(script, in: sample.summary, at: window.hash, by: browser)
    #expect(answer == "0 \(window.width > 640)")
  }

  @Test func `keeps the page of 120 series short`() throws {
    let summary = SampleDashboard(nights: 60, series: 120).summary
    let height = try found("return document.documentElement.scrollHeight;", in: summary)
    #expect(try #require(Int(height)) < 6_000)
  }

  @Test func `draws every series that is in sight`() throws {
    let document = try document()
    #expect(document.ranges(of: "<path class=\"line\" d=\"M").count == 1 + 6)
    #expect(document.contains("6 of 6 series, 90 of 120 nights"))
    #expect(document.contains("▲ R-17 +8.0 %"))
    #expect(document.contains("◆ kernel 6.1.0-40"))
    #expect(document.contains("class=\"miss\" d=\"M"))
  }

  struct Filter: CustomTestStringConvertible {
    var hash: String
    var count: String
    var testDescription: String { hash }
  }

  @Test(arguments: [
    Filter(hash: "#target=server&range=30", count: "2 of 6 series, 30 of 120 nights"),
    Filter(hash: "#target=server&state=warm&range=all", count: "1 of 6 series, 120 of 120 nights"),
    Filter(hash: "#metric=launch&changed=1", count: "3 of 6 series, 90 of 120 nights"),
    Filter(hash: "#search=WARM+serv", count: "1 of 6 series, 90 of 120 nights"),
    Filter(hash: "#target=nobody&range=7", count: "6 of 6 series, 90 of 120 nights"),
    Filter(
      hash: "#target=gr%C3%B6%C3%9Fe%7C%E6%97%A5%E6%9C%AC%20%3Cb%3E",
      count: "2 of 6 series, 90 of 120 nights"
    ),
  ])
  func `shows what the address asks for`(_ filter: Filter) throws {
    let document = try document(at: filter.hash)
    #expect(document.contains(filter.count))
    let hidden =
      document.ranges(of: "<section class=\"card\"").count
      - document.ranges(of: #/<section class="card" aria-label="[^"]*">/#).count
    #expect(filter.count.hasPrefix("\(6 - hidden) of"))
  }

  @Test func `orders the charts as is asked for`() throws {
    func names(_ order: String) throws -> [String] {
      try document(at: "#sort=\(order)").matches(
        of: #/<section class="card" aria-label="([^"]*)">/#
      )
      .map { String($0.1) }
    }
    let byName = try names("name")
    #expect(byName.count == 6)
    #expect(byName == byName.sorted())
    #expect(try names("change").first == "server · warm · launch")
  }

  @Test func `marks values beyond the axis, and draws the control behind its targets`() throws {
    var summary = SampleDashboard().summary
    let old = summary.series[4].points.count - 20
    summary.series[4].points[old].median *= 3
    summary.series[5].key.target = Arm.controlTarget
    summary.series[5].key.state = .warm
    let document = try document(of: summary)
    // Of both there is one in the legend, too.
    #expect(document.ranges(of: "<path class=\"outside\" d=\"M").count == 1 + 1)
    #expect(document.ranges(of: "<path class=\"control\" d=\"M").count == 1 + 3)

    // Of a control without any of what is counted there is nothing to scale.
    for index in summary.series[5].points.indices { summary.series[5].points[index].median = 0 }
    #expect(!(try self.document(of: summary)).contains("NaN"))
  }

  @Test func `lists quiet series where there are many`() throws {
    let document = try document(SampleDashboard(nights: 60, series: 40))
    #expect(document.contains("<h2>37 quiet series"))
    #expect(document.ranges(of: "<svg class=\"spark\"").count == 37)
    #expect(document.contains("40 of 40 series"))
    let cards = #/<section class="card" aria-label="[^"]*">/#
    #expect(document.ranges(of: cards).count == 3)
    #expect(document.contains("#target=cli&amp;state=warm&amp;metric=launch"))
  }

  @Test func `tells the night that the address asks for`() throws {
    let sample = SampleDashboard()
    let point = sample.summary.series[0].points[sample.summary.series[0].points.count - 4]
    let document = try document(at: "#target=server&state=warm&night=\(point.run)")
    let day = point.startedAt.formatted(.iso8601).prefix(10)
    #expect(document.contains("<b>\(day) 00:00 UTC: "))
    #expect(document.contains("run \(point.run)"))
    #expect(document.contains("n 40"))
    #expect(document.contains("aria-valuetext=\"\(day)"))
  }

  @Test func `says why a night has no value`() throws {
    let document = try document(at: "#range=all&night=night-40")
    #expect(document.contains(": no value</b> · run failed · run night-40"))
  }

  @Test func `shows the series as a table`() throws {
    let document = try document(at: "#show=table")
    #expect(document.ranges(of: "<td>✖ regression</td>").count == 1)
    #expect(document.contains("R-17 confirmed"))
    #expect(document.ranges(of: "<tr>").count == 1 + 6)
  }

  @Test func `lets no name run or break the page`() throws {
    var sample = SampleDashboard(names: SampleDashboard.hostile)
    sample.subject = SampleDashboard.hostile.joined()
    let document = try document(sample)
    #expect(!document.contains("<title>broken"))
    #expect(document.contains("6 of 6 series"))
    #expect(document.ranges(of: "<script").count == 2)
  }

  @Test func `draws 3,000 nights of 20 series without losing extremes`() throws {
    let sample = SampleDashboard(nights: 3_000, series: 20)
    let document = try document(sample, at: "#range=all", by: Chromium(height: 700))
    #expect(document.contains("20 of 20 series, 3000 of 3000 nights"))
    let charts = document.ranges(of: "<path class=\"line thin\" d=\"M").count
    #expect(charts >= 2)
    #expect(charts < 20, "a chart that nobody sees is not drawn")
  }
}
