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
