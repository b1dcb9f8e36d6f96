extension DashboardHTML {
  /// The cards, and what is read from them: by pointer, by touch and by keyboard.
  static let scriptOfCards = #"""
    function nightFacts(slot) {
      const build = slots.builds[slots.build[slot]];
      const commit = build ? `commit ${build.commit} “${build.subject}”` : null;
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
      const before = index > 0 ? series.median[index] / series.median[index - 1] : null;
      const here = marksOf(series).filter(mark => mark.index === index).map(mark => mark.text);
      return {
        head: `${minute(slot)}: ${median}`,
        rest: [interval, n, before && `${percent(before)} to the night before`, ...here, ...facts],
      };
    }

    // What is at rest has no cursor.
    function choose(card, slot, isPointed = true) {
      card.isPointed = isPointed;
      card.slot = Math.max(firstSlot(), Math.min(slots.time.length - 1, slot));
      const { head, rest } = reading(card.series, card.slot);
      const facts = rest.filter(Boolean).join(" · ");
      const run = slots.run[card.slot];
      const link = run && html("a", { href: linkTo(card.series, run) }, "link");
      card.readout.replaceChildren(html("b", {}, head), facts && ` · ${facts}`,
        ...link ? [" · ", link] : []);
      card.plot.setAttribute("aria-valuemin", firstSlot());
      card.plot.setAttribute("aria-valuenow", card.slot);
      card.plot.setAttribute("aria-valuetext", `${head}, ${facts}`);
      drawCursor(card);
    }

    function makeCard(series, number) {
      const name = `${series.target} · ${series.state} · ${words(series.metric)}`;
      const plot = html("div", {
        class: "plot", tabindex: 0, role: "slider", "aria-label": `night of ${name}`,
        "aria-valuemax": slots.time.length - 1,
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
        html("p", { class: "now" }, summaryOf(series)), plot, readout, table);
      card.element.card = card;
      listen(card);
      return card;
    }

    function summaryOf(series) {
      const newest = series.at.length - 1;
      if (newest < 0) return "";
      const { median } = valueText(series, newest);
      return series.ratio == null ? median : `${median} (${percent(series.ratio)} to its baseline)`;
    }

    function listen(card) {
      const { plot } = card;
      plot.addEventListener("pointermove", event => {
        if (!card.plane) return;
        const x = event.clientX - plot.getBoundingClientRect().left;
        const place = Math.floor((x - margin.left) / card.plane.step);
        choose(card, card.plane.from + Math.max(0, place));
      });
      plot.addEventListener("pointerleave", () => rest(card));
      plot.addEventListener("keydown", event => {
        const steps = {
          ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10,
          Home: -Infinity, End: Infinity,
        };
        if (!(event.key in steps)) return;
        event.preventDefault();
        choose(card, card.slot + steps[event.key]);
      });
    }

    // Back to the night that the address asks for, or else to the newest one.
    function rest(card) {
      const asked = view.night === "" ? -1 : slots.run.indexOf(view.night);
      choose(card, asked >= 0 ? asked : slots.time.length - 1, asked >= firstSlot());
    }
    """#
}

extension DashboardHTML {
  /// Change points, breaks, alerts and missing nights, and the night that is pointed at.
  static let scriptOfMarks = #"""
    // What stands at a point: each has the index of the point, a text and a kind.
    function marksOf(series) {
      const told = new Set();
      const found = [];
      for (const change of series.changes) {
        const isUp = change.after > change.before;
        const kind = isUp === (series.worse === "up") ? "worse" : "better";
        const sign = isUp ? "▲" : "▼";
        const alert = change.alert ? `${change.alert} ` : "";
        if (change.alert) told.add(change.alert);
        const text = `${alert}${sign} ${percent(change.after / change.before)}`;
        found.push({ index: change.index, kind, text });
      }
      for (const alert of series.alerts) {
        if (told.has(alert.id)) continue;
        found.push({
          index: alert.index, kind: alert.direction, text: `${alert.id} ${alert.state}`,
        });
      }
      for (const mark of series.breaks) {
        found.push({ index: mark.index, kind: "break", text: `◆ ${mark.text}` });
      }
      return found.sort((one, other) => one.index - other.index);
    }

    function marks(series, plane) {
      const shapes = missing(series, plane);
      const ends = [-Infinity, -Infinity];
      for (const mark of marksOf(series)) {
        const slot = series.at[mark.index];
        if (slot <= plane.from && mark.index > 0) continue;
        const x = plane.x(slot) - plane.step / 2;
        const kind = mark.kind === "break" ? "break" : `change ${mark.kind}`;
        const line = svg("path", {
          class: kind, d: `M${x.toFixed(1)} ${margin.top - 4}V${height - margin.bottom}`,
        });
        line.append(svg("title", {}, `${day(slot)}: ${mark.text}`));
        shapes.push(line, ...label(mark, x, plane, ends));
      }
      return shapes;
    }

    // A label on the first of two lines that has room; none where there is no room on either.
    function label(mark, x, plane, ends) {
      const text = mark.text.length > 22 ? `${mark.text.slice(0, 21)}…` : mark.text;
      const width = text.length * 7;
      const isLeft = x + width > plane.width;
      const from = isLeft ? x - width : x;
      const line = ends.findIndex(end => from >= end + 8);
      if (line < 0) return [];
      ends[line] = from + width;
      return [svg("text", {
        class: mark.kind, x: x.toFixed(1), y: 26 - line * 14,
        "text-anchor": isLeft ? "end" : "start",
      }, text)];
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
    """#
}

extension DashboardHTML {
  /// The same as tables: all series of tonight, and the nights of one series.
  static let scriptOfTables = #"""
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

    // A line per series: its name, the nights as a small curve, tonight's value and the change.
    function quietList(shown) {
      const lines = shown.map(series => {
        const name = `${series.target} · ${series.state} · ${words(series.metric)}`;
        const newest = series.at.length - 1;
        const now = newest < 0 ? "–"
          : `${valueText(series, newest).median} (${percent(series.ratio)})`;
        return html("li", {}, html("a", { href: linkTo(series) }, name), spark(series),
          html("span", { class: "now" }, now));
      });
      return [
        html("h2", {}, `${shown.length} quiet series, with their change to the baseline`),
        html("ul", { class: "quiet" }, ...lines),
      ];
    }

    function spark(series) {
      const [wide, tall] = [160, 26];
      const from = firstSlot();
      const points = keptPoints(series, from, slots.time.length, wide);
      const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${wide} ${tall}`, "aria-hidden": "true" });
      if (points.length === 0) return drawing;
      const [bottom, top] = valueRange(series, points);
      const steps = points.map(point => {
        const value = Math.max(bottom, Math.min(top, series.median[point.index]));
        const x = (point.slot - from + 0.5) * wide / (slots.time.length - from);
        return `${x.toFixed(1)} ${(tall * (top - value) / (top - bottom)).toFixed(1)}`;
      });
      drawing.append(svg("path", { class: "line thin", d: `M${steps.join("L")}h.01` }));
      return drawing;
    }

    function seriesTable(shown) {
      const columns = [
        column("Target"), column("State"), column("Metric"), column("Verdict"), column("Alert"),
        numbers("Median"), numbers("95 % interval"), numbers("n"), numbers("To baseline"),
        numbers("1 night"), numbers("7 nights"), numbers("30 nights"), column("Noise"),
      ];
      const lines = shown.map(series => {
        const newest = series.at.length - 1;
        const { median, interval, n } =
          newest < 0 ? { median: "–", interval: "–", n: "–" } : valueText(series, newest);
        const open = series.alerts.filter(alert =>
          ["suspected", "confirmed", "acknowledged"].includes(alert.state));
        return [
          series.target, series.state, words(series.metric), verdict(series),
          open.map(alert => `${alert.id} ${alert.state}`).join(", "), median, interval,
          n.replace("n ", ""), percent(series.ratio), percent(series.over1),
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
        column("Night"), numbers("Median"), numbers("95 % interval"), numbers("n"),
        { title: "Notes", kind: "wide" }, column("Run"), column("Commit"),
      ];
      const marked = Map.groupBy(marksOf(series), mark => mark.index);
      const lines = [];
      for (let slot = slots.time.length - 1; slot >= firstSlot(); slot -= 1) {
        const index = pointAt(series, slot);
        const values = index < 0 ? null : valueText(series, index);
        const notes = (marked.get(index) || []).map(mark => mark.text);
        const build = slots.builds[slots.build[slot]];
        lines.push([
          minute(slot), values ? values.median : "no value", values ? values.interval : "",
          values ? String(series.n[index]) : "", [problems.get(slot), ...notes].filter(Boolean).join(", "),
          slots.run[slot] || "", build ? build.commit : "",
        ]);
      }
      card.body.replaceChildren(tableOf("Nights, the newest first", columns, lines));
    }
    """#
}
