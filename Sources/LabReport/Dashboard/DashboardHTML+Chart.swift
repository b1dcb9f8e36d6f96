extension DashboardHTML {
  /// One chart: axes, interval band, medians and levels.
  static let scriptOfChart = #"""
    const height = 220;
    const margin = { left: 70, right: 14, top: 34, bottom: 26 };

    function geometry(series, width) {
      const from = firstSlot();
      const to = slots.time.length;
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
      drawing.append(...marks(series, plane), card.cursor);
      plot.replaceChildren(drawing);
    }

    function axes(series, plane) {
      const right = plane.width - margin.right;
      const shapes = [];
      if (plane.points.length > 0) {
        const scale = scaleOf(series.unit, plane.range[1]);
        const bounds = plane.range.map(value => value / scale.divisor);
        const values = ticks(...bounds, 4);
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
      const breaks = new Set(series.breaks.map(mark => mark.index));
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
    """#
}

extension DashboardHTML {
  /// Which points of a series are drawn, and in which range of values.
  static let scriptOfPoints = #"""
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
      for (let index = first; index < series.at.length;) {
        let end = index + 1;
        while (end < series.at.length && column(end) === column(index)) end += 1;
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

    // Which values the axis must hold: the levels, the newest one, and all that are not so far off that
    // the others would become a line.
    function axisBounds(series, points) {
      const values = points.map(point => series.median[point.index]);
      const ordered = values.toSorted((one, other) => one - other);
      const at = share => ordered[Math.floor(share * (ordered.length - 1))];
      const spread = Math.max(at(0.95) - at(0.05), Math.abs(at(0.5)) * 0.02);
      const near = values.filter(value =>
        value >= at(0.05) - 3 * spread && value <= at(0.95) + 3 * spread);
      const first = points.length > 0 ? points[0].index : 0;
      const kept = series.segments.filter(segment => segment.to > first)
        .map(segment => segment.level);
      const held = [...near, ...kept, ...values.slice(-1)];
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
    """#
}
