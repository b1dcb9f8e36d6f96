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
