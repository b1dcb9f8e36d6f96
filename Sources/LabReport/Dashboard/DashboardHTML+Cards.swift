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
      card.readout.replaceChildren(html("b", {}, head), facts && ` · ${facts}`);
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
        html("header", {}, html("h3", {}, name),
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
