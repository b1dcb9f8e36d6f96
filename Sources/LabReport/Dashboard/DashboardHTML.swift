import Foundation
package import LabAnalysis
import LabModel

/// The trend of a scenario as one self-contained page: every series as a chart that can be filtered,
/// zoomed and pointed at.
///
/// The page loads nothing: its policy forbids every request. The same summary gives the same bytes.
/// It needs a browser with the CSS function `light-dark()` (2024). What comes from a scenario, a
/// commit or a store is escaped as text, and never as a part of the page or of its script.
package struct DashboardHTML {
  private let summary: TrendSummary

  /// - Parameter summary: What the night is concluded with.
  package init(_ summary: TrendSummary) { self.summary = summary }

  /// The page, in time and memory proportional to the number of points.
  package func rendered() -> String {
    let title = Markup.text("\(summary.scenario.name): launch trend")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      \(DashboardHeader(summary).rendered())
      \(Self.controls)
      <noscript><p class="problem">The charts need JavaScript. \
      The same figures are in latest.md beside this page.</p></noscript>
      <main id="cards" aria-label="charts"></main>
      <section id="rest" aria-label="quiet series" hidden></section>
      <div id="table" hidden></div>
      \(Self.legend)
      <pre id="error" role="alert" hidden></pre>
      <script type="application/json" id="data">\(DashboardData(summary).json)</script>
      <script>
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  /// Nothing may be loaded or sent; what is on the page itself may style and run.
  private static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    + "base-uri 'none'; form-action 'none'"

  /// The program of the page, in the order in which its parts build on each other.
  private static let script = """
    (() => {
    "use strict";
    \(scriptOfBasics)
    \(scriptOfView)
    \(scriptOfPoints)
    \(scriptOfChart)
    \(scriptOfMarks)
    \(scriptOfCards)
    \(scriptOfTables)
    \(scriptOfStart)
    })();
    """
}

extension DashboardHTML {
  /// Elements, numbers and dates; texts only ever become text nodes and attributes.
  static let scriptOfBasics = #"""
    const root = document.documentElement;
    const byId = id => document.getElementById(id);

    window.onerror = (message, source, line) => {
      byId("error").hidden = false;
      byId("error").textContent += `the script failed: ${message} (line ${line})\n`;
    };

    const data = JSON.parse(byId("data").textContent);
    const slots = data.slots;
    const problems = new Map(slots.problems);

    function fill(node, attributes, children) {
      for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
      node.append(...children.filter(child => child != null));
      return node;
    }
    const html = (name, attributes, ...children) =>
      fill(document.createElement(name), attributes, children);
    const svg = (name, attributes, ...children) =>
      fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

    const units = {
      ns: [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]],
      B: [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
      1: [[1e9, "G"], [1e6, "M"], [1, ""]],
    };

    // A scale has the unit that suits a size, and writes with four digits.
    function scaleOf(unit, size) {
      const steps = units[unit];
      const [divisor, symbol] = steps.find(step => Math.abs(size) >= step[0]) || steps.at(-1);
      const whole = Math.floor(Math.log10(Math.max(1, Math.abs(size) / divisor))) + 1;
      const decimals = divisor === 1 ? 0 : Math.max(0, 4 - whole);
      const number = value => {
        const half = divisor === 1 && value % 1 !== 0;
        return (value / divisor).toFixed(half ? 1 : decimals);
      };
      return { divisor, symbol, number, text: value => `${number(value)} ${symbol}`.trim() };
    }

    const percent = ratio => {
      if (ratio == null || !Number.isFinite(ratio)) return "–";
      const change = (ratio - 1) * 100;
      return `${change < 0 ? "−" : "+"}${Math.abs(change).toFixed(1)} %`;
    };
    const instant = slot => new Date(slots.time[slot] * 1000).toISOString();
    const day = slot => instant(slot).slice(0, 10);
    const minute = slot => instant(slot).slice(0, 16).replace("T", " ") + " UTC";
    const words = name => name.replaceAll("_", " ").replace("rss", "RSS");
    const signs = {
      regression: "✖", suspected: "?", improvement: "▼", machine: "■", acknowledged: "✓",
      quiet: "–", moved: "■", new: "+", missing: "×",
    };
    const verdict = series => `${signs[series.outcome]} ${series.outcome}`;
    const kinds = { regression: "bad", suspected: "doubt", improvement: "good", machine: "doubt",
      moved: "doubt" };
    """#
}

extension DashboardHTML {
  /// Draws what is in sight, again whenever something else is chosen.
  static let scriptOfStart = #"""
    const cards = data.series.map(makeCard);
    byId("cards").append(...cards.map(card => card.element));

    function draw(card) {
      if (!card.isStale) return;
      card.isStale = false;
      drawChart(card);
      rest(card);
    }

    // What is in sight now is drawn at once, without waiting for the next frame.
    const reach = 400;
    const isInSight = card =>
      card.element.getBoundingClientRect().top < window.innerHeight + reach;

    // A chart that nobody sees is not drawn until it is scrolled to.
    const observer = new IntersectionObserver(entries => {
      for (const entry of entries) if (entry.isIntersecting) draw(entry.target.card);
    }, { rootMargin: `${reach}px` });

    // So many charts are looked at one by one; of more, the quiet ones are lines of a list.
    const most = 24;
    const isQuiet = card => ["quiet", "new"].includes(card.series.outcome);

    function refresh() {
      if (view.theme === "") delete root.dataset.theme; else root.dataset.theme = view.theme;
      observer.disconnect();
      const isTable = view.show === "table";
      const shown = sorted(cards.filter(card => isShown(card.series)));
      const isListed = card => !isTable && shown.length > most && isQuiet(card);
      const charts = shown.filter(card => !isListed(card));
      for (const card of cards) card.element.hidden = true;
      for (const card of charts) {
        byId("cards").append(card.element);
        card.element.hidden = false;
        card.isStale = true;
        observer.observe(card.element);
        fillNights(card);
      }
      byId("cards").hidden = isTable;
      byId("table").hidden = !isTable;
      const listed = shown.filter(isListed).map(card => card.series);
      byId("rest").hidden = listed.length === 0;
      byId("rest").replaceChildren(...listed.length === 0 ? [] : quietList(listed));
      if (!isTable) charts.filter(isInSight).forEach(draw);
      byId("table").replaceChildren(
        ...isTable ? [seriesTable(shown.map(card => card.series))] : []);
      const nights = slots.time.length;
      byId("count").textContent = `${shown.length} of ${cards.length} series, `
        + `${nights - firstSlot()} of ${nights} nights`;
    }

    function drawAll() {
      for (const card of cards) if (!card.element.hidden) draw(card);
    }

    for (const name of ["target", "state", "metric"]) offer(name);
    for (const kind of ["change", "input"]) {
      controls.addEventListener(kind, () => { readControls(); refresh(); });
    }
    controls.addEventListener("submit", event => event.preventDefault());
    window.addEventListener("hashchange", () => { readAddress(); refresh(); });
    window.addEventListener("beforeprint", drawAll);
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      refresh();
    });
    readAddress();
    refresh();
    root.dataset.ready = "yes";
    """#
}

extension DashboardHTML {
  /// What is shown: the controls and the address say the same.
  static let scriptOfView = #"""
    const controls = byId("controls");
    const defaults = {
      search: "", target: "", state: "", metric: "", changed: "", sort: "", range: "90",
      show: "charts", theme: "", night: "",
    };
    const chosen = ["search", "target", "state", "metric", "sort", "range", "show", "theme"];
    let view = { ...defaults };

    function offer(name) {
      const values = new Set(data.series.map(series => series[name]));
      for (const value of values) {
        controls[name].append(html("option", { value }, name === "metric" ? words(value) : value));
      }
    }

    // The address wins over what was chosen before; a value that no list has is left out.
    function readAddress() {
      const asked = new URLSearchParams(location.hash.slice(1));
      view = { ...defaults };
      for (const name of Object.keys(defaults)) {
        const value = asked.get(name);
        if (value == null) continue;
        const list = controls[name];
        const isOffered = !list || !list.options
          || [...list.options].some(option => option.value === value);
        if (isOffered) view[name] = value;
      }
      for (const name of chosen) controls[name].value = view[name];
      controls.changed.checked = view.changed === "1";
    }

    function readControls() {
      for (const name of chosen) view[name] = controls[name].value;
      view.changed = controls.changed.checked ? "1" : "";
      writeAddress();
    }

    const addressOf = shown => "#" + new URLSearchParams(
      Object.entries(shown).filter(([name, value]) => value !== defaults[name]));

    function writeAddress() {
      history.replaceState(null, "", addressOf(view));
    }

    // The address of one series, or of one of its nights.
    function linkTo({ target, state, metric }, night = "") {
      return addressOf({ ...view, search: "", changed: "", target, state, metric, night });
    }

    const size = series => series.ratio > 0 ? Math.abs(Math.log(series.ratio)) : 0;

    // The worst first, as the page has them, or by what is asked for.
    function sorted(cards) {
      if (view.sort === "change") {
        return cards.toSorted((one, other) => size(other.series) - size(one.series));
      }
      const name = card => `${card.series.target} ${card.series.state} ${card.series.metric}`;
      return view.sort === "name"
        ? cards.toSorted((one, other) => name(one).localeCompare(name(other))) : cards;
    }

    // The first night that is shown.
    function firstSlot() {
      return view.range === "all" ? 0 : Math.max(0, slots.time.length - Number(view.range));
    }

    function isChanged(series) {
      if (!["quiet", "new", "missing"].includes(series.outcome)) return true;
      return series.changes.some(change => series.at[change.index] >= firstSlot());
    }

    function isShown(series) {
      const name = `${series.target} ${series.state} ${words(series.metric)}`.toLowerCase();
      if (!view.search.toLowerCase().split(" ").every(word => name.includes(word))) return false;
      return ["target", "state", "metric"].every(
        name => view[name] === "" || view[name] === series[name]
      ) && (view.changed !== "1" || isChanged(series));
    }
    """#
}

extension DashboardHTML {
  /// What filters and zooms; the script fills the lists.
  static let controls = """
    <form id="controls" aria-label="what is shown">
    <label>Search <input type="search" name="search" size="12"></label>
    <label>Target <select name="target"><option value="">all</option></select></label>
    <label>State <select name="state"><option value="">all</option></select></label>
    <label>Metric <select name="metric"><option value="">all</option></select></label>
    <label class="check"><input type="checkbox" name="changed"> Changed only</label>
    <label>Order <select name="sort"><option value="">worst first</option>\
    <option value="change">largest change</option><option value="name">name</option></select></label>
    <label>Nights <select name="range"><option>30</option><option selected>90</option>\
    <option>365</option><option>all</option></select></label>
    <label>View <select name="show"><option>charts</option><option>table</option></select></label>
    <label>Theme <select name="theme"><option value="">system</option><option>light</option>\
    <option>dark</option></select></label>
    <output id="count"></output>
    </form>
    """

  /// What the lines and signs of a chart mean.
  static let legend = """
    <footer>
    <ul class="legend" aria-label="legend">
    <li><svg class="key"><path class="line" d="M0 7H32"/></svg> median of a night</li>
    <li><svg class="key"><rect class="band" width="32" height="14"/></svg> its 95 % interval</li>
    <li><svg class="key"><path class="level" d="M0 7H32"/></svg> level</li>
    <li><svg class="key"><path class="change worse" d="M16 0V14"/></svg> ▲ level went up</li>
    <li><svg class="key"><path class="change better" d="M16 0V14"/></svg> ▼ level went down</li>
    <li><svg class="key"><path class="break" d="M16 0V14"/></svg> ◆ break: not compared across it</li>
    <li><svg class="key"><path class="outside" d="M11 12h10l-5 -9z"/></svg> value beyond the axis</li>
    <li><svg class="key"><path class="control" d="M0 7H32"/></svg> control target, to the same scale</li>
    <li><svg class="key"><path class="miss" d="M12 3l8 8m0-8l-8 8"/></svg> night without a value</li>
    </ul>
    <p>Point at a chart, or move to it with Tab and use the arrow keys, Home and End, to read a \
    night. The address keeps what is chosen, so it can be sent to others.</p>
    </footer>
    """
}
