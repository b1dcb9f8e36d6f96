// Fills the page with the series in its data; texts only ever become text nodes and attributes.

const root = document.documentElement;
const byId = id => document.getElementById(id);

window.onerror = (message, _source, line) => {
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
  "%": [[1, "%"]],
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
  const change = Math.abs(ratio - 1) * 100;
  if (change < 0.05) return "0.0 %";
  return `${ratio < 1 ? "−" : "+"}${change.toFixed(change < 99.95 ? 1 : 0)} %`;
};
const instant = slot => new Date(slots.time[slot] * 1000).toISOString();
const day = slot => instant(slot).slice(0, 10);
const days = slots.time.map((_, slot) => day(slot));
const minute = slot => instant(slot).slice(0, 16).replace("T", " ") + " UTC";
const words = name => name.replaceAll("_", " ").replace("rss", "RSS");
const signs = {
  regression: "✖", suspected: "?", improvement: "▼", machine: "■", acknowledged: "✓",
  quiet: "–", moved: "■", new: "+", missing: "×",
};
const verdict = series => `${signs[series.outcome]} ${series.word}`;
const nameOf = series => `${series.target} · ${series.state} · ${words(series.metric)}`;
const kinds = { regression: "bad", suspected: "doubt", improvement: "good", machine: "doubt",
  moved: "doubt" };

const controls = /** @type {HTMLFormElement} */ (byId("controls"));
const defaults = {
  search: "", target: "", state: "", metric: "", changed: "", sort: "", range: "90",
  show: "charts", theme: "", night: "", from: "", to: "",
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
  if (controls.range.value !== view.range) Object.assign(view, { from: "", to: "" });
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
function linkTo({ target, state, metric }, night = "", show = view.show) {
  const shown = view.from <= days[slots.run.indexOf(night)] ? {} : { from: "", to: "" };
  return addressOf({ ...view, ...shown, search: "", changed: "", target, state, metric, night, show });
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

// The nights that are shown, without the last slot: those that were zoomed to, or the newest ones, back
// to 20 before one that is asked for.
function shownNights() {
  const to = days.filter(day => day <= view.to).length;
  const from = days.findIndex(day => day >= view.from);
  if (view.from !== "" && from >= 0 && from < to) return { from, to };
  const count = days.length;
  const newest = view.range === "all" ? 0 : Math.max(0, count - Number(view.range));
  const asked = view.night === "" ? -1 : slots.run.indexOf(view.night);
  return { from: asked < 0 ? newest : Math.max(0, Math.min(newest, asked - 20)), to: count };
}
let span = shownNights();

// All charts show the nights between two slots, or those of the list again.
function zoom(from, to) {
  Object.assign(view, from == null ? { from: "", to: "" } : { from: days[from], to: days[to] });
  writeAddress();
  refresh();
}

function isChanged(series) {
  if (!["quiet", "new", "missing"].includes(series.outcome)) return true;
  return series.marks.some(mark => mark.kind !== "break" && series.at[mark.index] >= span.from
    && series.at[mark.index] < span.to);
}

function isShown(series) {
  const name = `${series.target} ${series.state} ${words(series.metric)}`.toLowerCase();
  if (!view.search.toLowerCase().split(" ").every(word => name.includes(word))) return false;
  return ["target", "state", "metric"].every(
    name => view[name] === "" || view[name] === series[name]
  ) && (view.changed !== "1" || isChanged(series));
}

// The index of the first point at or after a slot.
function firstPoint(series, slot) {
  let low = 0;
  let high = series.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (series.at[middle] < slot) low = middle + 1; else high = middle;
  }
  return low;
}

const low = (series, index) =>
  series.below[index] < 0 ? null : series.median[index] - series.below[index];
const high = (series, index) =>
  series.above[index] < 0 ? null : series.median[index] + series.above[index];

// Where there are more points than columns of the screen, the first, the last, the lowest and the
// highest of each column stay, with the widest interval: no extreme is lost.
function keptPoints(series, from, to, columns) {
  const first = firstPoint(series, from);
  const column = index => Math.floor((series.at[index] - from) * columns / (to - from));
  const kept = [];
  const last = firstPoint(series, to);
  for (let index = first; index < last;) {
    let end = index + 1;
    while (end < last && column(end) === column(index)) end += 1;
    kept.push(...extremes(series, index, end));
    index = end;
  }
  return kept;
}

function extremes(series, from, to) {
  let least = from;
  let most = from;
  let bottom = null;
  let top = null;
  for (let index = from; index < to; index += 1) {
    if (series.median[index] < series.median[least]) least = index;
    if (series.median[index] > series.median[most]) most = index;
    const below = low(series, index);
    const above = high(series, index);
    if (below != null && (bottom == null || below < bottom)) bottom = below;
    if (above != null && (top == null || above > top)) top = above;
  }
  const indices = [...new Set([from, Math.min(least, most), Math.max(least, most), to - 1])];
  return indices.map(index => ({ index, slot: series.at[index], bottom, top }));
}

// Which values the axis must hold: the levels, the newest one, and all that are near their level.
function axisBounds(series, points) {
  const far = new Set(series.far);
  const near = points.filter(point => !far.has(point.index));
  const [first, last] = points.length === 0 ? [0, 0] : [points[0].index, points.at(-1).index];
  const levels = series.segments.filter(segment => segment.to > first && segment.from <= last);
  const held = [
    ...[...near, ...points.slice(-1)].map(point => series.median[point.index]),
    ...levels.map(segment => segment.level),
  ];
  return [Math.min(...held), Math.max(...held)];
}

// The range of the axis: its values, and intervals as far as they do not dwarf them.
function valueRange(series, points) {
  const [least, most] = axisBounds(series, points);
  const slack = Math.max((most - least) / 2, Math.abs(most) * 0.005, 1e-9);
  let bottom = least - slack / 4;
  let top = most + slack / 4;
  for (const point of points) {
    if (point.bottom != null) bottom = Math.min(bottom, Math.max(point.bottom, least - slack));
    if (point.top != null) top = Math.max(top, Math.min(point.top, most + slack));
  }
  return [bottom, top];
}

// Round numbers, about as many as asked for.
function ticks(bottom, top, count) {
  const rough = (top - bottom) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
  const values = [];
  for (let value = Math.ceil(bottom / step) * step; value <= top; value += step) {
    values.push(value);
  }
  return values;
}

const height = 220;
const margin = { left: 70, right: 14, top: 34, bottom: 26 };

function geometry(series, width) {
  const { from, to } = span;
  const inner = Math.max(50, width - margin.left - margin.right);
  const step = inner / (to - from);
  const points = keptPoints(series, from, to, Math.floor(inner / 2));
  const range = valueRange(series, points);
  const tall = height - margin.top - margin.bottom;
  return {
    from, to, step, points, range, width, tall,
    x: slot => margin.left + (slot - from + 0.5) * step,
    y: value => margin.top + tall * (range[1] - value) / (range[1] - range[0]),
  };
}

function drawChart(card) {
  const { series, plot } = card;
  const plane = card.plane = geometry(series, Math.max(240, plot.clientWidth));
  card.cursor = svg("g", {});
  const box = {
    x: margin.left, y: margin.top, width: plane.width - margin.left - margin.right,
    height: plane.tall,
  };
  const clip = `clip${card.number}`;
  const drawing = svg("svg", { viewBox: `0 0 ${plane.width} ${height}`, "aria-hidden": "true" },
    svg("clipPath", { id: clip }, svg("rect", box)), ...axes(series, plane));
  if (plane.points.length > 0) {
    drawing.append(
      svg("g", { "clip-path": `url(#${clip})` }, band(plane), control(series, plane),
        medians(series, plane),
        svg("path", { class: "level", d: levels(series, plane) })),
      ...dots(series, plane), ...outside(series, plane));
  } else {
    drawing.append(svg("text", { x: plane.width / 2, y: height / 2, "text-anchor": "middle" },
      "no value in these nights"));
  }
  drawing.append(...proofs(series, plane), ...marks(series, plane), card.cursor);
  plot.replaceChildren(drawing);
}

function axes(series, plane) {
  const right = plane.width - margin.right;
  const shapes = [];
  if (plane.points.length > 0) {
    const scale = scaleOf(series.unit, plane.range[1]);
    const bounds = plane.range.map(value => value / scale.divisor);
    const values = ticks(...bounds, 5);
    const step = values.length > 1 ? values[1] - values[0] : 1;
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    for (const value of values) {
      const y = plane.y(value * scale.divisor);
      const text = `${value.toFixed(decimals)} ${scale.symbol}`.trim();
      shapes.push(
        svg("path", { class: "grid", d: `M${margin.left} ${y.toFixed(1)}H${right}` }),
        svg("text", { x: margin.left - 6, y: (y + 4).toFixed(1), "text-anchor": "end" }, text));
    }
  }
  const count = Math.max(1, Math.min(plane.to - plane.from, Math.floor(plane.width / 130)));
  for (let tick = 0; tick < count; tick += 1) {
    const slot = plane.from + Math.floor((tick + 0.5) * (plane.to - plane.from) / count);
    shapes.push(svg("text", {
      x: plane.x(slot).toFixed(1), y: height - 4, "text-anchor": "middle",
    }, day(slot)));
  }
  return shapes;
}

// Points of one unbroken row of nights; a night without a value, and a break, end a row.
function rows(series, plane) {
  const breaks = new Set(
    series.marks.filter(mark => mark.kind === "break").map(mark => mark.index));
  const found = [];
  let previous = null;
  for (const point of plane.points) {
    const isNext = previous != null && !breaks.has(point.index)
      && point.slot - previous.slot === point.index - previous.index;
    if (isNext) found.at(-1).push(point); else found.push([point]);
    previous = point;
  }
  return found;
}

function medians(series, plane) {
  const parts = rows(series, plane).map(row => {
    const steps = row.map(point =>
      `${plane.x(point.slot).toFixed(1)} ${plane.y(series.median[point.index]).toFixed(1)}`);
    return `M${steps.join("L")}${row.length === 1 ? "h.01" : ""}`;
  });
  const kind = plane.step < 2 ? "line thin" : "line";
  return svg("path", { class: kind, d: parts.join("") });
}

// A band of at least half a night's width, so that a lonely night has one, too.
function band(plane) {
  const half = Math.min(plane.step / 2, 4);
  let d = "";
  let run = [];
  const flush = () => {
    if (run.length === 0) return;
    const edge = (point, side, value) =>
      `${(plane.x(point.slot) + side).toFixed(1)} ${plane.y(value).toFixed(1)}`;
    const first = run[0];
    const last = run.at(-1);
    const up = run.map(point => edge(point, 0, point.top));
    const down = run.map(point => edge(point, 0, point.bottom)).reverse();
    d += "M" + [edge(first, -half, first.top), ...up, edge(last, half, last.top),
      edge(last, half, last.bottom), ...down, edge(first, -half, first.bottom)].join("L") + "Z";
    run = [];
  };
  let previous = null;
  for (const point of plane.points) {
    const isNext = previous != null
      && point.slot - previous.slot <= point.index - previous.index;
    if (!isNext || point.top == null) flush();
    if (point.top != null && point.bottom != null) run.push(point);
    previous = point;
  }
  flush();
  return svg("path", { class: "band", d });
}

const isOutside = (series, plane, { index }) =>
  series.median[index] > plane.range[1] || series.median[index] < plane.range[0];

// An arrow at the edge for each value beyond the axis.
function outside(series, plane) {
  const scale = scaleOf(series.unit, plane.range[1]);
  return plane.points.filter(point => isOutside(series, plane, point)).map(point => {
    const value = series.median[point.index];
    const isAbove = value > plane.range[1];
    const x = plane.x(point.slot).toFixed(1);
    const y = isAbove ? margin.top : height - margin.bottom;
    const arrow = svg("path", {
      class: "outside", d: `M${x} ${y}l-5 ${isAbove ? 9 : -9}h10z`,
    });
    arrow.append(svg("title", {}, `${day(point.slot)}: ${scale.text(value)}`));
    return arrow;
  });
}

const middle = values => values.toSorted((one, other) => one - other)[values.length >> 1];

// The control of the same state and metric, whose program never changes, drawn so that its middle is
// that of the series: what moves both is the machine.
function control(series, plane) {
  const other = series.target === "control" ? null : data.series.find(candidate =>
    candidate.target === "control" && candidate.state === series.state
      && candidate.metric === series.metric);
  if (!other) return null;
  const points = keptPoints(other, plane.from, plane.to, Math.floor(plane.width / 2));
  if (points.length < 2) return null;
  const scale = middle(plane.points.map(point => series.median[point.index]))
    / middle(points.map(point => other.median[point.index]));
  if (!Number.isFinite(scale)) return null;
  const steps = points.map(point => `${plane.x(point.slot).toFixed(1)} `
    + plane.y(scale * other.median[point.index]).toFixed(1));
  return svg("path", { class: "control", d: `M${steps.join("L")}` });
}

function dots(series, plane) {
  const newest = plane.points.at(-1);
  const shown = (plane.step >= 5 ? plane.points : [newest])
    .filter(point => !isOutside(series, plane, point));
  return shown.map(point => svg("circle", {
    class: "dot", cx: plane.x(point.slot).toFixed(1),
    cy: plane.y(series.median[point.index]).toFixed(1), r: point === newest ? 4 : 2.2,
  }));
}

function levels(series, plane) {
  let d = "";
  for (const segment of series.segments) {
    const first = Math.max(series.at[segment.from], plane.from);
    const last = series.at[segment.to - 1];
    if (last < plane.from) continue;
    const y = plane.y(segment.level).toFixed(1);
    const from = plane.x(first) - plane.step / 2;
    d += `M${from.toFixed(1)} ${y}H${(plane.x(last) + plane.step / 2).toFixed(1)}`;
  }
  return d;
}

// What the interleaved comparison of an alert says that the level became, beside the history.
function proofs(series, plane) {
  return series.alerts.filter(alert => alert.proved).flatMap(alert => {
    const slot = series.at[alert.index];
    if (slot < plane.from || slot >= plane.to) return [];
    const x = plane.x(slot) - plane.step / 2 + 7;
    const [bottom, top] = alert.proved.map(value =>
      Math.max(margin.top, Math.min(height - margin.bottom, plane.y(value))));
    const bar = svg("path", {
      class: "proof", d: `M${x - 4} ${top.toFixed(1)}h8m-4 0V${bottom.toFixed(1)}m-4 0h8`,
    });
    bar.append(svg("title", {}, `${alert.id}: ${alert.cause}`));
    return [bar];
  });
}

function marks(series, plane) {
  const shown = series.marks.filter(({ index }) =>
    series.at[index] < plane.to && (series.at[index] > plane.from || index === 0));
  const place = mark => plane.x(series.at[mark.index]) - plane.step / 2;
  const lines = shown.map(mark => {
    const kind = mark.kind === "break" ? "break" : `change ${mark.kind}`;
    const line = svg("path", {
      class: kind, d: `M${place(mark).toFixed(1)} ${margin.top - 4}V${height - margin.bottom}`,
    });
    line.append(svg("title", {}, `${day(series.at[mark.index])}: ${mark.text}`));
    return line;
  });
  // Those of alerts get their places first, then the newest.
  const rank = mark => (/R-\d/.test(mark.text) ? 1e9 : 0) + mark.index;
  const taken = [[], []];
  const ordered = shown.toSorted((one, other) => rank(other) - rank(one));
  return [...missing(series, plane), ...lines,
    ...ordered.flatMap(mark => label(mark, place(mark), plane, taken))];
}

const pen = document.createElement("canvas").getContext("2d");
pen.font = "600 12px system-ui, sans-serif";

// The text of a mark, or else only its sign and alert, where one of two lines has room on either side.
function label(mark, x, plane, taken) {
  const short = mark.text.match(/^\S+( R-\d+)?/)[0];
  const full = mark.text.length > 22 ? `${mark.text.slice(0, 21)}…` : mark.text;
  for (const text of [full, short]) {
    const width = pen.measureText(text).width + 2;
    for (const [line, ranges] of taken.entries()) {
      for (const from of [x, x - width]) {
        const isFree = ranges.every(([start, end]) => from >= end + 8 || from + width + 8 <= start);
        if (!isFree || from < 0 || from + width > plane.width) continue;
        ranges.push([from, from + width]);
        return [svg("text", {
          class: mark.kind, x: x.toFixed(1), y: 26 - line * 14,
          "text-anchor": from < x ? "end" : "start",
        }, text)];
      }
    }
  }
  return [];
}

function missing(series, plane) {
  const there = new Set(series.at.slice(firstPoint(series, plane.from)));
  const y = height - margin.bottom;
  const half = Math.min(4, plane.step / 2);
  let d = "";
  for (let slot = plane.from; slot < plane.to; slot += 1) {
    if (there.has(slot)) continue;
    const x = plane.x(slot);
    // Where crosses would run into each other, a tick stands for one.
    d += half < 2 ? `M${x.toFixed(1)} ${y - 4}v8`
      : `M${(x - half).toFixed(1)} ${y - 4}l${2 * half} 8m0 -8l${-2 * half} 8`;
  }
  const kind = half < 2 ? "miss thin" : "miss";
  return d === "" ? [] : [svg("path", { class: kind, d })];
}

function pointAt(series, slot) {
  const index = firstPoint(series, slot);
  return series.at[index] === slot ? index : -1;
}

function drawCursor(card) {
  const { series, plane } = card;
  if (!plane) return;
  card.cursor.replaceChildren();
  if (card.anchor != null) {
    const [first, last] = chosenNights(card);
    card.cursor.append(svg("rect", {
      class: "chosen", x: (plane.x(first) - plane.step / 2).toFixed(1), y: margin.top,
      width: ((last - first + 1) * plane.step).toFixed(1), height: plane.tall,
    }));
  }
  if (!card.isPointed) return;
  const x = plane.x(card.slot).toFixed(1);
  card.cursor.append(svg("path", {
    class: "cursor", d: `M${x} ${margin.top}V${height - margin.bottom}`,
  }));
  const index = pointAt(series, card.slot);
  if (index < 0) return;
  card.cursor.append(svg("circle", {
    class: "cursor-dot", cx: x, cy: plane.y(series.median[index]).toFixed(1), r: 4.5,
  }));
}

function nightFacts(slot) {
  const build = slots.builds[slots.build[slot]];
  const subject = build?.subject ? ` “${build.subject}”` : "";
  const commit = build ? `commit ${build.commit}${subject}` : null;
  const run = slots.run[slot];
  return [run && `run ${run}`, commit].filter(Boolean);
}

function valueText(series, index) {
  const scale = scaleOf(series.unit, series.median[index]);
  const interval = low(series, index) == null ? "no interval"
    : `[${scale.number(low(series, index))}, ${scale.text(high(series, index))}]`;
  return { median: scale.text(series.median[index]), interval, n: `n ${series.n[index]}` };
}

// What is said of a night: in bold its date and median, then the rest.
function reading(series, slot) {
  const index = pointAt(series, slot);
  const facts = nightFacts(slot);
  if (index < 0) {
    return { head: `${minute(slot)}: no value`, rest: [problems.get(slot), ...facts] };
  }
  const { median, interval, n } = valueText(series, index);
  const marked = series.marks.filter(mark => mark.index === index);
  const isComparable = index > 0 && series.unit !== "%" && !marked.some(mark => mark.kind === "break");
  const before = isComparable ? series.median[index] / series.median[index - 1] : null;
  const here = marked.map(mark => mark.text);
  return {
    head: `${minute(slot)}: ${median}`,
    rest: [interval, n, before && `${percent(before)} to the night before`, ...here, ...facts],
  };
}

// What is at rest has no cursor.
function choose(card, slot, isPointed = true) {
  card.isPointed = isPointed;
  card.slot = Math.max(span.from, Math.min(span.to - 1, slot));
  const { head, rest } = reading(card.series, card.slot);
  const facts = rest.filter(Boolean).join(" · ");
  const run = slots.run[card.slot];
  const link = run && html("a", { href: linkTo(card.series, run) }, "link to this night");
  card.readout.replaceChildren(html("b", {}, head), facts && ` · ${facts}`,
    ...link ? [" · ", link] : []);
  card.plot.setAttribute("aria-valuemin", span.from);
  card.plot.setAttribute("aria-valuemax", span.to - 1);
  card.plot.setAttribute("aria-valuenow", card.slot);
  card.plot.setAttribute("aria-valuetext", `${head}, ${facts}`);
  drawCursor(card);
}

function makeCard(series, number) {
  const name = nameOf(series);
  const plot = html("div", {
    class: "plot", tabindex: 0, role: "slider", "aria-label": `night of ${name}`,
  });
  const readout = html("output", { class: "readout" });
  const card = { series, number, plot, readout, isStale: true };
  const body = html("div", { class: "scroll" });
  const table = html("details", {}, html("summary", {}, "Table of these nights"), body);
  table.addEventListener("toggle", () => fillNights(card));
  Object.assign(card, { table, body });
  card.element = html("section", { class: "card", "aria-label": name },
    html("header", {}, html("h3", {}, html("a", { href: linkTo(series) }, name)),
      html("span", { class: kinds[series.outcome] || "" }, verdict(series))),
    html("p", { class: "now" }, summaryOf(series)), plot, readout, ...evidence(series), table);
  listen(card);
  return card;
}

function summaryOf(series) {
  const newest = series.at.length - 1;
  if (newest < 0) return "";
  const { median } = valueText(series, newest);
  return series.ratio == null ? median : `${median} (${percent(series.ratio)} to its baseline)`;
}

// The open alerts of a series, with the proof of each.
function evidence(series) {
  const open = series.alerts.filter(isOpen);
  return open.length === 0 ? [] : [html("ul", { class: "evidence" }, ...open.map(alert =>
    html("li", {}, html("a", { href: linkTo(series, slots.run[series.at[alert.index]]) }, alert.id),
      ` ${alert.state}, `, ...alert.cause.replaceAll(" %", "\u00a0%").split("`").map((text, index) =>
        index % 2 === 1 ? html("code", {}, text) : text))))];
}

const isOpen = alert => ["suspected", "confirmed", "acknowledged"].includes(alert.state);

function listen(card) {
  const { plot } = card;
  const slotAt = event => {
    const x = event.clientX - plot.getBoundingClientRect().left;
    return card.plane.from + Math.max(0, Math.floor((x - margin.left) / card.plane.step));
  };
  plot.addEventListener("pointermove", event => { if (card.plane) choose(card, slotAt(event)); });
  plot.addEventListener("pointerleave", event => {
    if (card.anchor == null && event.pointerType !== "touch") rest(card);
  });
  // A finger scrolls and reads; a mouse chooses nights by dragging, and keeps one by a click.
  plot.addEventListener("pointerdown", event => {
    if (!card.plane || event.button !== 0) return;
    choose(card, slotAt(event));
    if (event.pointerType === "touch") return;
    card.anchor = card.slot;
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointerup", () => { if (card.anchor != null) take(card); });
  plot.addEventListener("pointercancel", () => { card.anchor = null; rest(card); });
  plot.addEventListener("keydown", event => {
    const steps = {
      ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10,
      Home: -Infinity, End: Infinity,
    };
    if (event.key === "Enter") take(card);
    else if (event.key === "Escape" && card.anchor == null) zoom(null);
    else if (event.key === "Escape") { card.anchor = null; choose(card, card.slot); }
    else if (event.key in steps) {
      if (!event.shiftKey) card.anchor = null; else card.anchor ??= card.slot;
      choose(card, card.slot + steps[event.key]);
    } else return;
    event.preventDefault();
  });
}

function chosenNights({ anchor, slot }) {
  return anchor == null ? [slot, slot] : [Math.min(anchor, slot), Math.max(anchor, slot)];
}

// Zooms to the nights that were chosen; a single one is kept in the address, and shown in every chart.
function take(card) {
  const [from, to] = chosenNights(card);
  card.anchor = null;
  if (from < to) return zoom(from, to);
  view.night = slots.run[from] || "";
  writeAddress();
  cards.filter(other => !other.isStale).forEach(rest);
}

// Back to the night that the address asks for, or else to the newest one.
function rest(card) {
  const asked = view.night === "" ? -1 : slots.run.indexOf(view.night);
  choose(card, asked >= 0 ? asked : span.to - 1, asked >= span.from && asked < span.to);
}

// Columns have a title and whether they hold numbers.
function tableOf(caption, columns, lines) {
  const cell = (name, text, column) =>
    html(name, column.kind ? { class: column.kind } : {}, text);
  const head = columns.map(column => {
    const title = cell("th", column.title, column);
    title.scope = "col";
    return title;
  });
  return html("table", {}, html("caption", {}, caption), html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...lines.map(line =>
      html("tr", {}, ...line.map((text, index) => cell("td", text, columns[index]))))));
}

const column = title => ({ title });
const numbers = title => ({ title, kind: "number" });
// What a phone has no room for.
const more = title => ({ title, kind: "number more" });

// A line per series: its name, the nights as a small curve, tonight's value and the change.
function quietList(shown) {
  const lines = shown.map(series => {
    const newest = series.at.length - 1;
    const change = series.ratio == null ? "" : ` (${percent(series.ratio)})`;
    const now = newest < 0 ? "–" : valueText(series, newest).median + change;
    return html("li", {}, html("a", { href: linkTo(series) }, nameOf(series)),
      isFirst ? "" : spark(series), html("span", { class: "now" }, now));
  });
  return [
    html("h2", {}, isFirst
      ? `${shown.length} series of the first night; charts begin with the second`
      : `${shown.length} quiet series, with their change to the baseline`),
    html("ul", { class: isFirst ? "quiet first" : "quiet" }, ...lines),
  ];
}

function spark(series) {
  const [wide, tall] = [160, 26];
  const { from, to } = span;
  const points = keptPoints(series, from, to, wide);
  const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${wide} ${tall}`, "aria-hidden": "true" });
  if (points.length === 0) return drawing;
  const [bottom, top] = valueRange(series, points);
  const steps = points.map(point => {
    const value = Math.max(bottom, Math.min(top, series.median[point.index]));
    const x = (point.slot - from + 0.5) * wide / (to - from);
    return `${x.toFixed(1)} ${(tall * (top - value) / (top - bottom)).toFixed(1)}`;
  });
  drawing.append(svg("path", { class: "line thin", d: `M${steps.join("L")}h.01` }));
  return drawing;
}

function seriesTable(shown) {
  const columns = [
    { title: "Series", kind: "wide" }, column("Verdict"), numbers("To baseline"),
    numbers("Median"), column("Alert"), more("95 % interval"), more("n"), more("1 night"), more("7 nights"),
    more("30 nights"), { title: "Noise", kind: "more" },
  ];
  const lines = shown.map(series => {
    const newest = series.at.length - 1;
    const { median, interval, n } =
      newest < 0 ? { median: "–", interval: "–", n: "–" } : valueText(series, newest);
    return [
      html("a", { href: linkTo(series, "", "charts") }, nameOf(series)),
      verdict(series), percent(series.ratio), median,
      series.alerts.filter(isOpen).map(alert => `${alert.id} ${alert.state}`).join(", "), interval, n.replace("n ", ""), percent(series.over1),
      percent(series.over7), percent(series.over30), series.noise,
    ];
  });
  return tableOf("The newest value of each series", columns, lines);
}

// Made when it is opened, the newest night first.
function fillNights(card) {
  if (!card.table.open) return card.body.replaceChildren();
  const { series } = card;
  const columns = [
    column("Night"), numbers("Median"), more("95 % interval"), more("n"),
    { title: "Notes", kind: "wide" }, column("Run"), column("Commit"),
  ];
  const lines = [];
  for (let slot = span.to - 1; slot >= span.from; slot -= 1) {
    const index = pointAt(series, slot);
    const values = index < 0 ? null : valueText(series, index);
    const notes = series.marks.filter(mark => mark.index === index).map(mark => mark.text);
    const build = slots.builds[slots.build[slot]];
    lines.push([
      minute(slot), values ? values.median : "no value", values ? values.interval : "",
      values ? String(series.n[index]) : "", [problems.get(slot), ...notes].filter(Boolean).join(", "),
      slots.run[slot] ? html("a", { href: linkTo(series, slots.run[slot]) }, slots.run[slot]) : "",
      build?.url ? html("a", { href: build.url }, build.commit) : build ? build.commit : "",
    ]);
  }
  card.body.replaceChildren(tableOf("Nights, the newest first", columns, lines));
}

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
  for (const entry of entries) if (entry.isIntersecting) draw(cards.find(card => card.element === entry.target));
}, { rootMargin: `${reach}px` });

// So many charts are looked at one by one; of more, the quiet ones are lines of a list.
const most = 24;
const isQuiet = card => ["quiet", "new"].includes(card.series.outcome);
const isFirst = days.length < 2;

function refresh() {
  if (view.theme === "") delete root.dataset.theme; else root.dataset.theme = view.theme;
  observer.disconnect();
  span = shownNights();
  const isTable = view.show === "table";
  const shown = sorted(cards.filter(card => isShown(card.series)));
  const isListed = card =>
    !isTable && shown.length > (isFirst ? 1 : most) && isQuiet(card);
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
  const nights = days.length;
  byId("count").textContent = `${shown.length} of ${cards.length} series, `
    + `${span.to - span.from} of ${nights} ${nights === 1 ? "night" : "nights"}`;
  byId("unzoom").hidden = view.from === "";
}

function drawAll() {
  for (const card of cards) if (!card.element.hidden) draw(card);
}

for (const name of ["target", "state", "metric"]) offer(name);
for (const kind of ["change", "input"]) {
  controls.addEventListener(kind, () => { readControls(); refresh(); });
}
controls.addEventListener("submit", event => event.preventDefault());
byId("unzoom").addEventListener("click", () => zoom(null));
// A phone shows the answer first: what filters is folded there.
if (window.innerWidth < 640) byId("filters").removeAttribute("open");
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
